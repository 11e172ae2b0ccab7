-- Comparisons of an insurer's member file with what is stored: how many differences of each kind, and each by row of the file and ids. Never what
-- the file says.
create table comparisons (
  comparison_id        text primary key,
  kind                 text not null check (kind in ('members')),
  platform_id          text,  -- whose comparison it is, where a platform made it
  benefit_provider_id  text,  -- the same of a benefit provider; an administrator's has neither
  master_policy_number text not null,
  on_day               date not null,
  row_count            int not null,
  person_count         int not null,
  counts               jsonb not null,
  revision             int not null default 1,
  created_at           timestamptz not null,
  last_modified_at     timestamptz not null
);
comment on table comparisons is 'never changed';
create index comparisons_aging on comparisons (last_modified_at);

create table comparison_differences (
  comparison_id text not null,
  position      int not null check (position >= 0),
  difference    text not null,
  row_number    int,
  column_name   text,
  user_id       text check (user_id ~ '^[0-9]{12}$'),
  policy_id     text,
  person_id     text,
  created_at    timestamptz not null default now(),
  primary key (comparison_id, position)
);
comment on table comparison_differences is 'never changed';
create index comparison_differences_aging on comparison_differences (created_at);
create index comparison_differences_of_user on comparison_differences (user_id) where user_id is not null;
