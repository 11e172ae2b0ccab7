-- For lists across users: the platform of what belongs to a user, so that one index finds the rows of a platform. Rows from before
-- have none until a worker has filled it in; so have rows that the version before writes during an upgrade.
alter table insurance_policies add column platform_id text;
alter table accounts add column platform_id text;
alter table consultations add column platform_id text;

-- When a message was last written, and whether the benefit provider has to answer. Of consultations from before, it is not known who
-- wrote last: they wait for an answer until the provider writes or they are closed.
alter table consultations add column last_message_at timestamptz;
alter table consultations add column awaits_provider boolean not null default true;

-- Counts by state, kept by the workers. `owner_id` is a platform, or empty for the whole installation.
create table statistics (
  owner_id text primary key,
  counts   jsonb not null,
  as_of    timestamptz not null
);
comment on table statistics is 'never deleted';

-- What became of a one-time code, for whoever helps the person; and the last request that was refused.
alter table otp_challenges add column sent_at timestamptz;
alter table otp_challenges add column failed_at timestamptz;
alter table otp_limits add column refused_at timestamptz;
alter table otp_limits add column retry_at timestamptz;

-- People of a partner log in too: `owner_id` is their platform or benefit provider, null for administrators. `epoch` is the platform's
-- when the session began.
alter table administrators add column owner_id text;
alter table administrators drop constraint administrators_role_check;
alter table administrators add constraint administrators_role_check
  check (role in ('viewer', 'operator', 'owner', 'platform', 'provider'));
alter table administrator_sessions add column owner_id text;
alter table administrator_sessions add column epoch integer;
alter table administrator_sessions drop constraint administrator_sessions_role_check;
alter table administrator_sessions add constraint administrator_sessions_role_check
  check (role in ('viewer', 'operator', 'owner', 'platform', 'provider'));
