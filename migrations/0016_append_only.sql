-- `migrate` takes the right to change and to delete rows of these tables from the role of the running service.
comment on table events is 'append-only';
comment on table user_status_changes is 'append-only';
comment on table catalogue_status_changes is 'append-only';
comment on table ledger_transactions is 'append-only';
comment on table ledger_entries is 'append-only';
comment on table policy_snapshots is 'append-only';
comment on table key_fingerprints is 'append-only';
