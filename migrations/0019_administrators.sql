-- Administrators, known since they first logged in at the identity provider, and their sessions.

create table administrators (
  administrator_id text primary key,
  subject_hash     bytea not null, -- who it is at the identity provider
  data_key         text not null,
  sealed           text not null, -- the name
  role             text not null check (role in ('viewer', 'operator', 'owner')), -- of the last login
  status           text not null check (status in ('ACTIVE', 'DISABLED')),
  last_seen_at     timestamptz not null,
  revision         integer not null default 1, -- counts logins too
  created_at       timestamptz not null,
  last_modified_at timestamptz not null
);
create unique index administrators_subject on administrators (subject_hash);

create table administrator_sessions (
  session_id       text primary key,
  administrator_id text not null,
  secret_hash      bytea not null, -- of what the cookie holds
  role             text not null check (role in ('viewer', 'operator', 'owner')),
  sealed           text not null, -- the ID token, which the identity provider wants to see at the end
  created_at       timestamptz not null,
  last_seen_at     timestamptz not null, -- to the minute
  expires_at       timestamptz not null, -- however much it is used
  ended_at         timestamptz
);
create unique index administrator_sessions_secret on administrator_sessions (secret_hash);
create index administrator_sessions_administrator on administrator_sessions (administrator_id);
create index administrator_sessions_expires on administrator_sessions (expires_at);

-- Foreign keys.
alter table administrator_sessions add foreign key (administrator_id) references administrators;
