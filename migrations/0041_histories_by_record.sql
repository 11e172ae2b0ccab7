-- outside a transaction
-- Histories are read by record and never by the id of a change. The index of the primary key repeated three ids for each change, a third of
-- the table; this one has an entry for each record with its changes behind it. Ids of changes are random and are inserted once, in the
-- statement of the change, so nothing needs the database to compare them. Without a key, replication finds a row by all its columns.

drop index concurrently if exists user_status_changes_of_entity;
create index concurrently user_status_changes_of_entity on user_status_changes (user_id, entity_id);
alter table user_status_changes drop constraint if exists user_status_changes_pkey;
alter table user_status_changes replica identity full;

-- The request of a change is in the audit entry of the same write. The version before goes on writing it here, and reads it nowhere.
alter table user_status_changes alter column request_id drop not null;
