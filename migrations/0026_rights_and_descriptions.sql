-- What the running service may do to the rows of a table, beside reading them: `migrate` grants it. A table that says nothing is
-- inserted into, updated and deleted from.
comment on table migrations is 'read-only';

comment on table benefit_providers is 'append-only';

comment on table account_providers is 'never deleted';
comment on table administrators is 'never deleted';
comment on table benefits is 'never deleted';
comment on table insurance_policies is 'never deleted';
comment on table platform_access is 'never deleted';
comment on table platforms is 'never deleted';
comment on table relays is 'never deleted';
comment on table sponsors is 'never deleted';
comment on table users is 'never deleted';

comment on table consultation_messages is 'never changed';
comment on table files_to_delete is 'never changed';
comment on table health_cards is 'never changed';
comment on table idempotency_keys is 'never changed';
comment on table operator_events is 'never changed';
comment on table refresh_tokens is 'never changed';
comment on table revocations is 'never changed';
comment on table user_id_proofs is 'never changed';
comment on table user_phones is 'never changed';
comment on table user_providers is 'never changed';
comment on table wallet_ids is 'never changed';

-- A description is its owner's own words, which may name somebody: sealed from now on. Those in clear cannot be sealed here, and go.
alter table webhook_endpoints drop column description;
alter table webhook_endpoints add column sealed_description text;
