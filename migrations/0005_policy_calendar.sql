-- When the calendar has to look at a policy next, kept with every change, so that finding what is due is an index and
-- not a scan of all users; and who runs what only one worker should run at a time.

alter table insurance_policies
  add column grace_until  date, -- last day on which somebody can still renew, pay or issue again
  add column next_move_on date; -- null when no day will move it

update insurance_policies
   set grace_until = case when status in ('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'REQUIRES_POLICY_REISSUANCE')
         then greatest(end_date, current_date) + grace_days end;
update insurance_policies
   set next_move_on = case status
         when 'ISSUED' then end_date - renewal_window_days
         when 'REQUIRES_CUSTOMER_RENEWAL' then end_date + 1
         when 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' then grace_until + 1
         when 'REQUIRES_POLICY_REISSUANCE' then grace_until + 1
       end;

create index insurance_policies_due on insurance_policies (next_move_on) where next_move_on is not null;

create table leases (
  lease_name text primary key,
  holder     text not null,
  held_until timestamptz not null
);

-- A transaction that waits for another to end would else write down its beginning, and tell moves in the wrong order.
alter table user_status_changes alter column at set default clock_timestamp();
alter table catalogue_status_changes alter column at set default clock_timestamp();
alter table events alter column occurred_at set default clock_timestamp();
