-- outside a transaction
-- What waits longest first within each state, of all and of a benefit provider, whose desk works them off; a platform reads among all. Only
-- the states in which somebody has to act, so that the many policies in force have no entry. Applications that were sent back are few. An
-- index that was left half made is dropped and made again.

drop index concurrently if exists insurance_policies_waiting;
create index concurrently insurance_policies_waiting
  on insurance_policies (status, coalesce(status_since, created_at)) where status not in ('ISSUED', 'EXPIRED', 'REJECTED');
drop index concurrently if exists insurance_policies_waiting_of_provider;
create index concurrently insurance_policies_waiting_of_provider
  on insurance_policies (benefit_provider_id, status, coalesce(status_since, created_at))
  where status not in ('ISSUED', 'EXPIRED', 'REJECTED');
drop index concurrently if exists insurance_policies_sent_back;
create index concurrently insurance_policies_sent_back
  on insurance_policies (status, coalesce(status_since, created_at)) where is_sent_back;
