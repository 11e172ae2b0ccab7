-- Corrections of a member that a policy follows: who made them and when, for its timeline. Those of dependants stand in the versions of
-- the dependants; a member has none.
create table policy_corrections (
  user_id       text not null,
  policy_id     text not null,
  correction_id text not null,
  actor         text not null,
  request_id    text not null,
  at            timestamptz not null,
  primary key (user_id, policy_id, correction_id)
);
comment on table policy_corrections is 'append-only';
alter table policy_corrections add foreign key (user_id) references users (user_id);
