-- How often a person on a policy was corrected, and how often they had been when its status was last set. Policies of before
-- begin with equal numbers: their insurers have seen what there was.
alter table insurance_policies add column persons_version int not null default 0;
alter table insurance_policies add column persons_seen int not null default 0;

-- Which fields a correction changed, for the timeline; null for those of before.
alter table policy_corrections add column fields text[];
alter table dependants add column corrected_fields text[];
