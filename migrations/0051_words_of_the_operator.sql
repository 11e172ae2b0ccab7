-- What an event of the operator said, to recognise an id that comes again with something else; null for those of before, and of
-- nodes of 0.2.0.
alter table operator_events add column content text;

-- Wallets whose status the operator is asked for out of order, because an event contradicts what is stored or a request failed.
create table wallet_questions (
  user_id text primary key,
  due_at  timestamptz not null
);
create index wallet_questions_due on wallet_questions (due_at);

-- The sweep that asks for every wallet: how far it is, in the order of users, and since when. One row.
create table wallet_sweeps (
  sweep_name text primary key,
  position   text not null,
  began_at   timestamptz not null
);
comment on table wallet_sweeps is 'never deleted';
