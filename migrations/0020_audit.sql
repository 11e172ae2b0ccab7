-- Who read or changed what. Entries are ordered by (xid, audit_id), as events are, and sealed in batches in that order.
create table audit_entries (
  audit_id   text not null,
  xid        xid8 not null default pg_current_xact_id(),
  at         timestamptz not null,
  actor      text not null,
  operation  text not null,
  action     text not null check (action in ('read', 'change', 'revoke', 'token')),
  subject    text,
  user_id    text,
  request_id text not null,
  purpose    text,
  primary key (xid, audit_id)
);
create index audit_entries_of_user on audit_entries (user_id, xid, audit_id) where user_id is not null;

-- Each batch seals the entries behind the one before it, up to its last; its hash covers the one before, too.
create table audit_batches (
  number        bigint primary key,
  last_xid      xid8 not null,
  last_audit_id text not null,
  entry_count   int not null,
  hash          text not null,
  signature     text not null,
  at            timestamptz not null
);

comment on table audit_entries is 'append-only';
comment on table audit_batches is 'append-only';
