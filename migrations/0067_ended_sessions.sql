-- The epoch of a user's sessions: ending all of them begins the next one, and a token of an earlier epoch is no longer valid. Codes that were made
-- void before they were used stay listed for a day.
alter table users add column session_epoch integer not null default 0;
alter table otp_challenges add column voided_at timestamptz;
