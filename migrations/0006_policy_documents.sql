-- What documents are made from, the files that take their place, and how a health card is found again.

-- The facts of a policy as it was enrolled (issue 0) and each time it was issued, never changed: a certificate says today
-- what it said when it was issued.
create table policy_facts (
  user_id   text not null,
  policy_id text not null,
  issue     integer not null check (issue >= 0),
  sealed    text not null,
  at        timestamptz not null default now(),
  primary key (user_id, policy_id, issue)
);

-- A file uploaded in place of a document that would be made. The row of a replaced one stays, its file goes.
create table policy_files (
  user_id       text not null,
  file_id       text not null,
  policy_id     text not null,
  document_type text not null,
  issue         integer not null check (issue >= 0),
  byte_length   integer not null check (byte_length > 0),
  sha256        text not null,
  actor         text not null,
  request_id    text not null,
  created_at    timestamptz not null default now(),
  replaced_at   timestamptz,
  primary key (user_id, file_id)
);
create unique index policy_files_current on policy_files (user_id, policy_id, document_type, issue)
  where replaced_at is null;

-- From a card to whom it is about, by a keyed hash of the three.
create table health_cards (
  card_hash bytea primary key,
  user_id   text not null check (user_id ~ '^[0-9]{12}$'),
  policy_id text not null,
  member_id text not null -- `self` or a dependant
);

-- A queue: files that must go. A file being written is in it too, until it has its row.
create table files_to_delete (
  file_id text primary key,
  due_at  timestamptz not null
);
create index files_to_delete_due on files_to_delete (due_at);

alter table insurance_policies
  add column issue                integer not null default 0, -- how often it was issued
  add column issued_dependant_ids text[], -- whom the last issue covers; null before the first
  add column covered_from         date; -- the start of its first term; null where that is `start_date` still

-- Distribution: nothing on a plain PostgreSQL.
do $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  perform create_distributed_table('policy_facts', 'user_id', colocate_with => 'users');
  perform create_distributed_table('policy_files', 'user_id', colocate_with => 'users');
  perform create_distributed_table('health_cards', 'card_hash');
end
$$;

-- Foreign keys.
alter table policy_facts add foreign key (user_id, policy_id) references insurance_policies;
alter table policy_files add foreign key (user_id, policy_id) references insurance_policies;
