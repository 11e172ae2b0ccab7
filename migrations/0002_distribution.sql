-- Nothing on a plain PostgreSQL. With Citus: the catalogue on every node, what belongs to a user sharded by user_id,
-- look-ups sharded by their own hash; queues stay local.
do $$
declare
  name text;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  foreach name in array array['platforms', 'benefit_providers', 'credentials', 'sponsors', 'benefits', 'account_providers',
                              'catalogue_status_changes'] loop
    perform create_reference_table(name::regclass);
  end loop;
  perform create_distributed_table('users', 'user_id');
  foreach name in array array['user_providers', 'dependants', 'insurance_policies', 'accounts', 'consultations',
                              'consultation_messages', 'user_status_changes'] loop
    perform create_distributed_table(name::regclass, 'user_id', colocate_with => 'users');
  end loop;
  perform create_distributed_table('user_phones', 'phone_hash');
  perform create_distributed_table('user_id_proofs', 'id_proof_hash');
end
$$;
