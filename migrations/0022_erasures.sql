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

alter table erasures add foreign key (user_id) references users (user_id);
