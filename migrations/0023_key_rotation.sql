-- Keys that nothing needs any more: a program starts without them. Their names are not used again. A local table.
create table retired_keys (
  key_name text primary key,
  since    timestamptz not null default now()
);
comment on table retired_keys is 'append-only';

-- Under which hash key a row is found, by the beginning of the key's fingerprint; null is the key of before this migration.
alter table user_phones add column hash_key text;
alter table user_id_proofs add column hash_key text;
alter table dependants add column hash_key text;
alter table administrators add column hash_key text;

-- While the hash key rotates, a phone has a row in user_phones under both keys: this is the other one.
alter table users add column other_phone_hash bytea;

-- Erasing a person frees their id proof under every hash key.
create index user_id_proofs_user on user_id_proofs (user_id);
