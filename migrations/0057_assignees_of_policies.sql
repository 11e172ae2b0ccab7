-- Who of a desk, or which administrator, has taken up a policy. A table of its own: it is no part of the policy, makes no new version of it, and
-- no partner has an event of it.
create table policy_assignees (
  user_id          text not null check (user_id ~ '^[0-9]{12}$'),
  policy_id        text not null,
  administrator_id text not null,
  assigned_at      timestamptz not null,
  primary key (user_id, policy_id)
);

-- The work of one person.
create index policy_assignees_of_administrator on policy_assignees (administrator_id);
