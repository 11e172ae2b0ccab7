-- Keys that nothing needs any more: a program starts without them. Their names are not used again. A local table.
create table retired_keys (
  key_name text primary key,
  since    timestamptz not null default now()
);
comment on table retired_keys is 'append-only';
