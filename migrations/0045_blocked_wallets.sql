-- outside a transaction
-- The wallets that the operator has blocked, in the order of their list: few among all that work.
drop index concurrently if exists wallets_changed_of_blocked;
create index concurrently wallets_changed_of_blocked on wallets (wallet_status, last_modified_at)
 where wallet_status_partner = 'BLOCKED';
