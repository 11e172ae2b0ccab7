-- Until when and from where a credential is good, and when it was last used, to the minute.
alter table credentials
  add column expires_at timestamptz,
  add column ip_allow_list text[],
  add column last_used_at timestamptz;
