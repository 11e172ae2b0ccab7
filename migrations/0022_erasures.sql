-- Whose data was asked to be erased, and what is still to be done of it. Nothing here is about the person; once
-- `erased_at` is there, it is a tombstone, by which a restored database forgets again.
create table erasures (
  user_id        text primary key,
  asked_at       timestamptz not null,
  ends_policies  boolean not null,
  erased_at      timestamptz,
  next_at        timestamptz, -- when something is to be done; null when nothing is any more
  ledger_until   date,
  policies_until date
);
create index erasures_due on erasures (next_at) where next_at is not null;

-- So that the kept responses to requests about a person can be found, which are kept by the hash of their key.
alter table idempotency_keys add column user_id text;
create index idempotency_keys_of_user on idempotency_keys (user_id) where user_id is not null;

create index otp_challenges_of_user on otp_challenges (user_id) where user_id is not null;
create index health_cards_of_user on health_cards (user_id);

-- Lists and their totals count nobody who was erased, from the index alone.
drop index users_newest;
drop index users_of_platform;
create index users_newest on users (created_at desc, user_id desc) where data_key is not null;
create index users_of_platform on users (platform_id, created_at desc, user_id desc) where data_key is not null;

alter table erasures add foreign key (user_id) references users (user_id);

-- The program may not delete bookings. This deletes those of an erased user when their term is over, and itself knows the shortest
-- term that the law has for them: five years (Prevention of Money-laundering Act, 2002, section 12).
create function delete_retained_bookings(erased text) returns setof text
  language sql security definer set search_path = banyan, pg_temp
as $$
  with over as (
    select e.user_id
      from erasures e
      join users u on u.user_id = e.user_id and u.data_key is null
     where e.user_id = erased
       and e.erased_at is not null
       and e.ledger_until < now()::date
       and not exists (select from ledger_transactions t
                        where t.user_id = erased and t.created_at > now() - interval '5 years')
  ), entries as (
    delete from ledger_entries l using over o where l.user_id = o.user_id
  ), bookings as (
    delete from ledger_transactions t using over o where t.user_id = o.user_id
  )
  delete from wallets w using over o where w.user_id = o.user_id returning w.user_id
$$;
