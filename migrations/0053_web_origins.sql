-- The origins of a platform's web apps, from whose pages its users' tokens are accepted. Read with the rest of its access by every API.
alter table platform_access add column web_origins text[] not null default '{}';
