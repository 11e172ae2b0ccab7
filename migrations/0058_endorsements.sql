-- The changes of issued policies that wait for their benefit provider, or were decided.
create table policy_endorsements (
  user_id             text not null check (user_id ~ '^[0-9]{12}$'),
  endorsement_id      text not null,
  policy_id           text not null,
  platform_id         text not null,
  benefit_provider_id text not null,
  kind                text not null check (kind in ('JOIN', 'LEAVE', 'CORRECTION', 'NOMINEE', 'END')),
  person_id           text,
  on_day              date not null,
  event               text,
  event_on            date,
  persons_version     integer not null,
  due_on              date not null,
  state               text not null check (state in ('REQUESTED', 'ACCEPTED', 'REFUSED', 'WITHDRAWN')),
  issue               integer,
  provider_reference  text,
  amount_paise        bigint,
  actor               text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null,
  last_modified_at    timestamptz not null,
  primary key (user_id, endorsement_id)
);
alter table policy_endorsements add foreign key (user_id) references users (user_id);
comment on column policy_endorsements.issue is 'the issue that certifies it; null until then';
comment on column policy_endorsements.actor is 'who asked for it';

create index policy_endorsements_by_id on policy_endorsements (endorsement_id);
create index policy_endorsements_changed on policy_endorsements (state, last_modified_at, endorsement_id);
create index policy_endorsements_changed_of_platform on policy_endorsements (platform_id, state, last_modified_at, endorsement_id);
create index policy_endorsements_changed_of_provider on policy_endorsements (benefit_provider_id, state, last_modified_at, endorsement_id);
create index policy_endorsements_due on policy_endorsements (due_on, endorsement_id) where state = 'REQUESTED';
create index policy_endorsements_due_of_provider on policy_endorsements (benefit_provider_id, due_on, endorsement_id)
 where state = 'REQUESTED';
