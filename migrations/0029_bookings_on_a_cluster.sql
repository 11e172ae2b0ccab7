-- In PL/pgSQL, for a cluster cannot tell which shard is meant by a parameter of a function in SQL. It deletes what it did before, and
-- checks the same.
create or replace function delete_retained_bookings(erased text) returns setof text
language plpgsql security definer set search_path = banyan, pg_temp
as $$
begin
  perform 1
     from erasures e
     join users u on u.user_id = e.user_id and u.data_key is null
    where e.user_id = erased
      and e.erased_at is not null
      and e.ledger_until < now()::date;
  if not found then return; end if;
  perform 1 from ledger_transactions t where t.user_id = erased and t.created_at > now() - interval '5 years' limit 1;
  if found then return; end if;
  delete from ledger_entries l where l.user_id = erased;
  delete from ledger_transactions t where t.user_id = erased;
  return query delete from wallets w where w.user_id = erased returning w.user_id;
end
$$;
