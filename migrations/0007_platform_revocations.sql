-- Epochs of platforms: each time a platform is disabled or enabled a new one begins. Access tokens and refresh families
-- carry the one they were begun in, and those of an earlier one are not valid any more. Nothing depends on a clock.
alter table platforms add column access_epoch integer not null default 0;
alter table refresh_families add column access_epoch integer not null default 0;

-- Tokens of the subject from an earlier epoch are revoked. Null in rows of a node of the version before, which knows no
-- more than `denied`; that goes in a later release.
alter table access_changes add column first_epoch integer;

-- Written down when it happens, not when its transaction began: the less later it commits.
alter table access_changes alter column at set default clock_timestamp();
