-- outside a transaction
-- From which day on the notices of a policy's term are still to be sent, as events: that its renewal is due, and that a term which was issued
-- early begins. Null: none was sent; of a term that a renewal began, that it begins is then not announced. A worker sends those that are due. The
-- index has only policies that can have one soon, so that an enrolment and most changes write no entry; an index that was left half made is
-- dropped and made again.
alter table insurance_policies add column if not exists notices_from date;

drop index concurrently if exists insurance_policies_notices;
create index concurrently insurance_policies_notices
  on insurance_policies (coalesce(notices_from, start_date))
  where coalesce(notices_from, start_date) <= end_date
    and (status = 'REQUIRES_CUSTOMER_RENEWAL' and ends_on is null
         or notices_from <= start_date and start_date > covered_from and not begins_cover
            and (ends_on is null or ends_on >= start_date) and status not in ('EXPIRED', 'REJECTED'));

-- The changes of one policy, last change first.
drop index concurrently if exists policy_endorsements_changed_of_policy;
create index concurrently policy_endorsements_changed_of_policy
  on policy_endorsements (policy_id, state, last_modified_at, endorsement_id);
