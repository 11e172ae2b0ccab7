-- The tables of the peers that keep the product's promises, as an expert lays them out for one server. Personal data is in
-- `sealed` columns only; what a check looks up has the same name as in the product.

create table users (
  user_id text primary key,
  platform_id text not null, -- from a verified token; a foreign key would lock the platform's one row at every insert
  data_key text not null, -- of this user, wrapped: erasing it erases everything sealed with it
  sealed text not null,
  profile_digest bytea not null,
  phone_hash bytea not null,
  id_proof_hash bytea,
  id_proof_last4 text,
  dependants integer not null default 0, -- counted here, so that one guarded update holds the limit
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  last_modified_at timestamptz not null default now()
) with (fillfactor = 85); -- an update that changes no index stays in its page
create unique index users_phone on users (phone_hash) with (fillfactor = 80);
create unique index users_id_proof on users (id_proof_hash) with (fillfactor = 80);

-- Every version of a dependant stays: this is their history.
create table dependants (
  user_id text not null references users,
  dependant_id text not null,
  previous_version_id text,
  superseded_at timestamptz,
  identity_hash bytea not null,
  sealed text not null,
  actor text not null,
  created_at timestamptz not null default now(),
  last_modified_at timestamptz not null default now(),
  primary key (user_id, dependant_id)
);
create unique index dependants_identity on dependants (user_id, identity_hash) where superseded_at is null;

create table benefits (
  benefit_id text primary key,
  name text not null
);

create table insurance_policies (
  user_id text not null references users,
  policy_id text not null,
  benefit_id text not null references benefits,
  plan_code text not null,
  status text not null,
  dependant_ids text[] not null,
  nominee_dependant_id text,
  start_date date not null,
  end_date date not null,
  currency text not null,
  premium_annual_paise integer not null,
  premium_daily_paise integer not null,
  premium_sponsor_paise integer not null,
  external_policy_id text,
  master_policy_number text,
  issued_dependant_ids text[],
  sealed text,
  created_at timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (user_id, policy_id)
);
create index on insurance_policies (user_id, created_at desc, policy_id desc);

create table wallets (
  user_id text primary key references users,
  platform_id text not null,
  partner_wallet_id text not null unique,
  wallet_status text not null,
  wallet_status_partner text not null,
  balance_paise bigint not null default 0,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  last_modified_at timestamptz not null default now()
) with (fillfactor = 85);

-- Read in the order of transactions, below the oldest one running, by platform or subject: no event is missed.
create table events (
  xid xid8 not null default pg_current_xact_id(),
  event_id bigint generated always as identity,
  type text not null,
  platform_id text not null,
  subject text not null,
  data jsonb not null,
  occurred_at timestamptz not null default clock_timestamp(),
  primary key (xid, event_id)
);
create index on events (platform_id, xid, event_id);
create index on events (subject, xid, event_id);

create table audit_entries (
  xid xid8 not null default pg_current_xact_id(),
  audit_id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  operation text not null,
  action text not null,
  subject text not null,
  user_id text not null,
  request_id text not null,
  primary key (xid, audit_id)
);
create index on audit_entries (user_id, xid, audit_id);

create table user_status_changes (
  user_id text not null references users,
  entity_id text not null,
  change_id bigint generated always as identity,
  from_status text,
  to_status text not null,
  actor text not null,
  request_id text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, entity_id, change_id)
);
