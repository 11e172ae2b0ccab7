-- Which signing keys a process has, so that one that lacks a key of the others is found before their tokens are rejected.

alter table processes add column signing_keys text[];
comment on column processes.signing_keys is 'their kids; null: the process is of a version before 0.3.0';
