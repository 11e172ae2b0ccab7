-- outside a transaction
-- The work list of next actions, by the day on which each is due: the policies that wait, by the clock that runs and the day that it counts
-- from or ends on. How many days are added is a setting. Only the states in which somebody has to act, so that the many policies in force have
-- no entry. An index that was left half made is dropped and made again.
drop index concurrently if exists insurance_policies_next_actions;
create index concurrently insurance_policies_next_actions
  on insurance_policies (
    (case when status = 'REQUIRES_CUSTOMER_RENEWAL' then case when ends_on is null then 'renewal' end
          when status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' then 'grace'
          when status = 'PENDING' and is_sent_back then case when issue = 0 then 'sent_back' else 'sent_back_in_grace' end
          when issue = 0 and status <> 'APPROVED' then 'decision'
          when issue = 0 or begins_cover then 'issue'
          else 'correction' end),
    (case when status = 'REQUIRES_CUSTOMER_RENEWAL' then end_date
          when status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' or status = 'PENDING' and is_sent_back and issue > 0 then least(grace_until, ends_on)
          when issue = 0 and status <> 'APPROVED' and not (status = 'PENDING' and is_sent_back)
            then (created_at at time zone 'Asia/Kolkata')::date
          else (coalesce(status_since, created_at) at time zone 'Asia/Kolkata')::date end),
    policy_id)
  where status not in ('ISSUED', 'EXPIRED', 'REJECTED');
drop index concurrently if exists insurance_policies_next_actions_of_provider;
create index concurrently insurance_policies_next_actions_of_provider
  on insurance_policies (
    benefit_provider_id,
    (case when status = 'REQUIRES_CUSTOMER_RENEWAL' then case when ends_on is null then 'renewal' end
          when status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' then 'grace'
          when status = 'PENDING' and is_sent_back then case when issue = 0 then 'sent_back' else 'sent_back_in_grace' end
          when issue = 0 and status <> 'APPROVED' then 'decision'
          when issue = 0 or begins_cover then 'issue'
          else 'correction' end),
    (case when status = 'REQUIRES_CUSTOMER_RENEWAL' then end_date
          when status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' or status = 'PENDING' and is_sent_back and issue > 0 then least(grace_until, ends_on)
          when issue = 0 and status <> 'APPROVED' and not (status = 'PENDING' and is_sent_back)
            then (created_at at time zone 'Asia/Kolkata')::date
          else (coalesce(status_since, created_at) at time zone 'Asia/Kolkata')::date end),
    policy_id)
  where status not in ('ISSUED', 'EXPIRED', 'REJECTED');

-- Sponsors that wait for their review, those that wait longest first.
drop index concurrently if exists sponsors_pending;
create index concurrently sponsors_pending on sponsors (last_modified_at, sponsor_id) where status = 'PENDING';

-- The due day of the last event that a next action is due; null: none was sent.
alter table insurance_policies add column if not exists announced_due_on date;
alter table policy_endorsements add column if not exists announced_due_on date;
