-- How far each key of a rate limit is ahead of the clock, as far as processes have told each other. Nothing of it is worth
-- keeping through a crash of the database.
create unlogged table rate_limit_uses (
  limit_key text primary key,
  free_at   timestamptz not null,
  added     interval not null -- by whoever wrote last
);
create index rate_limit_uses_free on rate_limit_uses (free_at);
