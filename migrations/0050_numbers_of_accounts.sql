-- outside a transaction
-- Which account has a number of the bank: one, with each account provider. A lookup of its own, as for phones, because accounts are
-- keyed by user. Nodes of 0.2.0 write accounts without it; a worker adds these and those of before, the oldest first, and leaves
-- `has_number` false where another account had the number first.
create table if not exists account_numbers (
  external_account_id text not null,
  account_provider_id text not null, -- empty for an account of before providers were registered
  user_id             text not null check (user_id ~ '^[0-9]{12}$'),
  account_id          text not null,
  primary key (external_account_id, account_provider_id)
);
comment on table account_numbers is 'never changed';
create index if not exists account_numbers_of_user on account_numbers (user_id);

alter table accounts add column if not exists has_number boolean;
comment on column accounts.has_number is 'null: whether account_numbers leads here is not known yet';

drop index concurrently if exists accounts_number_unknown;
create index concurrently accounts_number_unknown on accounts (created_at)
 where external_account_id is not null and has_number is null;
