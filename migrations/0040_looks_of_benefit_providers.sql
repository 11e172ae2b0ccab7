-- What documents show of the insurer besides its name. The service now updates benefit providers.
alter table benefit_providers add column address jsonb;
alter table benefit_providers add column colour text;
comment on table benefit_providers is 'never deleted';
