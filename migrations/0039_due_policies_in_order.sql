-- outside a transaction
-- Policies that the calendar changes soon, the earliest first within each state, for administrators, a platform and a benefit provider.
-- Only those with a next day, so that an enrolment writes no entry. An index that was left half made is dropped and made again.

drop index concurrently if exists insurance_policies_listed_due;
create index concurrently insurance_policies_listed_due
  on insurance_policies (status, next_move_on, policy_id) where next_move_on is not null;
drop index concurrently if exists insurance_policies_listed_due_of_platform;
create index concurrently insurance_policies_listed_due_of_platform
  on insurance_policies (platform_id, status, next_move_on, policy_id) where next_move_on is not null;
drop index concurrently if exists insurance_policies_listed_due_of_provider;
create index concurrently insurance_policies_listed_due_of_provider
  on insurance_policies (benefit_provider_id, status, next_move_on, policy_id) where next_move_on is not null;
