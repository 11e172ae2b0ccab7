import { type DataKey, seal, unseal } from '../../kernel/crypto/vault.ts'
import {
  type Database,
  onlyRow,
  type Queryable,
  statement,
  type Tx,
  violates,
  type WireTime,
} from '../../kernel/db/database.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { newId } from '../../kernel/id.ts'
import type { Paise } from '../../kernel/money.ts'
import { conflict } from '../../kernel/refusal.ts'
import type { TRANSACTION_TYPES } from './schemas.ts'

export type TransactionType = (typeof TRANSACTION_TYPES)[number]

export type WalletTransaction = {
  id: string
  type: TransactionType
  amountPaise: Paise
  balanceAfterPaise: Paise
  reference: string
  description: string | null
  createdAt: WireTime
}

/** The transaction and its two entries in one statement; the position follows the user's last one, whose wallet is locked. */
const INSERT = statement(
  'ledger_insert',
  `with booked as (
     insert into ledger_transactions (user_id, transaction_id, transaction_type, amount_paise, balance_after_paise, position,
            reference, sealed, actor)
     select $1, $2, $3, $4, $5, coalesce(max(position), 0) + 1, $6, $7, $8 from ledger_transactions where user_id = $1
     returning created_at
   ), entered as (
     insert into ledger_entries (user_id, transaction_id, ledger_account, amount_paise)
     values ($1, $2, 'WALLET', $9), ($1, $2, 'PLATFORM_FLOAT', -$9::bigint)
   )
   select created_at from booked`,
)

const LIST = statement(
  'ledger_transactions_list',
  `select t.total, page.*
     from (select count(*)::int as total from ledger_transactions where user_id = $1) t
     left join lateral (
       select transaction_id, transaction_type, amount_paise, balance_after_paise, reference, sealed, created_at
         from ledger_transactions
        where user_id = $1
        order by position desc
        limit $2 offset $3) page on true`,
)

type Booking = {
  userId: string
  key: DataKey
  type: TransactionType
  amountPaise: Paise
  balanceAfterPaise: Paise
  reference: string
  description: string | undefined
  actor: string
}

/** Refuses with 409 when the reference is used already. */
export async function insertTransaction(tx: Tx, booking: Booking): Promise<WalletTransaction> {
  const { userId, key, type, amountPaise, balanceAfterPaise, reference, description, actor } = booking
  const id = newId('txn')
  const sealed = description === undefined ? null : seal(key, rowOf(userId, id), description)
  const signed = type === 'CREDIT' ? amountPaise : -amountPaise
  const values = [userId, id, type, amountPaise, balanceAfterPaise, reference, sealed, actor, signed]
  try {
    const { created_at: createdAt } = onlyRow(await tx.query<{ created_at: WireTime }>(INSERT, values))
    return { id, type, amountPaise, balanceAfterPaise, reference, description: description ?? null, createdAt }
  } catch (error) {
    throw violates(error, 'ledger_transactions_reference') ? conflict('This reference is booked already.') : error
  }
}

export async function listTransactions(
  db: Queryable,
  owner: { userId: string; key: DataKey },
  page: Page,
): Promise<Paged<WalletTransaction>> {
  type Row = {
    total: number
    transaction_id: string
    transaction_type: TransactionType
    amount_paise: Paise
    balance_after_paise: Paise
    reference: string
    sealed: string | null
    created_at: WireTime
  }
  const rows = await db.query<Row>(LIST, [owner.userId, page.limit, page.offset])
  return decodePage(rows, 'transaction_id', (row) => ({
    id: row.transaction_id,
    type: row.transaction_type,
    amountPaise: row.amount_paise,
    balanceAfterPaise: row.balance_after_paise,
    reference: row.reference,
    description:
      row.sealed === null ? null : unseal<string>(owner.key, rowOf(owner.userId, row.transaction_id), row.sealed),
    createdAt: row.created_at,
  }))
}

const rowOf = (userId: string, id: string) => `ledger_transactions:${userId}:${id}`

/**
 * What the entries say of one batch of wallets, in the order of user ids. Wrong are: a balance that is not the sum of
 * its entries, a transaction whose entries do not add up to nothing or are not two, a running balance that does not
 * follow from the one before, a gap in the positions.
 */
const VERIFY = statement(
  'ledger_verify',
  `with batch as (
     select user_id, balance_paise from wallets where user_id > $1 order by user_id limit $2
   ), running as (
     select t.user_id, t.transaction_id, t.position, t.balance_after_paise, e.amount_paise, x.entries, x.total,
            sum(e.amount_paise) over (partition by t.user_id order by t.position) as expected,
            row_number() over (partition by t.user_id order by t.position) as place,
            t.amount_paise * case t.transaction_type when 'CREDIT' then 1 else -1 end as signed
       from batch b
       join ledger_transactions t on t.user_id = b.user_id
       left join ledger_entries e on e.user_id = t.user_id and e.transaction_id = t.transaction_id and e.ledger_account = 'WALLET'
      cross join lateral (
        select count(*) as entries, coalesce(sum(amount_paise), 0) as total
          from ledger_entries where user_id = t.user_id and transaction_id = t.transaction_id) x
   )
   select b.user_id, b.balance_paise,
          count(r.*)::int as transactions,
          coalesce(sum(r.amount_paise), 0) <> b.balance_paise
            or coalesce(bool_or(r.entries <> 2 or r.total <> 0 or r.amount_paise is distinct from r.signed
                 or r.expected <> r.balance_after_paise or r.position <> r.place), false) as is_wrong
     from batch b
     left join running r on r.user_id = b.user_id
    group by b.user_id, b.balance_paise
    order by b.user_id`,
)

export type Verified = { user_id: string; balance_paise: Paise; transactions: number; is_wrong: boolean }

/** Checks the next wallets after this user id. */
export function verifyBatch(db: Database, afterUserId: string, limit: number): Promise<Verified[]> {
  return db.query<Verified>(VERIFY, [afterUserId, limit])
}
