import { IN_SCOPE, SCOPE_PARAMETERS, scopeValues, userIsInScope, type UserScope } from '../../../access/scope.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import { columns, integer, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Database, foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type Deps, recordedWrite } from '../../../record/index.ts'
import { checkHasWallet, decodeWalletOfUser, SET_BALANCE, WALLET_COLUMNS } from '../wallets/index.ts'
import { TRANSACTION, TRANSACTION_TYPES, type WalletTransaction } from './records.ts'

/** Every column that is read, and those that only the database compares. */
export const LINKED_TRANSACTIONS = linkedInsert('ledger_transactions', {
  userId: text('user_id'),
  ...TRANSACTION.fields,
  position: integer('position'),
  actor: text('actor'),
})

export const LINKED_ENTRIES = linkedInsert('ledger_entries', {
  userId: text('user_id'),
  transactionId: text('transaction_id'),
  account: text('ledger_account'),
  amountPaise: integer('amount_paise'),
})

/** Writes balance, transaction, entries, event and idempotency key, all or nothing. */
export const BOOK = recordedWrite({
  name: 'ledger_book',
  ...SET_BALANCE,
  linked: [LINKED_TRANSACTIONS, LINKED_ENTRIES],
})

const FIND_WALLET = batchedRead<{ data_key: string }>({
  name: 'ledger_find_wallet',
  parameters: SCOPE_PARAMETERS,
  text: (calls, user, platform, provider) => `select c.n::int, u.data_key, ${WALLET_COLUMNS}
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
     left join wallets w on w.user_id = ${user}`,
})

/** Returns a wallet with the key of its user. Throws 404 `not_found` when there is none in the caller's scope. */
export async function findBookableWallet({ db, vault }: Deps, scope: UserScope) {
  const row = foundRow(await FIND_WALLET(db, scopeValues(scope)))
  return { wallet: decodeWalletOfUser(row), key: vault.unwrap(row.data_key) }
}

const FIND_REFERENCE = statement(
  'ledger_transactions_find_reference',
  'select 1 from ledger_transactions where user_id = $1 and reference = $2',
)

export async function isBooked(db: Queryable, of: { userId: string; reference: string }): Promise<boolean> {
  return (await db.query(FIND_REFERENCE, [of.userId, of.reference])).length > 0
}

const REFUNDED = columns('t', {
  type: oneOf('transaction_type', TRANSACTION_TYPES),
  amountPaise: integer('amount_paise'),
  refundOf: nullable(text('refund_of')),
})

const FIND_REFUNDED = statement(
  'ledger_transactions_find_refunded',
  `select ${REFUNDED.list},
          (select coalesce(sum(r.amount_paise), 0)::bigint
             from ledger_transactions r
            where r.user_id = $1 and r.refund_of = $2) as refunded_paise
     from ledger_transactions t
    where t.user_id = $1 and t.transaction_id = $2`,
)

/** A booking that another one gives back, and what earlier refunds gave back of it. */
export type Refunded = RecordOf<typeof REFUNDED> & { refundedPaise: Paise }

/** Returns the booking of a user with what was refunded of it; undefined when there is none. To be read after the wallet. */
export async function findRefunded(db: Queryable, of: { userId: string; id: string }): Promise<Refunded | undefined> {
  const [row] = await db.query<{ refunded_paise: Paise }>(FIND_REFUNDED, [of.userId, of.id])
  return row && { ...REFUNDED.decode(row), refundedPaise: row.refunded_paise }
}

/**
 * Deletes the wallet of the erased user `$1` with its bookings. The program may not delete bookings; the function checks
 * that the retention term is over.
 */
export const ERASE_BOOKINGS = statement('ledger_erase', 'select 1 from delete_retained_bookings($1)')

const LIST = statement(
  'ledger_transactions_list',
  listText(
    {
      columns: TRANSACTION.list,
      from: 'ledger_transactions t',
      where: `t.user_id = $1 and ($6::timestamptz is null or t.created_at >= $6)
          and ($7::timestamptz is null or t.created_at < $7)`,
      order: 't.position desc',
      limit: '$4',
      offset: '$5',
    },
    {
      from: 'users u left join wallets w on w.user_id = $1',
      where: `u.user_id = $1 and ${IN_SCOPE}`,
      columns: 'u.data_key, w.partner_wallet_id',
    },
  ),
)

export const DESCRIPTION = sealedColumn<string, { userId: string; id: string }>('ledger_transactions.sealed', {
  row: ({ userId, id }) => `ledger_transactions:${userId}:${id}`,
})

/** Returns a page of a wallet's transactions of a period, newest first. Throws 404 `not_found` when the user is not in scope or has no wallet. */
export async function listTransactions(
  { db, vault }: Deps,
  scope: UserScope,
  { page, from, before }: { page: Page; from?: Date | undefined; before?: Date | undefined },
): Promise<Paged<WalletTransaction>> {
  type Row = { total: number; data_key: string }
  const period = [from, before].map((at) => at?.toISOString() ?? null)
  const rows = await db.query<Row>(LIST, [...scopeValues(scope), page.limit, page.offset, ...period])
  checkHasWallet(rows[0] ?? {})
  return decodeOwnedPage(rows, 'transaction_id', (row) => {
    const { sealed, ...transaction } = TRANSACTION.decode(row)
    if (sealed === null) return { ...transaction, description: null }
    const at = { userId: scope.userId, id: transaction.id }
    return { ...transaction, description: DESCRIPTION.unsealOr(vault.unwrap(row.data_key), at, sealed, UNAVAILABLE) }
  })
}

/**
 * Checks a batch of wallets against their entries, ordered by user id. A wallet is wrong when its balance is not the
 * sum of its entries, its number of bookings is not its last position, a transaction does not have two entries that add
 * up to zero, a running balance does not follow from the previous one, or the positions have a gap.
 */
const VERIFY = statement(
  'ledger_verify',
  `with batch as (
     select user_id, balance_paise, last_position from wallets where user_id > $1 order by user_id limit $2
   ), running as (
     select t.user_id, t.transaction_id, t.position, t.balance_after_paise, e.amount_paise, x.entries, x.total,
            sum(e.amount_paise) over (partition by t.user_id order by t.position) as expected,
            row_number() over (partition by t.user_id order by t.position) as ordinal,
            t.amount_paise * case t.transaction_type when 'CREDIT' then 1 else -1 end as signed
       from batch b
       join ledger_transactions t on t.user_id = b.user_id
       left join ledger_entries e
         on e.user_id = t.user_id and e.transaction_id = t.transaction_id and e.ledger_account = 'WALLET'
      cross join lateral (
        select count(*) as entries, coalesce(sum(amount_paise), 0) as total
          from ledger_entries where user_id = t.user_id and transaction_id = t.transaction_id) x
   )
   select b.user_id, b.balance_paise,
          count(r.*)::int as transactions,
          coalesce(sum(r.amount_paise), 0) <> b.balance_paise or count(r.*) <> b.last_position
            or coalesce(bool_or(r.entries <> 2 or r.total <> 0 or r.amount_paise is distinct from r.signed
                 or r.expected <> r.balance_after_paise or r.position <> r.ordinal), false) as is_wrong
     from batch b
     left join running r on r.user_id = b.user_id
    group by b.user_id, b.balance_paise, b.last_position
    order by b.user_id`,
)

const COUNT = statement('ledger_count', 'select count(*)::int as wallets from wallets')

type WalletCheck = { user_id: string; balance_paise: Paise; transactions: number; is_wrong: boolean }

export async function countWallets(db: Database): Promise<number> {
  const [row] = await db.query<{ wallets: number }>(COUNT, [])
  return row?.wallets ?? 0
}

/** Checks the next wallets after a user id, which is the cursor. */
export function verifyBatch(db: Database, afterUserId: string, limit: number): Promise<WalletCheck[]> {
  return db.query<WalletCheck>(VERIFY, [afterUserId, limit])
}
