-- Every end of a policy that was set, and every withdrawal, which has no day. The last row is the one that holds.
create table policy_ends (
  user_id               text not null check (user_id ~ '^[0-9]{12}$'),
  policy_id             text not null,
  end_id                text not null,
  ends_on               date,
  code                  text check (code in ('CANCELLED', 'FREE_LOOK', 'LEFT', 'DEATH', 'UNPAID', 'OTHER')),
  sealed_reason         text,
  refund_days           int check (refund_days >= 0),
  refund_estimate_paise bigint check (refund_estimate_paise >= 0),
  amount_paise          bigint check (amount_paise >= 0), -- the word of the benefit provider
  actor                 text not null,
  at                    timestamptz not null,
  primary key (user_id, policy_id, end_id),
  check ((ends_on is null) = (code is null) and (ends_on is null) = (refund_days is null)
         and (ends_on is null) = (refund_estimate_paise is null))
);
comment on table policy_ends is 'append-only';
