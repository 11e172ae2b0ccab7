-- Notice and consent by the Digital Personal Data Protection Act. The notices of a platform: what it says to people before they consent, in each
-- language. One that a consent names is never changed.
create table consent_notices (
  platform_id      text not null references platforms,
  version          text not null,
  language         text not null,
  items            jsonb not null,
  withdraw_url     text not null,
  rights_url       text not null,
  complaint_url    text not null,
  contact          text not null,
  text             text not null,
  named_at         timestamptz,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (platform_id, version, language)
);
comment on table consent_notices is 'never deleted';
comment on column consent_notices.named_at is 'when a consent first named it; null until then';

-- The consents of people, each for one purpose. One that is withdrawn stays.
create table consents (
  user_id          text not null check (user_id ~ '^[0-9]{12}$'),
  consent_id       text not null,
  platform_id      text not null,
  purpose          text not null check (purpose in ('insurance', 'children', 'care', 'wallet', 'accounts')),
  dependant_id     text,
  notice_version   text not null,
  language         text not null,
  given_by         text not null check (given_by in ('SELF', 'PARENT', 'GUARDIAN')),
  verified_by      text check (verified_by in ('HELD_DETAILS', 'DETAILS_GIVEN', 'TOKEN')),
  basis            text not null check (basis in ('CONSENT', 'NOTICED_BEFORE')),
  proof_sealed     text,
  actor            text not null,
  withdrawn_at     timestamptz,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (user_id, consent_id)
);
alter table consents add foreign key (user_id) references users (user_id);
comment on column consents.actor is 'who recorded it';

-- What people ask of the platform by the same Act, and by when it responds.
create table rights_requests (
  user_id          text not null check (user_id ~ '^[0-9]{12}$'),
  request_id       text not null,
  platform_id      text not null,
  kind             text not null check (kind in ('ACCESS', 'CORRECTION', 'ERASURE', 'NOMINATION', 'GRIEVANCE')),
  dependant_id     text,
  text_sealed      text not null,
  state            text not null check (state in ('RECEIVED', 'IN_PROGRESS', 'ANSWERED', 'REFUSED')),
  due_on           date not null,
  actor            text not null,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  primary key (user_id, request_id)
);
alter table rights_requests add foreign key (user_id) references users (user_id);

-- What waits for the platform, by when it is due.
create index rights_requests_due on rights_requests (due_on, request_id) where state in ('RECEIVED', 'IN_PROGRESS');
