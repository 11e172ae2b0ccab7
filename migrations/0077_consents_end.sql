-- outside a transaction
-- The consents of a parent or guardian end when the child is 18. The birth is sealed, so each such consent has the day on which a worker opens it
-- next, at most a month ahead: what is stored in the clear is near a birthday only for the month before it, and when it ended: who turned 18 on which day stands in the clear, as an event does.
alter table consents add column if not exists look_on date;
alter table consents add column if not exists ended_at timestamptz;
-- Since when the platform has to see to what rested on a consent that was withdrawn; null where nothing waits.
alter table consents add column if not exists waits_since timestamptz;

drop index concurrently if exists consents_to_end;
create index concurrently consents_to_end on consents ((coalesce(look_on, '2000-01-01'::date)), consent_id)
  where given_by <> 'SELF' and withdrawn_at is null and ended_at is null;
drop index concurrently if exists consents_waiting;
create index concurrently consents_waiting on consents (waits_since, consent_id) where waits_since is not null;

-- Who turned 18 while a consent of a parent or guardian counted for them: each once, whatever is corrected or consented to later.
create table if not exists came_of_age (
  user_id     text not null check (user_id ~ '^[0-9]{12}$'),
  first_id    text not null,
  person_id   text not null,
  waits_since timestamptz,
  created_at  timestamptz not null,
  primary key (user_id, first_id)
);
alter table came_of_age drop constraint if exists came_of_age_user_id_fkey;
alter table came_of_age add constraint came_of_age_user_id_fkey foreign key (user_id) references users (user_id);
comment on column came_of_age.first_id is 'the first version of the dependant; the user, of one who is covered as a child';
comment on column came_of_age.person_id is 'the version of the dependant on that day, or the user';
comment on column came_of_age.waits_since is 'since when the consent of the person is outstanding; null once there is one';

drop index concurrently if exists came_of_age_waiting;
create index concurrently came_of_age_waiting on came_of_age (waits_since, person_id) where waits_since is not null;

-- The due day of the last event that a rights request is due; null: none was sent.
alter table rights_requests add column if not exists announced_due_on date;
