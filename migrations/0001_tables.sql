-- Catalogue: small, joined by id.

create table platforms (
  platform_id          text primary key,
  name                 text not null,
  status               text not null check (status in ('ACTIVE', 'INACTIVE')),
  default_account_type text not null check (default_account_type in ('SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR')),
  revision             integer not null default 1,
  created_at           timestamptz not null default now(),
  last_modified_at     timestamptz not null default now()
);
create index platforms_newest on platforms (created_at desc, platform_id desc);

create table benefit_providers (
  benefit_provider_id text primary key,
  name                text not null,
  code                text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  constraint benefit_providers_code unique (code)
);
create index benefit_providers_newest on benefit_providers (created_at desc, benefit_provider_id desc);

-- A credential belongs to one platform or one benefit provider; only the hash of its secret is kept.
create table credentials (
  credential_id text primary key,
  owner_kind    text not null check (owner_kind in ('platform', 'provider')),
  owner_id      text not null,
  secret_hash   bytea not null,
  created_at    timestamptz not null default now()
);
create index credentials_of_owner on credentials (owner_id, credential_id);

create table sponsors (
  sponsor_id       text primary key,
  platform_id      text not null,
  slug             text not null,
  status           text not null check (status in ('PENDING', 'ACTIVE', 'INACTIVE')),
  data_key         text not null,
  sealed           text not null,
  revision         integer not null default 1,
  created_at       timestamptz not null default now(),
  last_modified_at timestamptz not null default now(),
  constraint sponsors_slug unique (slug)
);
create index sponsors_newest on sponsors (created_at desc, sponsor_id desc);
create index sponsors_of_platform on sponsors (platform_id, created_at desc, sponsor_id desc);

create table benefits (
  benefit_id          text primary key,
  benefit_provider_id text not null,
  sponsor_id          text not null,
  platform_id         text not null, -- the sponsor's; here so that what a caller may see is one comparison
  name                text not null,
  status              text not null check (status in ('ACTIVE', 'ARCHIVED')),
  plans               jsonb not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now()
);
create index benefits_newest on benefits (created_at desc, benefit_id desc);
create index benefits_of_platform on benefits (platform_id, created_at desc, benefit_id desc);
create index benefits_of_provider on benefits (benefit_provider_id, created_at desc, benefit_id desc);

create table account_providers (
  account_provider_id text primary key,
  name                text not null,
  status              text not null check (status in ('active', 'inactive')),
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now()
);
create index account_providers_newest on account_providers (created_at desc, account_provider_id desc);

create table catalogue_status_changes (
  entity_id   text not null,
  change_id   text not null,
  from_status text,
  to_status   text not null,
  actor       text not null,
  request_id  text not null,
  reason      text, -- sealed
  at          timestamptz not null default now(),
  primary key (entity_id, change_id)
);

-- What belongs to a user: user_id leads every key.

create table users (
  user_id           text primary key check (user_id ~ '^[0-9]{12}$'),
  platform_id       text not null,
  data_key          text, -- wrapped; null once the user is erased
  sealed            text not null,
  profile_digest    bytea not null, -- of the fields last sent to 4.1, to tell "the same again" without opening them
  phone_hash        bytea not null,
  id_proof_hash     bytea,
  id_proof_last4    text,
  onboarding_digest bytea,
  onboarded_at      timestamptz,
  revision          integer not null default 1,
  created_at        timestamptz not null default now(),
  last_modified_at  timestamptz not null default now()
);

-- Look-ups that start without the user: keyed by their own hash, leading to the user_id.
create table user_phones (
  phone_hash bytea primary key,
  user_id    text not null check (user_id ~ '^[0-9]{12}$')
);
create table user_id_proofs (
  id_proof_hash bytea primary key,
  user_id       text not null check (user_id ~ '^[0-9]{12}$')
);

-- Which benefit providers insure or treat the user; it decides whom a benefit provider can see.
create table user_providers (
  user_id             text not null,
  benefit_provider_id text not null,
  primary key (user_id, benefit_provider_id)
);

-- A version never changes; a new one gets a new id and points back.
create table dependants (
  user_id             text not null,
  dependant_id        text not null,
  previous_version_id text,
  superseded_at       timestamptz,
  identity_hash       bytea not null, -- names and birth
  sealed              text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  primary key (user_id, dependant_id),
  constraint dependants_one_successor unique (user_id, previous_version_id)
);
create unique index dependants_identity on dependants (user_id, identity_hash) where superseded_at is null;

create table insurance_policies (
  user_id                          text not null,
  policy_id                        text not null,
  benefit_id                       text not null,
  benefit_provider_id              text not null,
  plan_code                        text not null,
  status                           text not null check (status in (
    'PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
    'REQUIRES_POLICY_REISSUANCE', 'REQUIRES_CUSTOMER_RENEWAL', 'EXPIRED', 'REJECTED')),
  dependant_ids                    text[] not null,
  nominee_dependant_id             text,
  start_date                       date not null,
  end_date                         date not null,
  term_months                      integer not null,
  renewal_window_days              integer not null,
  grace_days                       integer not null,
  currency                         text not null,
  premium_annual_paise             bigint not null check (premium_annual_paise >= 0),
  premium_daily_paise              bigint not null check (premium_daily_paise >= 0),
  premium_sponsor_paise            bigint not null check (premium_sponsor_paise >= 0),
  external_policy_id               text,
  master_policy_number             text,
  sealed                           text, -- questionnaire and the provider's metadata
  revision                         integer not null default 1,
  created_at                       timestamptz not null default now(),
  last_modified_at                 timestamptz not null default now(),
  primary key (user_id, policy_id),
  check (start_date <= end_date)
);
create index insurance_policies_newest on insurance_policies (user_id, created_at desc, policy_id desc);
create index insurance_policies_of_benefit on insurance_policies (benefit_id) where status not in ('EXPIRED', 'REJECTED');
create unique index insurance_policies_enrolment on insurance_policies (user_id, benefit_id, plan_code, start_date)
  where status not in ('EXPIRED', 'REJECTED');

create table accounts (
  user_id             text not null,
  account_id          text not null,
  account_type        text not null check (account_type in ('SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR')),
  status              text not null check (status in ('PENDING', 'ACTIVE', 'INACTIVE')),
  external_account_id text,
  ifsc_code           text,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  primary key (user_id, account_id),
  check (status <> 'ACTIVE' or external_account_id is not null)
);
create index accounts_newest on accounts (user_id, created_at desc, account_id desc);
create unique index accounts_one_of_a_type on accounts (user_id, account_type) where status <> 'INACTIVE';
create index accounts_pending on accounts (created_at) where status = 'PENDING';

create table consultations (
  user_id             text not null,
  consultation_id     text not null,
  benefit_provider_id text not null,
  status              text not null check (status in ('OPEN', 'CLOSED')),
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  primary key (user_id, consultation_id)
);
create index consultations_newest on consultations (user_id, created_at desc, consultation_id desc);

create table consultation_messages (
  user_id         text not null,
  consultation_id text not null,
  message_id      text not null,
  sealed          text not null,
  created_at      timestamptz not null default now(),
  primary key (user_id, consultation_id, message_id)
);
create index consultation_messages_oldest on consultation_messages (user_id, consultation_id, created_at, message_id);

create table user_status_changes (
  user_id     text not null,
  entity_id   text not null,
  change_id   text not null,
  from_status text,
  to_status   text not null,
  actor       text not null,
  request_id  text not null,
  reason      text, -- sealed
  at          timestamptz not null default now(),
  primary key (user_id, entity_id, change_id)
);

-- Queues and what every node follows: local tables.

-- The outbox: written in the transaction that causes the event.
create table events (
  event_id    text primary key,
  type        text not null,
  platform_id text,
  subject     text not null,
  data        jsonb not null,
  occurred_at timestamptz not null default now()
);
create index events_of_platform on events (platform_id, occurred_at, event_id);

create table access_changes (
  seq     bigint generated always as identity primary key,
  subject text not null,
  denied  boolean not null,
  at      timestamptz not null default now()
);
create index access_changes_at on access_changes (at);

create table workers (
  worker_id text primary key,
  seen_at   timestamptz not null default now()
);
