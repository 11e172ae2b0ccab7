-- outside a transaction
-- Lists across users: last change first within each state, for administrators, a platform and a benefit provider. Concurrently, so that
-- nobody who writes waits for them. An index that was left half made is dropped and made again.

drop index concurrently if exists insurance_policies_changed;
create index concurrently insurance_policies_changed
  on insurance_policies (status, last_modified_at desc, policy_id desc);
drop index concurrently if exists insurance_policies_changed_of_platform;
create index concurrently insurance_policies_changed_of_platform
  on insurance_policies (platform_id, status, last_modified_at desc, policy_id desc);
drop index concurrently if exists insurance_policies_changed_of_provider;
create index concurrently insurance_policies_changed_of_provider
  on insurance_policies (benefit_provider_id, status, last_modified_at desc, policy_id desc);
drop index concurrently if exists insurance_policies_changed_of_benefit;
create index concurrently insurance_policies_changed_of_benefit
  on insurance_policies (benefit_id, status, last_modified_at desc, policy_id desc);
drop index concurrently if exists insurance_policies_of_master;
create index concurrently insurance_policies_of_master
  on insurance_policies (master_policy_number, last_modified_at desc, policy_id desc) where master_policy_number is not null;
drop index concurrently if exists insurance_policies_without_platform;
create index concurrently insurance_policies_without_platform on insurance_policies (user_id) where platform_id is null;

drop index concurrently if exists accounts_changed;
create index concurrently accounts_changed on accounts (status, last_modified_at desc, account_id desc);
drop index concurrently if exists accounts_changed_of_platform;
create index concurrently accounts_changed_of_platform
  on accounts (platform_id, status, last_modified_at desc, account_id desc);
drop index concurrently if exists accounts_without_platform;
create index concurrently accounts_without_platform on accounts (user_id) where platform_id is null;

drop index concurrently if exists consultations_changed;
create index concurrently consultations_changed
  on consultations (status, greatest(last_modified_at, last_message_at) desc, consultation_id desc);
drop index concurrently if exists consultations_changed_of_platform;
create index concurrently consultations_changed_of_platform
  on consultations (platform_id, status, greatest(last_modified_at, last_message_at) desc, consultation_id desc);
drop index concurrently if exists consultations_changed_of_provider;
create index concurrently consultations_changed_of_provider
  on consultations (benefit_provider_id, status, greatest(last_modified_at, last_message_at) desc, consultation_id desc);
drop index concurrently if exists consultations_without_platform;
create index concurrently consultations_without_platform on consultations (user_id) where platform_id is null;

drop index concurrently if exists wallets_changed;
create index concurrently wallets_changed on wallets (wallet_status, last_modified_at desc, partner_wallet_id desc);
drop index concurrently if exists wallets_changed_of_platform;
create index concurrently wallets_changed_of_platform
  on wallets (platform_id, wallet_status, last_modified_at desc, partner_wallet_id desc);
