-- Who made a version of a dependant; null for those from before.
alter table dependants add column actor text;
