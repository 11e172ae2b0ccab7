-- outside a transaction
-- Whether a policy covers in the days of grace, as its plan said at the enrolment; those of before do.

alter table insurance_policies add column if not exists grace_cover text not null default 'FULL';
alter table insurance_policies drop constraint if exists insurance_policies_grace_cover_check;
alter table insurance_policies add constraint insurance_policies_grace_cover_check
  check (grace_cover in ('FULL', 'NONE')) not valid;
alter table insurance_policies validate constraint insurance_policies_grace_cover_check;
