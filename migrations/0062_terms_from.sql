-- outside a transaction
-- Where later terms of a policy are counted from, when its first term ended earlier than the plan's: the day after it. Null: from the start of the
-- first term, as of every policy of before.
alter table insurance_policies add column if not exists terms_from date;
