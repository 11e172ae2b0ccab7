-- The position in the log of events at which an endpoint began: it gets events from there on. Before, the ids of event and endpoint
-- were compared, which begin with the times of two processes. What is older than this column was created by an id that the
-- relay has nearly always passed; for the rest, an event too many is better than one too few.
alter table webhook_endpoints add column begins_at xid8 not null default '0';
