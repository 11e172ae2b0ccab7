-- Events and audit entries are in the order of the transactions that wrote them, whose numbers count within one server. A server that
-- has loaded a dump may count from a lower number: `migrate` then replaces this function by one that adds the difference, so that new
-- rows come after those of the dump, and no stored position changes.
create function log_position(transaction xid8) returns xid8 language sql stable parallel safe as 'select transaction';

alter table events alter column xid set default log_position(pg_current_xact_id());
alter table audit_entries alter column xid set default log_position(pg_current_xact_id());
