-- From which day what is new for a purpose needs consent, `{purpose: {ground, section, from}}`. Read with the rest of its access by every API.
alter table platform_access add column consent_rules jsonb not null default '{}';
