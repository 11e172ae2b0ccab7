-- Users listed newest first, of a platform and of all, and found by the number that their benefit provider gave a policy.
create index users_of_platform on users (platform_id, created_at desc, user_id desc);
create index users_newest on users (created_at desc, user_id desc);
create index insurance_policies_of_number on insurance_policies (external_policy_id) where external_policy_id is not null;
