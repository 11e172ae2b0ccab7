-- Where batches of the audit are in the document storage: one file for consecutive batches. A row is written before its file, so that
-- a run that was killed goes on with the same batches and the same key; archived_at says that the file was read back and is right.
create table audit_archives (
  archive_id   text primary key, -- the key of the file in the storage
  first_number bigint not null,
  last_number  bigint not null,
  data_key     text not null,
  archived_at  timestamptz
);
comment on table audit_archives is 'never deleted';
