-- outside a transaction
-- A booking may give back an earlier one of the same wallet. No foreign key: bookings are never deleted one by one, and its check would read every
-- booking. An index that was left half made is dropped and made again.
alter table ledger_transactions add column if not exists refund_of text;
drop index concurrently if exists ledger_transactions_refunds;
create index concurrently ledger_transactions_refunds on ledger_transactions (user_id, refund_of) where refund_of is not null;

-- What the wallets of a platform may hold and book, by the day from which it holds. Kept in memory by every API, as are web origins.
alter table platform_access add column if not exists wallet_limits jsonb not null default '[]';
