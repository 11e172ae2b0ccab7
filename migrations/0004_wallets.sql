-- Tables.

-- A one-time code that was asked for. user_id is null when the phone is nobody's; the caller cannot tell.
create table otp_challenges (
  challenge_id text primary key,
  user_id      text check (user_id ~ '^[0-9]{12}$'),
  platform_id  text not null,
  code_hmac    bytea not null,
  wrong_codes  integer not null default 0,
  used_at      timestamptz,
  expires_at   timestamptz not null,
  created_at   timestamptz not null
);
create index otp_challenges_expired on otp_challenges (expires_at);

-- When codes were last sent to a phone or asked for from an address; one row each, locked while it is decided.
create table otp_limits (
  limit_key  bytea primary key,
  sent_at_ms bigint[] not null,
  seen_at    timestamptz not null
);
create index otp_limits_seen on otp_limits (seen_at);

create table refresh_families (
  user_id     text not null,
  family_id   text not null,
  platform_id text not null,
  generation  integer not null default 1,
  rotated_at  timestamptz not null,
  expires_at  timestamptz not null, -- absolute
  ended_at    timestamptz,
  primary key (user_id, family_id)
);
create index refresh_families_expired on refresh_families (expires_at);

-- Leads from a token's hash to its family.
create table refresh_tokens (
  token_hash bytea primary key,
  user_id    text not null check (user_id ~ '^[0-9]{12}$'),
  family_id  text not null,
  generation integer not null,
  expires_at timestamptz not null -- idle
);
create index refresh_tokens_expired on refresh_tokens (expires_at);

-- One a user: user_id alone is the key.
create table wallets (
  user_id               text primary key,
  platform_id           text not null,
  partner_wallet_id     text not null,
  wallet_status         text not null check (wallet_status in
    ('CREATED', 'PENDING', 'IN_PROGRESS', 'COMPLETED', 'RETRYING', 'FAILED')),
  wallet_status_partner text not null check (wallet_status_partner in ('ACTIVE', 'BLOCKED', 'UNKNOWN')),
  balance_paise         bigint not null default 0 check (balance_paise between 0 and 9007199254740991),
  tries                 integer not null default 0,
  may_be_held           boolean not null default false, -- the operator may have heard a call: ask before creating
  queued_at             timestamptz not null,
  operator_status       text check (operator_status in ('ACTIVE', 'BLOCKED')), -- the newest the operator told, and
  operator_sequence     bigint,                                                -- its place among what it tells
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  last_modified_at      timestamptz not null default now(),
  check ((wallet_status_partner = 'UNKNOWN') = (wallet_status <> 'COMPLETED'))
);
create index wallets_unfinished on wallets (last_modified_at) where wallet_status in ('PENDING', 'IN_PROGRESS', 'RETRYING');

create table wallet_ids (
  partner_wallet_id text primary key,
  user_id           text not null check (user_id ~ '^[0-9]{12}$')
);

create table ledger_transactions (
  user_id             text not null,
  transaction_id      text not null,
  transaction_type    text not null check (transaction_type in ('CREDIT', 'DEBIT')),
  amount_paise        bigint not null check (amount_paise between 1 and 9007199254740991),
  balance_after_paise bigint not null check (balance_after_paise between 0 and 9007199254740991),
  position            bigint not null, -- counts the user's transactions without a gap
  reference           text not null,
  sealed              text, -- description
  actor               text not null,
  created_at          timestamptz not null default now(),
  primary key (user_id, transaction_id),
  constraint ledger_transactions_reference unique (user_id, reference),
  constraint ledger_transactions_position unique (user_id, position)
);

-- Double entry: the entries of a transaction add up to nothing.
create table ledger_entries (
  user_id        text not null,
  transaction_id text not null,
  ledger_account text not null check (ledger_account in ('WALLET', 'PLATFORM_FLOAT')),
  amount_paise   bigint not null check (amount_paise <> 0),
  primary key (user_id, transaction_id, ledger_account)
);

create table operator_events (
  event_id    text primary key,
  received_at timestamptz not null default now()
);
create index operator_events_received on operator_events (received_at);

create table idempotency_keys (
  key_hash       bytea primary key, -- of caller, operation and key together
  request_digest bytea not null,
  started_at     timestamptz not null,
  status         integer, -- null while the first request runs
  sealed         text     -- the answer, under a key made from the idempotency key itself
);
create index idempotency_keys_started on idempotency_keys (started_at);

-- Distribution: nothing on a plain PostgreSQL.
do $$
declare
  name text;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  foreach name in array array['refresh_families', 'wallets', 'ledger_transactions', 'ledger_entries'] loop
    perform create_distributed_table(name::regclass, 'user_id', colocate_with => 'users');
  end loop;
  perform create_distributed_table('refresh_tokens', 'token_hash');
  perform create_distributed_table('wallet_ids', 'partner_wallet_id');
  perform create_distributed_table('idempotency_keys', 'key_hash');
end
$$;

-- Foreign keys.
alter table refresh_families add foreign key (user_id) references users;
alter table wallets add foreign key (user_id) references users;
alter table ledger_transactions add foreign key (user_id) references wallets;
alter table ledger_entries add foreign key (user_id, transaction_id) references ledger_transactions;
