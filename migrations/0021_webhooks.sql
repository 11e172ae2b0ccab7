-- Where events are sent to. Whoever owns several has a slot for each, so that two made at once cannot share the last one.
create table webhook_endpoints (
  endpoint_id           text primary key,
  owner_kind            text not null check (owner_kind in ('platform', 'provider', 'administrators')),
  owner_id              text not null,
  slot                  int check (slot between 1 and 20), -- null once it is deleted
  url                   text not null,
  event_types           text[] not null,
  description           text,
  status                text not null check (status in ('ACTIVE', 'DISABLED')),
  disabled_reason       text,
  data_key              text not null,
  secret                text not null, -- sealed, as the one before
  previous_secret       text,
  previous_secret_until timestamptz,
  failing_since         timestamptz, -- null while it takes what comes
  deleted_at            timestamptz, -- its deliveries go first, some at a time
  revision              int not null default 1,
  created_at            timestamptz not null default now(),
  last_modified_at      timestamptz not null default now(),
  constraint webhook_endpoints_slot_of_owner unique (owner_kind, owner_id, slot)
);
create index webhook_endpoints_newest on webhook_endpoints (owner_kind, owner_id, created_at desc, endpoint_id desc);

-- A queue, and the log of what came of it. Has no foreign key: an endpoint with a million of them is deleted at once.
create table webhook_deliveries (
  endpoint_id     text not null,
  event_id        text not null,
  status          text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  tries           int not null default 0, -- since it was last begun
  next_attempt_at timestamptz, -- null when there is none
  attempts        jsonb not null default '[]',
  created_at      timestamptz not null,
  primary key (endpoint_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;

-- What happened before is not sent.
insert into relays (relay_name, position) values ('webhooks', pg_snapshot_xmin(pg_current_snapshot()));

-- One that is sent to webhook endpoints stays, too, until the relay of these has passed it.
drop function delete_old_events(text[], int);
create function delete_old_events(starting_types text[], sent_types text[], at_most int) returns setof text
language sql security definer set search_path = banyan, pg_temp
as $$
  delete from events e
   using (select event_id, type, xid, occurred_at from events order by xid, event_id limit at_most) o
   where e.event_id = o.event_id
     and o.occurred_at < now() - interval '30 days'
     and (o.type <> all (starting_types) or o.xid < (select position from relays where relay_name = 'jobs'))
     and (o.type <> all (sent_types) or o.xid < (select position from relays where relay_name = 'webhooks'))
  returning e.event_id
$$;

do $$
begin
  if not exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  perform create_reference_table('webhook_endpoints');
end
$$;
