-- outside a transaction
-- Entries of the audit name the credential that was used. A batch says whether its hash covers that: version 2 does,
-- none is the first, which does not.
alter table audit_entries add column if not exists credential_id text;
alter table audit_batches add column if not exists version int;

-- What a credential has changed that is of no user. The entries of users have an index of theirs, so nothing is added to those.
drop index concurrently if exists audit_entries_of_credential;
create index concurrently audit_entries_of_credential on audit_entries (credential_id, subject, xid, audit_id)
  where user_id is null and credential_id is not null;
