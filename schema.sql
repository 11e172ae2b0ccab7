-- What the migrations add up to. Made by `npm run generate`; never edited.
-- Tables by name; foreign keys last, because tables come before what points at them.

CREATE OR REPLACE FUNCTION banyan.log_position(transaction xid8)
 RETURNS xid8
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$select transaction$function$;

create table account_numbers (
  external_account_id text not null,
  account_provider_id text not null,
  user_id             text not null,
  account_id          text not null,
  constraint account_numbers_pkey primary key (external_account_id, account_provider_id),
  constraint account_numbers_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table account_numbers is 'never changed';
create index account_numbers_of_user on account_numbers (user_id);

create table account_providers (
  account_provider_id text not null,
  name                text not null,
  status              text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  constraint account_providers_pkey primary key (account_provider_id),
  constraint account_providers_status_check check ((status = any (array['active'::text, 'inactive'::text])))
);
comment on table account_providers is 'never deleted';
create index account_providers_newest on account_providers (created_at desc, account_provider_id desc);

create table accounts (
  user_id             text not null,
  account_id          text not null,
  account_type        text not null,
  status              text not null,
  external_account_id text,
  ifsc_code           text,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  account_provider_id text,
  platform_id         text,
  has_number          boolean,
  constraint accounts_pkey primary key (user_id, account_id),
  constraint accounts_account_type_check check ((account_type = any (array['SAVINGS'::text, 'HSA'::text, 'EDUCATION'::text, 'SPONSOR'::text]))),
  constraint accounts_check check (((status <> 'ACTIVE'::text) or (external_account_id is not null))),
  constraint accounts_status_check check ((status = any (array['PENDING'::text, 'ACTIVE'::text, 'INACTIVE'::text])))
);
create index accounts_changed on accounts (status, last_modified_at);
create index accounts_changed_of_platform on accounts (platform_id, status, last_modified_at);
create index accounts_newest on accounts (user_id, created_at desc, account_id desc);
create index accounts_number_unknown on accounts (created_at) where ((external_account_id is not null) and (has_number is null));
create unique index accounts_one_of_a_type on accounts (user_id, account_type) where (status <> 'INACTIVE'::text);
create index accounts_pending on accounts (created_at) where (status = 'PENDING'::text);
create index accounts_without_platform on accounts (user_id) where (platform_id is null);

create table administrator_sessions (
  session_id       text not null,
  administrator_id text not null,
  secret_hash      bytea not null,
  role             text not null,
  sealed           text not null,
  created_at       timestamptz not null,
  last_seen_at     timestamptz not null,
  expires_at       timestamptz not null,
  ended_at         timestamptz,
  owner_id         text,
  epoch            integer,
  constraint administrator_sessions_pkey primary key (session_id),
  constraint administrator_sessions_role_check check ((role = any (array['viewer'::text, 'operator'::text, 'owner'::text, 'platform'::text, 'provider'::text])))
);
create index administrator_sessions_administrator on administrator_sessions (administrator_id);
create index administrator_sessions_expires on administrator_sessions (expires_at);
create unique index administrator_sessions_secret on administrator_sessions (secret_hash);

create table administrators (
  administrator_id text not null,
  subject_hash     bytea not null,
  data_key         text not null,
  sealed           text not null,
  role             text not null,
  status           text not null,
  last_seen_at     timestamptz not null,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  hash_key         text,
  owner_id         text,
  constraint administrators_pkey primary key (administrator_id),
  constraint administrators_role_check check ((role = any (array['viewer'::text, 'operator'::text, 'owner'::text, 'platform'::text, 'provider'::text]))),
  constraint administrators_status_check check ((status = any (array['ACTIVE'::text, 'DISABLED'::text])))
);
comment on table administrators is 'never deleted';
create unique index administrators_subject on administrators (subject_hash);

create table audit_archives (
  archive_id   text not null,
  first_number bigint not null,
  last_number  bigint not null,
  data_key     text not null,
  archived_at  timestamptz,
  constraint audit_archives_pkey primary key (archive_id)
);
comment on table audit_archives is 'never deleted';

create table audit_batches (
  number        bigint not null,
  last_xid      xid8 not null,
  last_audit_id text not null,
  entry_count   integer not null,
  hash          text not null,
  signature     text not null,
  at            timestamptz not null,
  version       integer,
  constraint audit_batches_pkey primary key (number)
);
comment on table audit_batches is 'append-only';

create table audit_entries (
  audit_id      text not null,
  xid           xid8 not null default log_position(pg_current_xact_id()),
  at            timestamptz not null,
  actor         text not null,
  operation     text not null,
  action        text not null,
  subject       text,
  user_id       text,
  request_id    text not null,
  purpose       text,
  credential_id text,
  constraint audit_entries_pkey primary key (xid, audit_id),
  constraint audit_entries_action_check check ((action = any (array['read'::text, 'change'::text, 'revoke'::text, 'token'::text])))
);
comment on table audit_entries is 'append-only';
create index audit_entries_of_credential on audit_entries (credential_id, subject, xid, audit_id) where ((user_id is null) and (credential_id is not null));
create index audit_entries_of_person on audit_entries (actor, xid, audit_id) where (strpos(actor, ':adm_'::text) > 0);
create index audit_entries_of_user on audit_entries (user_id, xid, audit_id) where (user_id is not null);

create table audit_writes (
  batch_id   text not null,
  written_at timestamptz not null default now(),
  constraint audit_writes_pkey primary key (batch_id)
);
comment on table audit_writes is 'never changed';
create index audit_writes_written on audit_writes (written_at);

create table benefit_providers (
  benefit_provider_id text not null,
  name                text not null,
  code                text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  address             jsonb,
  colour              text,
  constraint benefit_providers_pkey primary key (benefit_provider_id),
  constraint benefit_providers_code unique (code)
);
comment on table benefit_providers is 'never deleted';
create index benefit_providers_newest on benefit_providers (created_at desc, benefit_provider_id desc);

create table benefits (
  benefit_id          text not null,
  benefit_provider_id text not null,
  sponsor_id          text not null,
  platform_id         text not null,
  name                text not null,
  status              text not null,
  plans               jsonb not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  constraint benefits_pkey primary key (benefit_id),
  constraint benefits_status_check check ((status = any (array['ACTIVE'::text, 'ARCHIVED'::text])))
);
comment on table benefits is 'never deleted';
create index benefits_newest on benefits (created_at desc, benefit_id desc);
create index benefits_of_platform on benefits (platform_id, created_at desc, benefit_id desc);
create index benefits_of_provider on benefits (benefit_provider_id, created_at desc, benefit_id desc);
create index benefits_of_sponsor on benefits (sponsor_id, benefit_provider_id);

create table came_of_age (
  user_id     text not null,
  first_id    text not null,
  person_id   text not null,
  waits_since timestamptz,
  created_at  timestamptz not null,
  constraint came_of_age_pkey primary key (user_id, first_id),
  constraint came_of_age_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
create index came_of_age_waiting on came_of_age (waits_since, person_id) where (waits_since is not null);

create table card_checks (
  user_id   text not null,
  policy_id text not null,
  member_id text not null,
  day       date not null,
  network   text not null,
  audit_id  text not null,
  constraint card_checks_pkey primary key (user_id, policy_id, member_id, day, network),
  constraint card_checks_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table card_checks is 'never changed';
create unique index card_checks_of_entry on card_checks (user_id, audit_id);

create table catalogue_status_changes (
  entity_id   text not null,
  change_id   text not null,
  from_status text,
  to_status   text not null,
  actor       text not null,
  request_id  text not null,
  reason      text,
  at          timestamptz not null default clock_timestamp(),
  constraint catalogue_status_changes_pkey primary key (entity_id, change_id)
);
comment on table catalogue_status_changes is 'append-only';

create table comparison_differences (
  comparison_id text not null,
  position      integer not null,
  difference    text not null,
  row_number    integer,
  column_name   text,
  user_id       text,
  policy_id     text,
  person_id     text,
  created_at    timestamptz not null default now(),
  entry_id      text,
  constraint comparison_differences_pkey primary key (comparison_id, "position"),
  constraint comparison_differences_position_check check (("position" >= 0)),
  constraint comparison_differences_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table comparison_differences is 'never changed';
create index comparison_differences_aging on comparison_differences (created_at);
create index comparison_differences_of_user on comparison_differences (user_id) where (user_id is not null);

create table comparisons (
  comparison_id        text not null,
  kind                 text not null,
  platform_id          text,
  benefit_provider_id  text,
  master_policy_number text,
  on_day               date not null,
  row_count            integer not null,
  person_count         integer,
  counts               jsonb not null,
  revision             integer not null default 1,
  created_at           timestamptz not null,
  last_modified_at     timestamptz not null,
  sponsor_id           text,
  deposit_provider_id  text,
  from_day             date,
  entry_count          integer,
  constraint comparisons_pkey primary key (comparison_id),
  constraint comparisons_kind_check check ((kind = any (array['members'::text, 'deposit'::text])))
);
comment on table comparisons is 'never changed';
create index comparisons_aging on comparisons (last_modified_at);

create table consent_notices (
  platform_id      text not null,
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
  constraint consent_notices_pkey primary key (platform_id, version, language)
);
comment on table consent_notices is 'never deleted';

create table consents (
  user_id          text not null,
  consent_id       text not null,
  platform_id      text not null,
  purpose          text not null,
  dependant_id     text,
  notice_version   text not null,
  language         text not null,
  given_by         text not null,
  verified_by      text,
  basis            text not null,
  proof_sealed     text,
  actor            text not null,
  withdrawn_at     timestamptz,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  look_on          date,
  ended_at         timestamptz,
  waits_since      timestamptz,
  constraint consents_pkey primary key (user_id, consent_id),
  constraint consents_basis_check check ((basis = any (array['CONSENT'::text, 'NOTICED_BEFORE'::text]))),
  constraint consents_given_by_check check ((given_by = any (array['SELF'::text, 'PARENT'::text, 'GUARDIAN'::text]))),
  constraint consents_purpose_check check ((purpose = any (array['insurance'::text, 'children'::text, 'care'::text, 'wallet'::text, 'accounts'::text]))),
  constraint consents_user_id_check check ((user_id ~ '^[0-9]{12}$'::text)),
  constraint consents_verified_by_check check ((verified_by = any (array['HELD_DETAILS'::text, 'DETAILS_GIVEN'::text, 'TOKEN'::text])))
);
create index consents_to_end on consents (coalesce(look_on, '2000-01-01'::date), consent_id) where ((given_by <> 'SELF'::text) and (withdrawn_at is null) and (ended_at is null));
create index consents_waiting on consents (waits_since, consent_id) where (waits_since is not null);

create table consultation_messages (
  user_id         text not null,
  consultation_id text not null,
  message_id      text not null,
  sealed          text not null,
  created_at      timestamptz not null default now(),
  constraint consultation_messages_pkey primary key (user_id, consultation_id, message_id)
);
comment on table consultation_messages is 'never changed';
create index consultation_messages_oldest on consultation_messages (user_id, consultation_id, created_at, message_id);

create table consultations (
  user_id             text not null,
  consultation_id     text not null,
  benefit_provider_id text not null,
  status              text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  slot                integer,
  platform_id         text,
  last_message_at     timestamptz,
  awaits_provider     boolean not null default true,
  constraint consultations_pkey primary key (user_id, consultation_id),
  constraint consultations_status_check check ((status = any (array['OPEN'::text, 'CLOSED'::text])))
);
create index consultations_changed on consultations (status, greatest(last_modified_at, last_message_at));
create index consultations_changed_of_platform on consultations (platform_id, status, greatest(last_modified_at, last_message_at));
create index consultations_changed_of_provider on consultations (benefit_provider_id, status, greatest(last_modified_at, last_message_at));
create index consultations_newest on consultations (user_id, created_at desc, consultation_id desc);
create unique index consultations_open_slot on consultations (user_id, slot) where (status = 'OPEN'::text);
create index consultations_without_platform on consultations (user_id) where (platform_id is null);

create table credentials (
  credential_id text not null,
  owner_kind    text not null,
  owner_id      text not null,
  secret_hash   bytea not null,
  created_at    timestamptz not null default now(),
  slot          integer not null,
  expires_at    timestamptz,
  ip_allow_list text[],
  last_used_at  timestamptz,
  constraint credentials_pkey primary key (credential_id),
  constraint credentials_slot_of_owner unique (owner_id, slot),
  constraint credentials_owner_kind_check check ((owner_kind = any (array['platform'::text, 'provider'::text]))),
  constraint credentials_slot check (((slot >= 1) and (slot <= 20)))
);

create table dependants (
  user_id             text not null,
  dependant_id        text not null,
  previous_version_id text,
  superseded_at       timestamptz,
  identity_hash       bytea not null,
  sealed              text not null,
  revision            integer not null default 1,
  created_at          timestamptz not null default now(),
  last_modified_at    timestamptz not null default now(),
  actor               text,
  hash_key            text,
  corrected_fields    text[],
  constraint dependants_pkey primary key (user_id, dependant_id)
);
create unique index dependants_identity on dependants (user_id, identity_hash) where (superseded_at is null);
create unique index dependants_one_successor on dependants (user_id, previous_version_id) where (previous_version_id is not null);

create table deposit_entries (
  entry_id            text not null,
  sponsor_id          text not null,
  benefit_provider_id text not null,
  kind                text not null,
  amount_paise        bigint not null,
  on_day              date not null,
  reference           text,
  user_id             text,
  policy_id           text,
  endorsement_id      text,
  actor               text not null,
  created_at          timestamptz not null,
  constraint deposit_entries_pkey primary key (entry_id),
  constraint deposit_entries_amount_paise_check check ((amount_paise <> 0)),
  constraint deposit_entries_check check (((kind = any (array['TOP_UP'::text, 'REVERSAL'::text])) = (reference is not null))),
  constraint deposit_entries_check1 check (((kind = any (array['TOP_UP'::text, 'REVERSAL'::text])) = (policy_id is null))),
  constraint deposit_entries_kind_check check ((kind = any (array['TOP_UP'::text, 'REVERSAL'::text, 'PREMIUM'::text, 'ENDORSEMENT'::text, 'END'::text]))),
  constraint deposit_entries_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table deposit_entries is 'append-only';
create index deposit_entries_by_day on deposit_entries (sponsor_id, benefit_provider_id, on_day) include (amount_paise);
create index deposit_entries_of_deposit on deposit_entries (sponsor_id, benefit_provider_id, entry_id);
create index deposit_entries_of_policy on deposit_entries (policy_id) where (policy_id is not null);
create unique index deposit_entries_reference on deposit_entries (sponsor_id, benefit_provider_id, reference) where (reference is not null);

create table deposits (
  sponsor_id          text not null,
  benefit_provider_id text not null,
  balance_paise       bigint not null default 0,
  low_below_paise     bigint,
  crossed_at          timestamptz,
  revision            integer not null default 1,
  created_at          timestamptz not null,
  last_modified_at    timestamptz not null,
  constraint deposits_pkey primary key (sponsor_id, benefit_provider_id),
  constraint deposits_low_below_paise_check check ((low_below_paise > 0))
);
comment on table deposits is 'never deleted';
create index deposits_below_zero on deposits (last_modified_at, sponsor_id) where (balance_paise < 0);
create index deposits_crossed on deposits (crossed_at) where (crossed_at is not null);

create table erasure_holds (
  user_id          text not null,
  held_until       date not null,
  key_id           text not null,
  wrapped_key      text not null,
  sealed           text not null,
  reference_sealed text,
  id_proof_last4   text,
  constraint erasure_holds_pkey primary key (user_id),
  constraint erasure_holds_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table erasure_holds is 'never changed';
create index erasure_holds_over on erasure_holds (held_until);

create table erasures (
  user_id        text not null,
  asked_at       timestamptz not null,
  ends_policies  boolean not null,
  erased_at      timestamptz,
  next_at        timestamptz,
  ledger_until   date,
  policies_until date,
  constraint erasures_pkey primary key (user_id)
);
create index erasures_due on erasures (next_at) where (next_at is not null);

create table events (
  event_id            text not null,
  type                text not null,
  platform_id         text,
  subject             text not null,
  data                jsonb not null,
  occurred_at         timestamptz not null default clock_timestamp(),
  xid                 xid8 not null default log_position(pg_current_xact_id()),
  benefit_provider_id text generated always as (COALESCE((data ->> 'benefit_provider_id'::text),
CASE
    WHEN ((data ->> 'owner_kind'::text) = 'provider'::text) THEN (data ->> 'owner_id'::text)
    ELSE NULL::text
END)) stored,
  traceparent         text,
  constraint events_pkey primary key (event_id)
);
comment on table events is 'append-only';
create index events_in_order on events (xid, event_id);
create index events_of_platform on events (platform_id, xid, event_id);
create index events_of_provider on events (benefit_provider_id, xid, event_id) where (benefit_provider_id is not null);
create index events_of_subject on events (subject, xid, event_id);

create table files_to_delete (
  file_id text not null,
  due_at  timestamptz not null,
  constraint files_to_delete_pkey primary key (file_id)
);
comment on table files_to_delete is 'never changed';
create index files_to_delete_due on files_to_delete (due_at);

create table health_cards (
  card_hash bytea not null,
  user_id   text not null,
  policy_id text not null,
  member_id text not null,
  constraint health_cards_pkey primary key (card_hash),
  constraint health_cards_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table health_cards is 'never changed';
create index health_cards_of_user on health_cards (user_id);

create table idempotency_keys (
  key_hash       bytea not null,
  request_digest bytea not null,
  stored_at      timestamptz not null,
  status         integer not null,
  sealed         text not null,
  user_id        text,
  constraint idempotency_keys_pkey primary key (key_hash)
);
comment on table idempotency_keys is 'never changed';
create index idempotency_keys_of_user on idempotency_keys (user_id) where (user_id is not null);
create index idempotency_keys_stored on idempotency_keys (stored_at);

create table import_chunks (
  upload_id  text not null,
  chunk      integer not null,
  sealed     text not null,
  created_at timestamptz not null,
  constraint import_chunks_pkey primary key (upload_id, chunk),
  constraint import_chunks_chunk_check check ((chunk >= 0))
);
comment on table import_chunks is 'never changed';
create index import_chunks_aging on import_chunks (created_at);

create table import_rows (
  import_id   text not null,
  row_number  integer not null,
  position    integer not null,
  outcome     text not null,
  column_name text,
  code        text,
  detail      text,
  user_id     text,
  record_id   text,
  created_at  timestamptz not null default now(),
  constraint import_rows_pkey primary key (import_id, row_number, "position"),
  constraint import_rows_check check (((outcome = 'DONE'::text) = (code is null))),
  constraint import_rows_outcome_check check ((outcome = any (array['DONE'::text, 'REJECTED'::text, 'LOST'::text]))),
  constraint import_rows_position_check check (("position" >= 0)),
  constraint import_rows_row_number_check check ((row_number > 0)),
  constraint import_rows_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table import_rows is 'never changed';
create index import_rows_aging on import_rows (created_at);

create table imports (
  import_id        text not null,
  platform_id      text not null,
  kind             text not null,
  check_only       boolean not null,
  state            text not null,
  file_hash        bytea not null,
  upload_id        text not null,
  data_key         text,
  person           text,
  row_count        integer not null,
  chunk_count      integer not null,
  checked_chunks   integer not null default 0,
  written_chunks   integer not null default 0,
  checked_rows     integer not null default 0,
  rejected_rows    integer not null default 0,
  done_rows        integer not null default 0,
  lost_rows        integer not null default 0,
  busy_ms          bigint not null default 0,
  sent_at          timestamptz not null,
  worked_at        timestamptz,
  finished_at      timestamptz,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  constraint imports_pkey primary key (import_id),
  constraint imports_check check (((checked_chunks >= 0) and (checked_chunks <= chunk_count))),
  constraint imports_check1 check (((written_chunks >= 0) and (written_chunks <= checked_chunks))),
  constraint imports_chunk_count_check check ((chunk_count > 0)),
  constraint imports_kind_check check ((kind = any (array['users'::text, 'enrolments'::text, 'members'::text, 'ends'::text]))),
  constraint imports_row_count_check check ((row_count > 0)),
  constraint imports_state_check check ((state = any (array['CHECKING'::text, 'WRITING'::text, 'DONE'::text, 'STOPPED'::text])))
);
create index imports_aging on imports (last_modified_at);
create unique index imports_of_file on imports (platform_id, kind, check_only, file_hash);
create index imports_unfinished on imports (worked_at nulls first) where (state = any (array['CHECKING'::text, 'WRITING'::text]));

create table insurance_policies (
  user_id               text not null,
  policy_id             text not null,
  benefit_id            text not null,
  benefit_provider_id   text not null,
  plan_code             text not null,
  status                text not null,
  dependant_ids         text[] not null,
  nominee_dependant_id  text,
  start_date            date not null,
  end_date              date not null,
  term_months           integer not null,
  renewal_window_days   integer not null,
  grace_days            integer not null,
  currency              text not null,
  premium_annual_paise  bigint not null,
  premium_daily_paise   bigint not null,
  premium_sponsor_paise bigint not null,
  external_policy_id    text,
  master_policy_number  text,
  sealed                text,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  last_modified_at      timestamptz not null default now(),
  grace_until           date,
  next_move_on          date,
  issue                 integer not null default 0,
  issued_dependant_ids  text[],
  covered_from          date,
  begins_cover          boolean not null default false,
  platform_id           text,
  persons_version       integer not null default 0,
  persons_seen          integer not null default 0,
  status_since          timestamptz,
  is_sent_back          boolean not null default false,
  grace_cover           text not null default 'FULL'::text,
  terms_from            date,
  ends_on               date,
  ends_from             date,
  member_days           jsonb,
  notices_from          date,
  announced_due_on      date,
  constraint insurance_policies_pkey primary key (user_id, policy_id),
  constraint insurance_policies_check check ((start_date <= end_date)),
  constraint insurance_policies_grace_cover_check check ((grace_cover = any (array['FULL'::text, 'NONE'::text]))),
  constraint insurance_policies_premium_annual_paise_check check ((premium_annual_paise >= 0)),
  constraint insurance_policies_premium_daily_paise_check check ((premium_daily_paise >= 0)),
  constraint insurance_policies_premium_sponsor_paise_check check ((premium_sponsor_paise >= 0)),
  constraint insurance_policies_status_check check ((status = any (array['PENDING'::text, 'VERIFICATION'::text, 'APPROVED'::text, 'ISSUED'::text, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'::text, 'REQUIRES_POLICY_REISSUANCE'::text, 'REQUIRES_CUSTOMER_RENEWAL'::text, 'EXPIRED'::text, 'REJECTED'::text])))
);
comment on table insurance_policies is 'never deleted';
create index insurance_policies_changed on insurance_policies (status, last_modified_at);
create index insurance_policies_changed_of_benefit on insurance_policies (benefit_id, status, last_modified_at);
create index insurance_policies_changed_of_platform on insurance_policies (platform_id, status, last_modified_at);
create index insurance_policies_changed_of_provider on insurance_policies (benefit_provider_id, status, last_modified_at);
create index insurance_policies_due on insurance_policies (next_move_on) where (next_move_on is not null);
create unique index insurance_policies_enrolment on insurance_policies (user_id, benefit_id, plan_code, start_date) where (status <> all (array['EXPIRED'::text, 'REJECTED'::text]));
create index insurance_policies_listed_due on insurance_policies (status, next_move_on, policy_id) where (next_move_on is not null);
create index insurance_policies_listed_due_of_platform on insurance_policies (platform_id, status, next_move_on, policy_id) where (next_move_on is not null);
create index insurance_policies_listed_due_of_provider on insurance_policies (benefit_provider_id, status, next_move_on, policy_id) where (next_move_on is not null);
create index insurance_policies_next_actions on insurance_policies ((
case
    when (status = 'REQUIRES_CUSTOMER_RENEWAL'::text) then
    case
        when (ends_on is null) then 'renewal'::text
        else null::text
    end
    when (status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'::text) then 'grace'::text
    when ((status = 'PENDING'::text) and is_sent_back) then
    case
        when (issue = 0) then 'sent_back'::text
        else 'sent_back_in_grace'::text
    end
    when ((issue = 0) and (status <> 'APPROVED'::text)) then 'decision'::text
    when ((issue = 0) or begins_cover) then 'issue'::text
    else 'correction'::text
end), (
case
    when (status = 'REQUIRES_CUSTOMER_RENEWAL'::text) then end_date
    when ((status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'::text) or ((status = 'PENDING'::text) and is_sent_back and (issue > 0))) then least(grace_until, ends_on)
    when ((issue = 0) and (status <> 'APPROVED'::text) and (not ((status = 'PENDING'::text) and is_sent_back))) then ((created_at at time zone 'Asia/Kolkata'::text))::date
    else ((coalesce(status_since, created_at) at time zone 'Asia/Kolkata'::text))::date
end), policy_id) where (status <> all (array['ISSUED'::text, 'EXPIRED'::text, 'REJECTED'::text]));
create index insurance_policies_next_actions_of_provider on insurance_policies (benefit_provider_id, (
case
    when (status = 'REQUIRES_CUSTOMER_RENEWAL'::text) then
    case
        when (ends_on is null) then 'renewal'::text
        else null::text
    end
    when (status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'::text) then 'grace'::text
    when ((status = 'PENDING'::text) and is_sent_back) then
    case
        when (issue = 0) then 'sent_back'::text
        else 'sent_back_in_grace'::text
    end
    when ((issue = 0) and (status <> 'APPROVED'::text)) then 'decision'::text
    when ((issue = 0) or begins_cover) then 'issue'::text
    else 'correction'::text
end), (
case
    when (status = 'REQUIRES_CUSTOMER_RENEWAL'::text) then end_date
    when ((status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'::text) or ((status = 'PENDING'::text) and is_sent_back and (issue > 0))) then least(grace_until, ends_on)
    when ((issue = 0) and (status <> 'APPROVED'::text) and (not ((status = 'PENDING'::text) and is_sent_back))) then ((created_at at time zone 'Asia/Kolkata'::text))::date
    else ((coalesce(status_since, created_at) at time zone 'Asia/Kolkata'::text))::date
end), policy_id) where (status <> all (array['ISSUED'::text, 'EXPIRED'::text, 'REJECTED'::text]));
create index insurance_policies_notices on insurance_policies (coalesce(notices_from, start_date)) where ((coalesce(notices_from, start_date) <= end_date) and (((status = 'REQUIRES_CUSTOMER_RENEWAL'::text) and (ends_on is null)) or ((notices_from <= start_date) and (start_date > covered_from) and (not begins_cover) and ((ends_on is null) or (ends_on >= start_date)) and (status <> all (array['EXPIRED'::text, 'REJECTED'::text])))));
create index insurance_policies_of_benefit on insurance_policies (benefit_id) where (status <> all (array['EXPIRED'::text, 'REJECTED'::text]));
create index insurance_policies_of_master on insurance_policies (master_policy_number, last_modified_at) where (master_policy_number is not null);
create index insurance_policies_of_number on insurance_policies (external_policy_id) where (external_policy_id is not null);
create index insurance_policies_of_reference on insurance_policies ("right"(policy_id, 12));
create index insurance_policies_sent_back on insurance_policies (status, coalesce(status_since, created_at)) where is_sent_back;
create index insurance_policies_waiting on insurance_policies (status, coalesce(status_since, created_at)) where (status <> all (array['ISSUED'::text, 'EXPIRED'::text, 'REJECTED'::text]));
create index insurance_policies_waiting_of_provider on insurance_policies (benefit_provider_id, status, coalesce(status_since, created_at)) where (status <> all (array['ISSUED'::text, 'EXPIRED'::text, 'REJECTED'::text]));
create index insurance_policies_without_platform on insurance_policies (user_id) where (platform_id is null);

create table key_fingerprints (
  key_name    text not null,
  fingerprint bytea not null,
  since       timestamptz not null default now(),
  constraint key_fingerprints_pkey primary key (key_name)
);
comment on table key_fingerprints is 'append-only';

create table leases (
  lease_name text not null,
  holder     text not null,
  held_until timestamptz not null,
  constraint leases_pkey primary key (lease_name)
);

create table ledger_entries (
  user_id        text not null,
  transaction_id text not null,
  ledger_account text not null,
  amount_paise   bigint not null,
  constraint ledger_entries_pkey primary key (user_id, transaction_id, ledger_account),
  constraint ledger_entries_amount_paise_check check ((amount_paise <> 0)),
  constraint ledger_entries_ledger_account_check check ((ledger_account = any (array['WALLET'::text, 'PLATFORM_FLOAT'::text])))
);
comment on table ledger_entries is 'append-only';

create table ledger_transactions (
  user_id             text not null,
  transaction_id      text not null,
  transaction_type    text not null,
  amount_paise        bigint not null,
  balance_after_paise bigint not null,
  position            bigint not null,
  reference           text not null,
  sealed              text,
  actor               text not null,
  created_at          timestamptz not null default now(),
  refund_of           text,
  constraint ledger_transactions_pkey primary key (user_id, transaction_id),
  constraint ledger_transactions_position unique (user_id, "position"),
  constraint ledger_transactions_reference unique (user_id, reference),
  constraint ledger_transactions_amount_paise_check check (((amount_paise >= 1) and (amount_paise <= '9007199254740991'::bigint))),
  constraint ledger_transactions_balance_after_paise_check check (((balance_after_paise >= 0) and (balance_after_paise <= '9007199254740991'::bigint))),
  constraint ledger_transactions_transaction_type_check check ((transaction_type = any (array['CREDIT'::text, 'DEBIT'::text])))
);
comment on table ledger_transactions is 'append-only';
create index ledger_transactions_refunds on ledger_transactions (user_id, refund_of) where (refund_of is not null);

create table message_counts (
  user_id text not null,
  day     date not null,
  written integer not null,
  constraint message_counts_pkey primary key (user_id)
);

create table operator_events (
  event_id    text not null,
  received_at timestamptz not null default now(),
  content     text,
  constraint operator_events_pkey primary key (event_id)
);
comment on table operator_events is 'never changed';
create index operator_events_received on operator_events (received_at);

create table otp_challenges (
  challenge_id text not null,
  user_id      text,
  platform_id  text not null,
  code_hmac    bytea not null,
  wrong_codes  integer not null default 0,
  used_at      timestamptz,
  expires_at   timestamptz not null,
  created_at   timestamptz not null,
  sent_at      timestamptz,
  failed_at    timestamptz,
  voided_at    timestamptz,
  constraint otp_challenges_pkey primary key (challenge_id),
  constraint otp_challenges_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
create index otp_challenges_expired on otp_challenges (expires_at);
create index otp_challenges_of_user on otp_challenges (user_id) where (user_id is not null);

create table otp_limits (
  limit_key           bytea not null,
  sent_at_ms          bigint[] not null,
  seen_at             timestamptz not null,
  revision            integer not null default 1,
  refused_at          timestamptz,
  retry_at            timestamptz,
  refused_platform_id text,
  constraint otp_limits_pkey primary key (limit_key)
);
create index otp_limits_seen on otp_limits (seen_at);

create table platform_access (
  platform_id   text not null,
  is_active     boolean not null,
  epoch         integer not null,
  web_origins   text[] not null default '{}'::text[],
  wallet_limits jsonb not null default '[]'::jsonb,
  consent_rules jsonb not null default '{}'::jsonb,
  constraint platform_access_pkey primary key (platform_id)
);
comment on table platform_access is 'never deleted';

create table platforms (
  platform_id          text not null,
  name                 text not null,
  status               text not null,
  default_account_type text not null,
  revision             integer not null default 1,
  created_at           timestamptz not null default now(),
  last_modified_at     timestamptz not null default now(),
  constraint platforms_pkey primary key (platform_id),
  constraint platforms_default_account_type_check check ((default_account_type = any (array['SAVINGS'::text, 'HSA'::text, 'EDUCATION'::text, 'SPONSOR'::text]))),
  constraint platforms_status_check check ((status = any (array['ACTIVE'::text, 'INACTIVE'::text])))
);
comment on table platforms is 'never deleted';
create index platforms_newest on platforms (created_at desc, platform_id desc);

create table policy_assignees (
  user_id          text not null,
  policy_id        text not null,
  administrator_id text not null,
  assigned_at      timestamptz not null,
  constraint policy_assignees_pkey primary key (user_id, policy_id),
  constraint policy_assignees_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
create index policy_assignees_of_administrator on policy_assignees (administrator_id);

create table policy_corrections (
  user_id       text not null,
  policy_id     text not null,
  correction_id text not null,
  actor         text not null,
  request_id    text not null,
  at            timestamptz not null,
  fields        text[],
  constraint policy_corrections_pkey primary key (user_id, policy_id, correction_id)
);
comment on table policy_corrections is 'append-only';

create table policy_endorsements (
  user_id               text not null,
  endorsement_id        text not null,
  policy_id             text not null,
  platform_id           text not null,
  benefit_provider_id   text not null,
  kind                  text not null,
  person_id             text,
  on_day                date not null,
  event                 text,
  event_on              date,
  persons_version       integer not null,
  due_on                date not null,
  state                 text not null,
  issue                 integer,
  provider_reference    text,
  amount_paise          bigint,
  actor                 text not null,
  revision              integer not null default 1,
  created_at            timestamptz not null,
  last_modified_at      timestamptz not null,
  refund_days           integer,
  refund_estimate_paise bigint,
  announced_due_on      date,
  constraint policy_endorsements_pkey primary key (user_id, endorsement_id),
  constraint policy_endorsements_kind_check check ((kind = any (array['JOIN'::text, 'LEAVE'::text, 'CORRECTION'::text, 'NOMINEE'::text, 'END'::text]))),
  constraint policy_endorsements_state_check check ((state = any (array['REQUESTED'::text, 'ACCEPTED'::text, 'REFUSED'::text, 'WITHDRAWN'::text]))),
  constraint policy_endorsements_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
create index policy_endorsements_by_id on policy_endorsements (endorsement_id);
create index policy_endorsements_changed on policy_endorsements (state, last_modified_at, endorsement_id);
create index policy_endorsements_changed_of_platform on policy_endorsements (platform_id, state, last_modified_at, endorsement_id);
create index policy_endorsements_changed_of_policy on policy_endorsements (policy_id, state, last_modified_at, endorsement_id);
create index policy_endorsements_changed_of_provider on policy_endorsements (benefit_provider_id, state, last_modified_at, endorsement_id);
create index policy_endorsements_due on policy_endorsements (due_on, endorsement_id) where (state = 'REQUESTED'::text);
create index policy_endorsements_due_of_provider on policy_endorsements (benefit_provider_id, due_on, endorsement_id) where (state = 'REQUESTED'::text);

create table policy_ends (
  user_id               text not null,
  policy_id             text not null,
  end_id                text not null,
  ends_on               date,
  code                  text,
  sealed_reason         text,
  refund_days           integer,
  refund_estimate_paise bigint,
  amount_paise          bigint,
  actor                 text not null,
  at                    timestamptz not null,
  constraint policy_ends_pkey primary key (user_id, policy_id, end_id),
  constraint policy_ends_amount_paise_check check ((amount_paise >= 0)),
  constraint policy_ends_check check ((((ends_on is null) = (code is null)) and ((ends_on is null) = (refund_days is null)) and ((ends_on is null) = (refund_estimate_paise is null)))),
  constraint policy_ends_code_check check ((code = any (array['CANCELLED'::text, 'FREE_LOOK'::text, 'LEFT'::text, 'DEATH'::text, 'UNPAID'::text, 'OTHER'::text]))),
  constraint policy_ends_refund_days_check check ((refund_days >= 0)),
  constraint policy_ends_refund_estimate_paise_check check ((refund_estimate_paise >= 0)),
  constraint policy_ends_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table policy_ends is 'append-only';

create table policy_files (
  user_id       text not null,
  file_id       text not null,
  policy_id     text not null,
  document_type text not null,
  issue         integer not null,
  byte_length   integer not null,
  sha256        text not null,
  actor         text not null,
  request_id    text not null,
  created_at    timestamptz not null default now(),
  replaced_at   timestamptz,
  constraint policy_files_pkey primary key (user_id, file_id),
  constraint policy_files_byte_length_check check ((byte_length > 0)),
  constraint policy_files_issue_check check ((issue >= 0))
);
create unique index policy_files_current on policy_files (user_id, policy_id, document_type, issue) where (replaced_at is null);

create table policy_snapshots (
  user_id   text not null,
  policy_id text not null,
  issue     integer not null,
  sealed    text not null,
  at        timestamptz not null default now(),
  constraint policy_snapshots_pkey primary key (user_id, policy_id, issue),
  constraint policy_snapshots_issue_check check ((issue >= 0))
);
comment on table policy_snapshots is 'append-only';

create table processes (
  process_id   text not null,
  role         text not null,
  version      text not null,
  started_at   timestamptz not null default now(),
  seen_at      timestamptz not null default now(),
  build        text,
  signing_keys text[],
  constraint processes_pkey primary key (process_id)
);

create table program_versions (
  is_only boolean not null default true,
  oldest  text not null,
  constraint program_versions_pkey primary key (is_only),
  constraint program_versions_is_only_check check (is_only)
);
comment on table program_versions is 'read-only';

create table rate_limit_uses (
  limit_key text not null,
  free_at   timestamptz not null,
  added     interval not null,
  constraint rate_limit_uses_pkey primary key (limit_key)
);
create index rate_limit_uses_free on rate_limit_uses (free_at);

create table refresh_families (
  user_id      text not null,
  family_id    text not null,
  platform_id  text not null,
  generation   integer not null default 1,
  rotated_at   timestamptz not null,
  expires_at   timestamptz not null,
  ended_at     timestamptz,
  access_epoch integer not null default 0,
  constraint refresh_families_pkey primary key (user_id, family_id)
);
create index refresh_families_expired on refresh_families (expires_at);

create table refresh_tokens (
  token_hash bytea not null,
  user_id    text not null,
  family_id  text not null,
  generation integer not null,
  expires_at timestamptz not null,
  constraint refresh_tokens_pkey primary key (token_hash),
  constraint refresh_tokens_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table refresh_tokens is 'never changed';
create index refresh_tokens_expired on refresh_tokens (expires_at);

create table relays (
  relay_name text not null,
  position   xid8 not null,
  constraint relays_pkey primary key (relay_name)
);
comment on table relays is 'never deleted';

create table retired_keys (
  key_name text not null,
  since    timestamptz not null default now(),
  constraint retired_keys_pkey primary key (key_name)
);
comment on table retired_keys is 'append-only';

create table revocations (
  seq         bigint not null generated always as identity,
  subject     text not null,
  revoked     boolean not null,
  at          timestamptz not null default clock_timestamp(),
  first_epoch integer,
  constraint revocations_pkey primary key (seq)
);
comment on table revocations is 'never changed';
create index revocations_at on revocations (at);

create table rights_requests (
  user_id          text not null,
  request_id       text not null,
  platform_id      text not null,
  kind             text not null,
  dependant_id     text,
  text_sealed      text not null,
  state            text not null,
  due_on           date not null,
  actor            text not null,
  revision         integer not null default 1,
  created_at       timestamptz not null,
  last_modified_at timestamptz not null,
  announced_due_on date,
  constraint rights_requests_pkey primary key (user_id, request_id),
  constraint rights_requests_kind_check check ((kind = any (array['ACCESS'::text, 'CORRECTION'::text, 'ERASURE'::text, 'NOMINATION'::text, 'GRIEVANCE'::text]))),
  constraint rights_requests_state_check check ((state = any (array['RECEIVED'::text, 'IN_PROGRESS'::text, 'ANSWERED'::text, 'REFUSED'::text]))),
  constraint rights_requests_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
create index rights_requests_due on rights_requests (due_on, request_id) where (state = any (array['RECEIVED'::text, 'IN_PROGRESS'::text]));

create table sponsors (
  sponsor_id       text not null,
  platform_id      text not null,
  slug             text not null,
  status           text not null,
  data_key         text not null,
  sealed           text not null,
  revision         integer not null default 1,
  created_at       timestamptz not null default now(),
  last_modified_at timestamptz not null default now(),
  constraint sponsors_pkey primary key (sponsor_id),
  constraint sponsors_slug unique (slug),
  constraint sponsors_status_check check ((status = any (array['PENDING'::text, 'ACTIVE'::text, 'INACTIVE'::text])))
);
comment on table sponsors is 'never deleted';
create index sponsors_newest on sponsors (created_at desc, sponsor_id desc);
create index sponsors_of_platform on sponsors (platform_id, created_at desc, sponsor_id desc);
create index sponsors_pending on sponsors (last_modified_at, sponsor_id) where (status = 'PENDING'::text);

create table statistics (
  owner_id text not null,
  counts   jsonb not null,
  as_of    timestamptz not null,
  constraint statistics_pkey primary key (owner_id)
);
comment on table statistics is 'never deleted';

create table user_id_proofs (
  id_proof_hash bytea not null,
  user_id       text not null,
  hash_key      text,
  constraint user_id_proofs_pkey primary key (id_proof_hash),
  constraint user_id_proofs_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table user_id_proofs is 'never changed';
create index user_id_proofs_user on user_id_proofs (user_id);

create table user_phones (
  phone_hash bytea not null,
  user_id    text not null,
  hash_key   text,
  constraint user_phones_pkey primary key (phone_hash),
  constraint user_phones_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table user_phones is 'never changed';

create table user_providers (
  user_id             text not null,
  benefit_provider_id text not null,
  constraint user_providers_pkey primary key (user_id, benefit_provider_id)
);
comment on table user_providers is 'never changed';

create table user_references (
  reference_hash bytea not null,
  user_id        text not null,
  hash_key       text not null,
  constraint user_references_pkey primary key (reference_hash),
  constraint user_references_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table user_references is 'never changed';
create index user_references_of_user on user_references (user_id);

create table user_status_changes (
  user_id     text not null,
  entity_id   text not null,
  change_id   text not null,
  from_status text,
  to_status   text not null,
  actor       text not null,
  request_id  text,
  reason      text,
  at          timestamptz not null default clock_timestamp()
);
comment on table user_status_changes is 'append-only';
alter table user_status_changes replica identity full;
create index user_status_changes_of_entity on user_status_changes (user_id, entity_id);

create table users (
  user_id           text not null,
  platform_id       text not null,
  data_key          text,
  sealed            text not null,
  profile_digest    bytea not null,
  phone_hash        bytea not null,
  id_proof_hash     bytea,
  id_proof_last4    text,
  onboarding_digest bytea,
  onboarded_at      timestamptz,
  revision          integer not null default 1,
  created_at        timestamptz not null default now(),
  last_modified_at  timestamptz not null default now(),
  cover_revision    integer not null default 0,
  other_phone_hash  bytea,
  reference_sealed  text,
  session_epoch     integer not null default 0,
  constraint users_pkey primary key (user_id),
  constraint users_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table users is 'never deleted';
create index users_newest on users (created_at, user_id) where (data_key is not null);
create index users_of_platform on users (platform_id, created_at, user_id) where (data_key is not null);

create table wallet_ids (
  partner_wallet_id text not null,
  user_id           text not null,
  constraint wallet_ids_pkey primary key (partner_wallet_id),
  constraint wallet_ids_user_id_check check ((user_id ~ '^[0-9]{12}$'::text))
);
comment on table wallet_ids is 'never changed';

create table wallet_questions (
  user_id text not null,
  due_at  timestamptz not null,
  constraint wallet_questions_pkey primary key (user_id)
);
create index wallet_questions_due on wallet_questions (due_at);

create table wallet_sweeps (
  sweep_name text not null,
  position   text not null,
  began_at   timestamptz not null,
  constraint wallet_sweeps_pkey primary key (sweep_name)
);
comment on table wallet_sweeps is 'never deleted';

create table wallets (
  user_id               text not null,
  platform_id           text not null,
  partner_wallet_id     text not null,
  wallet_status         text not null,
  wallet_status_partner text not null,
  balance_paise         bigint not null default 0,
  tries                 integer not null default 0,
  may_be_held           boolean not null default false,
  queued_at             timestamptz not null,
  operator_status       text,
  operator_sequence     bigint,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  last_modified_at      timestamptz not null default now(),
  last_position         bigint not null default 0,
  constraint wallets_pkey primary key (user_id),
  constraint wallets_balance_paise_check check (((balance_paise >= 0) and (balance_paise <= '9007199254740991'::bigint))),
  constraint wallets_check check (((wallet_status_partner = 'UNKNOWN'::text) = (wallet_status <> 'COMPLETED'::text))),
  constraint wallets_operator_status_check check ((operator_status = any (array['ACTIVE'::text, 'BLOCKED'::text]))),
  constraint wallets_wallet_status_check check ((wallet_status = any (array['CREATED'::text, 'PENDING'::text, 'IN_PROGRESS'::text, 'COMPLETED'::text, 'RETRYING'::text, 'FAILED'::text]))),
  constraint wallets_wallet_status_partner_check check ((wallet_status_partner = any (array['ACTIVE'::text, 'BLOCKED'::text, 'UNKNOWN'::text])))
);
create index wallets_changed on wallets (wallet_status, last_modified_at);
create index wallets_changed_of_blocked on wallets (wallet_status, last_modified_at) where (wallet_status_partner = 'BLOCKED'::text);
create index wallets_changed_of_platform on wallets (platform_id, wallet_status, last_modified_at);
create index wallets_unfinished on wallets (last_modified_at) where (wallet_status = any (array['PENDING'::text, 'IN_PROGRESS'::text, 'RETRYING'::text]));

create table webhook_deliveries (
  endpoint_id     text not null,
  event_id        text not null,
  status          text not null,
  tries           integer not null default 0,
  next_attempt_at timestamptz,
  attempts        jsonb not null default '[]'::jsonb,
  created_at      timestamptz not null,
  constraint webhook_deliveries_pkey primary key (endpoint_id, event_id),
  constraint webhook_deliveries_status_check check ((status = any (array['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text])))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where (next_attempt_at is not null);

create table webhook_endpoints (
  endpoint_id           text not null,
  owner_kind            text not null,
  owner_id              text not null,
  slot                  integer,
  url                   text not null,
  event_types           text[] not null,
  status                text not null,
  disabled_reason       text,
  data_key              text not null,
  secret                text not null,
  previous_secret       text,
  previous_secret_until timestamptz,
  failing_since         timestamptz,
  deleted_at            timestamptz,
  revision              integer not null default 1,
  created_at            timestamptz not null default now(),
  last_modified_at      timestamptz not null default now(),
  sealed_description    text,
  begins_at             xid8 not null default '0'::xid8,
  constraint webhook_endpoints_pkey primary key (endpoint_id),
  constraint webhook_endpoints_slot_of_owner unique (owner_kind, owner_id, slot),
  constraint webhook_endpoints_owner_kind_check check ((owner_kind = any (array['platform'::text, 'provider'::text, 'administrators'::text]))),
  constraint webhook_endpoints_slot_check check (((slot >= 1) and (slot <= 20))),
  constraint webhook_endpoints_status_check check ((status = any (array['ACTIVE'::text, 'DISABLED'::text])))
);
create index webhook_endpoints_newest on webhook_endpoints (owner_kind, owner_id, created_at desc, endpoint_id desc);

create table workers (
  worker_id text not null,
  seen_at   timestamptz not null default now(),
  constraint workers_pkey primary key (worker_id)
);

alter table accounts
  add constraint accounts_account_provider_id_fkey foreign key (account_provider_id) references account_providers(account_provider_id),
  add constraint accounts_user_id_fkey foreign key (user_id) references users(user_id);

alter table administrator_sessions
  add constraint administrator_sessions_administrator_id_fkey foreign key (administrator_id) references administrators(administrator_id);

alter table benefits
  add constraint benefits_benefit_provider_id_fkey foreign key (benefit_provider_id) references benefit_providers(benefit_provider_id),
  add constraint benefits_platform_id_fkey foreign key (platform_id) references platforms(platform_id),
  add constraint benefits_sponsor_id_fkey foreign key (sponsor_id) references sponsors(sponsor_id);

alter table came_of_age
  add constraint came_of_age_user_id_fkey foreign key (user_id) references users(user_id);

alter table consent_notices
  add constraint consent_notices_platform_id_fkey foreign key (platform_id) references platforms(platform_id);

alter table consents
  add constraint consents_user_id_fkey foreign key (user_id) references users(user_id);

alter table consultation_messages
  add constraint consultation_messages_user_id_consultation_id_fkey foreign key (user_id, consultation_id) references consultations(user_id, consultation_id);

alter table consultations
  add constraint consultations_benefit_provider_id_fkey foreign key (benefit_provider_id) references benefit_providers(benefit_provider_id),
  add constraint consultations_user_id_fkey foreign key (user_id) references users(user_id);

alter table dependants
  add constraint dependants_user_id_fkey foreign key (user_id) references users(user_id),
  add constraint dependants_user_id_previous_version_id_fkey foreign key (user_id, previous_version_id) references dependants(user_id, dependant_id);

alter table erasure_holds
  add constraint erasure_holds_user_id_fkey foreign key (user_id) references users(user_id);

alter table erasures
  add constraint erasures_user_id_fkey foreign key (user_id) references users(user_id);

alter table import_rows
  add constraint import_rows_import_id_fkey foreign key (import_id) references imports(import_id);

alter table insurance_policies
  add constraint insurance_policies_benefit_id_fkey foreign key (benefit_id) references benefits(benefit_id),
  add constraint insurance_policies_benefit_provider_id_fkey foreign key (benefit_provider_id) references benefit_providers(benefit_provider_id),
  add constraint insurance_policies_user_id_fkey foreign key (user_id) references users(user_id),
  add constraint insurance_policies_user_id_nominee_dependant_id_fkey foreign key (user_id, nominee_dependant_id) references dependants(user_id, dependant_id);

alter table ledger_entries
  add constraint ledger_entries_user_id_transaction_id_fkey foreign key (user_id, transaction_id) references ledger_transactions(user_id, transaction_id);

alter table ledger_transactions
  add constraint ledger_transactions_user_id_fkey foreign key (user_id) references wallets(user_id);

alter table message_counts
  add constraint message_counts_user_id_fkey foreign key (user_id) references users(user_id);

alter table policy_corrections
  add constraint policy_corrections_user_id_fkey foreign key (user_id) references users(user_id);

alter table policy_endorsements
  add constraint policy_endorsements_user_id_fkey foreign key (user_id) references users(user_id);

alter table policy_files
  add constraint policy_files_user_id_policy_id_fkey foreign key (user_id, policy_id) references insurance_policies(user_id, policy_id);

alter table policy_snapshots
  add constraint policy_snapshots_user_id_policy_id_fkey foreign key (user_id, policy_id) references insurance_policies(user_id, policy_id);

alter table refresh_families
  add constraint refresh_families_user_id_fkey foreign key (user_id) references users(user_id);

alter table rights_requests
  add constraint rights_requests_user_id_fkey foreign key (user_id) references users(user_id);

alter table sponsors
  add constraint sponsors_platform_id_fkey foreign key (platform_id) references platforms(platform_id);

alter table user_providers
  add constraint user_providers_benefit_provider_id_fkey foreign key (benefit_provider_id) references benefit_providers(benefit_provider_id),
  add constraint user_providers_user_id_fkey foreign key (user_id) references users(user_id);

alter table user_status_changes
  add constraint user_status_changes_user_id_fkey foreign key (user_id) references users(user_id);

alter table users
  add constraint users_platform_id_fkey foreign key (platform_id) references platforms(platform_id);

alter table wallets
  add constraint wallets_user_id_fkey foreign key (user_id) references users(user_id);

CREATE OR REPLACE FUNCTION banyan.delete_old_events(starting_types text[], sent_types text[], at_most integer)
 RETURNS SETOF text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'banyan', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  delete from events e
   where e.xid <= coalesce((select xid from events order by xid, event_id offset at_most - 1 limit 1), '18446744073709551615')
     and e.occurred_at < now() - interval '30 days'
     and (e.type <> all (starting_types) or e.xid < (select position from relays where relay_name = 'jobs'))
     and (e.type <> all (sent_types) or e.xid < (select position from relays where relay_name = 'webhooks'))
  returning e.event_id
$function$;

CREATE OR REPLACE FUNCTION banyan.delete_retained_bookings(erased text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'banyan', 'pg_temp'
AS $function$
begin
  perform 1
     from erasures e
     join users u on u.user_id = e.user_id and u.data_key is null
    where e.user_id = erased
      and e.erased_at is not null
      and e.ledger_until < now()::date;
  if not found then return; end if;
  perform 1 from ledger_transactions t where t.user_id = erased and t.created_at > now() - interval '5 years' limit 1;
  if found then return; end if;
  delete from ledger_entries l where l.user_id = erased;
  delete from ledger_transactions t where t.user_id = erased;
  return query delete from wallets w where w.user_id = erased returning w.user_id;
end
$function$;
