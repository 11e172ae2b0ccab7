-- outside a transaction
-- Card and certificate print the end of a policy's id as its number until the insurer has given one.
drop index concurrently if exists insurance_policies_of_reference;
create index concurrently insurance_policies_of_reference on insurance_policies (right(policy_id, 12));
