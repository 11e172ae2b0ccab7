-- Which programs run on this database, and the oldest version that may. `migrate` reads the first and raises the second.

create table processes (
  process_id text primary key,
  role       text not null, -- what it runs: api, worker or both
  version    text not null,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);

create table program_versions (
  is_only boolean primary key default true check (is_only),
  oldest  text not null
);
comment on table program_versions is 'read-only';

insert into program_versions (oldest) values ('0.1.0');
