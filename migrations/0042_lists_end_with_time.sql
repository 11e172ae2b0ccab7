-- outside a transaction
-- Lists across users are ordered by the last change, then by id. Hardly any rows have the same time, so an index ends with the time, and
-- the few of one time are sorted when a page is read: an id was a third of each entry, in twelve indexes that every change writes. They
-- ascend and are read backwards, because a page to which new entries come in front is left half empty when it is full. The shorter index is
-- there before the longer one goes. One that was left half made is dropped and made again.

drop index concurrently if exists insurance_policies_changed_shorter;
create index concurrently insurance_policies_changed_shorter on insurance_policies (status, last_modified_at);
drop index concurrently if exists insurance_policies_changed;
alter index insurance_policies_changed_shorter rename to insurance_policies_changed;
drop index concurrently if exists insurance_policies_changed_of_platform_shorter;
create index concurrently insurance_policies_changed_of_platform_shorter
  on insurance_policies (platform_id, status, last_modified_at);
drop index concurrently if exists insurance_policies_changed_of_platform;
alter index insurance_policies_changed_of_platform_shorter rename to insurance_policies_changed_of_platform;
drop index concurrently if exists insurance_policies_changed_of_provider_shorter;
create index concurrently insurance_policies_changed_of_provider_shorter
  on insurance_policies (benefit_provider_id, status, last_modified_at);
drop index concurrently if exists insurance_policies_changed_of_provider;
alter index insurance_policies_changed_of_provider_shorter rename to insurance_policies_changed_of_provider;
drop index concurrently if exists insurance_policies_changed_of_benefit_shorter;
create index concurrently insurance_policies_changed_of_benefit_shorter
  on insurance_policies (benefit_id, status, last_modified_at);
drop index concurrently if exists insurance_policies_changed_of_benefit;
alter index insurance_policies_changed_of_benefit_shorter rename to insurance_policies_changed_of_benefit;
drop index concurrently if exists insurance_policies_of_master_shorter;
create index concurrently insurance_policies_of_master_shorter
  on insurance_policies (master_policy_number, last_modified_at) where master_policy_number is not null;
drop index concurrently if exists insurance_policies_of_master;
alter index insurance_policies_of_master_shorter rename to insurance_policies_of_master;

drop index concurrently if exists accounts_changed_shorter;
create index concurrently accounts_changed_shorter on accounts (status, last_modified_at);
drop index concurrently if exists accounts_changed;
alter index accounts_changed_shorter rename to accounts_changed;
drop index concurrently if exists accounts_changed_of_platform_shorter;
create index concurrently accounts_changed_of_platform_shorter on accounts (platform_id, status, last_modified_at);
drop index concurrently if exists accounts_changed_of_platform;
alter index accounts_changed_of_platform_shorter rename to accounts_changed_of_platform;

drop index concurrently if exists consultations_changed_shorter;
create index concurrently consultations_changed_shorter
  on consultations (status, greatest(last_modified_at, last_message_at));
drop index concurrently if exists consultations_changed;
alter index consultations_changed_shorter rename to consultations_changed;
drop index concurrently if exists consultations_changed_of_platform_shorter;
create index concurrently consultations_changed_of_platform_shorter
  on consultations (platform_id, status, greatest(last_modified_at, last_message_at));
drop index concurrently if exists consultations_changed_of_platform;
alter index consultations_changed_of_platform_shorter rename to consultations_changed_of_platform;
drop index concurrently if exists consultations_changed_of_provider_shorter;
create index concurrently consultations_changed_of_provider_shorter
  on consultations (benefit_provider_id, status, greatest(last_modified_at, last_message_at));
drop index concurrently if exists consultations_changed_of_provider;
alter index consultations_changed_of_provider_shorter rename to consultations_changed_of_provider;

drop index concurrently if exists wallets_changed_shorter;
create index concurrently wallets_changed_shorter on wallets (wallet_status, last_modified_at);
drop index concurrently if exists wallets_changed;
alter index wallets_changed_shorter rename to wallets_changed;
drop index concurrently if exists wallets_changed_of_platform_shorter;
create index concurrently wallets_changed_of_platform_shorter
  on wallets (platform_id, wallet_status, last_modified_at);
drop index concurrently if exists wallets_changed_of_platform;
alter index wallets_changed_of_platform_shorter rename to wallets_changed_of_platform;

drop index concurrently if exists users_newest_shorter;
create index concurrently users_newest_shorter on users (created_at, user_id) where data_key is not null;
drop index concurrently if exists users_newest;
alter index users_newest_shorter rename to users_newest;
drop index concurrently if exists users_of_platform_shorter;
create index concurrently users_of_platform_shorter on users (platform_id, created_at, user_id) where data_key is not null;
drop index concurrently if exists users_of_platform;
alter index users_of_platform_shorter rename to users_of_platform;

-- Ids begin with their time, so the primary key lists a user's newest policies too. The version before sorts the few of a user.
drop index concurrently if exists insurance_policies_newest;
