-- With two million events and more, the planner took the range of a purge for a third of the table and read all of it for each five thousand
-- rows that it deleted. The range has an index, and the function deletes by it now.
create or replace function delete_old_events(starting_types text[], sent_types text[], at_most int) returns setof text
language sql security definer set search_path = banyan, pg_temp set enable_seqscan = off
as $$
  delete from events e
   where e.xid <= coalesce((select xid from events order by xid, event_id offset at_most - 1 limit 1), '18446744073709551615')
     and e.occurred_at < now() - interval '30 days'
     and (e.type <> all (starting_types) or e.xid < (select position from relays where relay_name = 'jobs'))
     and (e.type <> all (sent_types) or e.xid < (select position from relays where relay_name = 'webhooks'))
  returning e.event_id
$$;
