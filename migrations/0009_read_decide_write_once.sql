-- What the relay needs: which transaction an event belongs to, and how far the relay has come. A position passes only
-- transactions that have ended, so no event is skipped however late it commits.
alter table events add column xid xid8 not null default pg_current_xact_id();
create index events_relay on events (xid);

create table relays (
  relay_name text primary key,
  position   xid8 not null
);

-- A response is kept by the statement that does the work, so a key without a response does not exist any more.
delete from idempotency_keys where status is null;
alter table idempotency_keys rename column started_at to stored_at;
alter table idempotency_keys alter column status set not null;
alter table idempotency_keys alter column sealed set not null;
alter index idempotency_keys_started rename to idempotency_keys_stored;

-- Counts enrolments and new versions of dependants: who decides on one has seen all of the other.
alter table users add column cover_revision int not null default 0;

-- The last position of a wallet's transactions stands with its balance; both change together.
alter table wallets add column last_position bigint not null default 0;
update wallets w
   set last_position = (select coalesce(max(t.position), 0) from ledger_transactions t where t.user_id = w.user_id);

-- At most 20 live credentials an owner: each has a slot of its own, so that two made at once cannot share the last one.
alter table credentials add column slot int;
update credentials c
   set slot = n.slot
  from (select credential_id, row_number() over (partition by owner_id order by created_at, credential_id) as slot
          from credentials) n
 where n.credential_id = c.credential_id;
alter table credentials alter column slot set not null;
alter table credentials add constraint credentials_slot check (slot between 1 and 20);
alter table credentials add constraint credentials_slot_of_owner unique (owner_id, slot);

-- Counts the changes of a limit, so that it is used only as it was read.
alter table otp_limits add column revision int not null default 1;
