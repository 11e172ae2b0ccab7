-- From when to when persons are on a policy, where that is not all its days: `[{id, person, from, to, join, leave, isOver}]`, ids and days only. Null:
-- everybody in `dependant_ids` is on it on all of its days.
alter table insurance_policies add column member_days jsonb;
-- What a leaver's share of the premium would be for the days that are not covered, for information.
alter table policy_endorsements add column refund_days integer;
alter table policy_endorsements add column refund_estimate_paise bigint;
