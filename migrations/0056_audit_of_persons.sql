-- outside a transaction
-- What one person has done: people write few of the entries, so an index of theirs alone costs the others nothing.
drop index concurrently if exists audit_entries_of_person;
create index concurrently audit_entries_of_person on audit_entries (actor, xid, audit_id) where strpos(actor, ':adm_') > 0;
