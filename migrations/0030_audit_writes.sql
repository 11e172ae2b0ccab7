-- The batches in which reads were written to the audit. The response to a write can be lost after its commit; it is then
-- sent again, and the key decides that it is written once.

create table audit_writes (
  batch_id   text primary key, -- the id of its first entry
  written_at timestamptz not null default now()
);
create index audit_writes_written on audit_writes (written_at);
comment on table audit_writes is 'never changed';
