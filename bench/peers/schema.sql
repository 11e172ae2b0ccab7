-- The tables of the peers: what the operations need, as a textbook has them.

create table users (
  user_id text primary key,
  platform_id text not null,
  phone text not null,
  id_proof text,
  first_name text,
  last_name text,
  email text,
  created_at timestamptz not null default now(),
  unique (platform_id, phone)
);

create table dependants (
  dependant_id text primary key,
  user_id text not null references users,
  first_name text not null,
  last_name text not null,
  date_of_birth date not null,
  created_at timestamptz not null default now()
);
create index on dependants (user_id);

create table benefits (
  benefit_id text primary key,
  name text not null
);

create table policies (
  policy_id text primary key,
  user_id text not null references users,
  benefit_id text not null references benefits,
  plan_code text not null,
  status text not null,
  dependant_ids text[] not null,
  start_date date not null,
  end_date date not null,
  premium_annual_paise integer not null,
  premium_daily_paise integer not null,
  premium_sponsor_paise integer not null,
  created_at timestamptz not null default now()
);
create index on policies (user_id, created_at desc);

create table wallets (
  user_id text primary key references users,
  wallet_id text not null unique,
  wallet_status text not null,
  created_at timestamptz not null default now()
);
