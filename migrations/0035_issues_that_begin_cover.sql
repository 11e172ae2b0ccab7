-- Whether the issue that a policy waits for begins cover: the next term, or days after a return from EXPIRED. Such an issue needs what
-- the first one needs; one after a correction does not.
alter table insurance_policies add column begins_cover boolean not null default false;
