-- Events are read by the platform or the benefit provider that they concern, by all of them together, and by subject, in the
-- order in which their transactions began. Every event that a benefit provider may receive says in its data which one that is.
alter table events add column benefit_provider_id text generated always as (
  coalesce(data ->> 'benefit_provider_id', case when data ->> 'owner_kind' = 'provider' then data ->> 'owner_id' end)
) stored;

drop index events_of_platform;
drop index events_relay;
create index events_in_order on events (xid, event_id);
create index events_of_platform on events (platform_id, xid, event_id);
create index events_of_provider on events (benefit_provider_id, xid, event_id) where benefit_provider_id is not null;
create index events_of_subject on events (subject, xid, event_id);

-- The role of the program may not delete events; through this it deletes those that are older than 30 days, some of the oldest
-- at a time. One of the types that start a job stays until the relay has passed it.
create function delete_old_events(starting_types text[], at_most int) returns setof text
language sql security definer set search_path = banyan, pg_temp
as $$
  delete from events e
   using (select event_id, type, xid, occurred_at from events order by xid, event_id limit at_most) o
   where e.event_id = o.event_id
     and o.occurred_at < now() - interval '30 days'
     and (o.type <> all (starting_types) or o.xid < (select position from relays where relay_name = 'jobs'))
  returning e.event_id
$$;
