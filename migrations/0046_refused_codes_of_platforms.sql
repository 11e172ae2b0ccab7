-- At which platform the last refused request for a code was made: others, who may know the same phone, are not told. Null for what
-- an earlier version noted.
alter table otp_limits add column refused_platform_id text;
