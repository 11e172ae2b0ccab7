-- How far each key of a rate limit is ahead of the clock, as far as processes have told each other. Nothing of it is worth
-- keeping through a crash of the database.
create unlogged table rate_limit_uses (
  limit_key text primary key,
  free_at   timestamptz not null,
  added     interval not null -- by whoever wrote last
);
create index rate_limit_uses_free on rate_limit_uses (free_at);

-- As many consultations of a user can be open as there are slots: two that are opened at once cannot share the last one.
alter table consultations add column slot int; -- null where the version before has opened it
update consultations c
   set slot = n.slot
  from (select user_id, consultation_id, row_number() over (partition by user_id order by created_at, consultation_id) as slot
          from consultations
         where status = 'OPEN') n
 where n.user_id = c.user_id and n.consultation_id = c.consultation_id;
create unique index consultations_open_slot on consultations (user_id, slot) where status = 'OPEN';

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
