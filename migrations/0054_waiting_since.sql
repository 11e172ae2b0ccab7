-- When a policy entered its status: what waits longest comes first in the lists of those who have to act. A worker fills it in where
-- it is not known, of policies from before and of those that the version before writes meanwhile; until then the enrolment counts.
alter table insurance_policies add column status_since timestamptz;

-- The benefit provider has sent the application back, and waits for the platform.
alter table insurance_policies add column is_sent_back boolean not null default false;
