-- Which keys this database was filled with: a program that has others must not start on it. A local table.
create table key_fingerprints (
  key_name    text primary key, -- `HASH_KEY`, or `MASTER_KEYS` and the id of one that sealed
  fingerprint bytea not null,
  since       timestamptz not null default now()
);
