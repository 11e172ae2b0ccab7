-- The trace in which an event was written (W3C Trace Context), so that jobs and webhooks that follow go on in it. Null where
-- nothing is recorded.
alter table events add column traceparent text;
