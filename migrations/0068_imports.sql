-- Imports of a company's list in one file: how far each is, what its rows could not do, and, sealed, the rows themselves until they are done.
create table imports (
  import_id        text primary key,
  platform_id      text not null,
  kind             text not null check (kind in ('users', 'enrolments', 'members', 'ends')),
  check_only       boolean not null,
  state            text not null check (state in ('CHECKING', 'WRITING', 'DONE', 'STOPPED')),
  file_hash        bytea not null,  -- of the whole file, keyed: a short file could be guessed
  upload_id        text not null,   -- whose rows `import_chunks` has
  data_key         text,            -- opens them; null when they are gone
  person           text,            -- who sent it, where that was a person and not the platform's own program
  row_count        int not null check (row_count > 0),
  chunk_count      int not null check (chunk_count > 0),
  checked_chunks   int not null default 0 check (checked_chunks between 0 and chunk_count),
  written_chunks   int not null default 0 check (written_chunks between 0 and checked_chunks),
  checked_rows     int not null default 0,
  rejected_rows    int not null default 0,
  done_rows        int not null default 0,
  lost_rows        int not null default 0,
  busy_ms          bigint not null default 0,
  sent_at          timestamptz not null,
  worked_at        timestamptz,
  finished_at      timestamptz,
  revision         int not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null
);
-- The same file is the same import.
create unique index imports_of_file on imports (platform_id, kind, check_only, file_hash);
-- Whose turn it is.
create index imports_unfinished on imports (worked_at nulls first) where state in ('CHECKING', 'WRITING');
create index imports_aging on imports (last_modified_at);

create table import_chunks (
  upload_id  text not null,
  chunk      int not null check (chunk >= 0),
  sealed     text not null,
  created_at timestamptz not null,
  primary key (upload_id, chunk)
);
comment on table import_chunks is 'never changed';
create index import_chunks_aging on import_chunks (created_at);

-- The report: a row of the file that is done, or one of its errors. Ids and codes, never what the file says.
create table import_rows (
  import_id   text not null references imports,
  row_number  int not null check (row_number > 0),
  position    int not null check (position >= 0),
  outcome     text not null check (outcome in ('DONE', 'REJECTED', 'LOST')),
  column_name text,
  code        text,
  detail      text,
  user_id     text check (user_id ~ '^[0-9]{12}$'),
  record_id   text,
  created_at  timestamptz not null default now(),
  primary key (import_id, row_number, position),
  check ((outcome = 'DONE') = (code is null))
);
comment on table import_rows is 'never changed';
create index import_rows_aging on import_rows (created_at);
