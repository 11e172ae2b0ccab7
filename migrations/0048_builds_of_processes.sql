-- What exactly runs: version with suffix and commit. `version` keeps its three numbers, which every program compares.

alter table processes add column build text;
comment on column processes.build is 'null: the process is of a version before 0.3.0';
