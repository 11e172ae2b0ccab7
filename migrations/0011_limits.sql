-- How far each key of a rate limit is ahead of the clock, as far as processes have told each other. Nothing of it is worth
-- keeping through a crash of the database.
create unlogged table rate_limit_uses (
  limit_key text primary key,
  free_at   timestamptz not null,
  added     interval not null -- by whoever wrote last
);
create index rate_limit_uses_free on rate_limit_uses (free_at);

-- How many messages a user has written on its last day of writing.
create table messages_written (
  user_id text primary key,
  day     date not null, -- in India
  written int not null
);

do $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  perform create_distributed_table('messages_written', 'user_id', colocate_with => 'users');
end
$$;

alter table messages_written add foreign key (user_id) references users;
