-- outside a transaction
-- What a sponsor has paid in at a benefit provider for premiums to come, and each entry of it: the sum of its entries is its balance.
create table if not exists deposits (
  sponsor_id          text not null,
  benefit_provider_id text not null,
  balance_paise       bigint not null default 0,
  low_below_paise     bigint check (low_below_paise > 0),
  crossed_at          timestamptz,  -- it fell below that, and nobody has heard of it yet
  revision            int not null default 1,
  created_at          timestamptz not null,
  last_modified_at    timestamptz not null,
  primary key (sponsor_id, benefit_provider_id)
);
comment on table deposits is 'never deleted';
create index if not exists deposits_crossed on deposits (crossed_at) where crossed_at is not null;
create index if not exists deposits_below_zero on deposits (last_modified_at, sponsor_id) where balance_paise < 0;

create table if not exists deposit_entries (
  entry_id            text primary key,
  sponsor_id          text not null,
  benefit_provider_id text not null,
  kind                text not null check (kind in ('TOP_UP', 'REVERSAL', 'PREMIUM', 'ENDORSEMENT', 'END')),
  amount_paise        bigint not null check (amount_paise <> 0),  -- below zero: taken from the deposit
  on_day              date not null,  -- from which day on it counts
  reference           text,
  user_id             text check (user_id ~ '^[0-9]{12}$'),
  policy_id           text,
  endorsement_id      text,
  actor               text not null,
  created_at          timestamptz not null,
  check ((kind in ('TOP_UP', 'REVERSAL')) = (reference is not null)),
  check ((kind in ('TOP_UP', 'REVERSAL')) = (policy_id is null))
);
comment on table deposit_entries is 'append-only';
create unique index if not exists deposit_entries_reference on deposit_entries (sponsor_id, benefit_provider_id, reference) where reference is not null;
create index if not exists deposit_entries_of_deposit on deposit_entries (sponsor_id, benefit_provider_id, entry_id);
create index if not exists deposit_entries_by_day on deposit_entries (sponsor_id, benefit_provider_id, on_day) include (amount_paise);
create index if not exists deposit_entries_of_policy on deposit_entries (policy_id) where policy_id is not null;

-- Who is a party to a deposit: an index that was left half made is dropped and made again.
drop index concurrently if exists benefits_of_sponsor;
create index concurrently benefits_of_sponsor on benefits (sponsor_id, benefit_provider_id);
