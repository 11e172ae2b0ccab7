-- From which networks a health card was checked on a day: one row each, with the entry of the audit that the first check left. A table of its
-- own, because it is erased with the person, and the entry is not.
create table card_checks (
  user_id   text not null check (user_id ~ '^[0-9]{12}$'),
  policy_id text not null,
  member_id text not null,
  day       date not null,
  network   text not null, -- /24 or /48, as the log has it; never the address
  audit_id  text not null,
  primary key (user_id, policy_id, member_id, day, network)
);

-- An entry of the person's access log shows the network.
create unique index card_checks_of_entry on card_checks (user_id, audit_id);
comment on table card_checks is 'never changed';
