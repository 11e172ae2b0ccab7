import { text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import { alreadyExists } from '../../../kernel/problem-error.ts'

const ACCOUNTS_AT_ONCE = 500

/** The account that has a number of an account provider. A second one for the same number aborts the write. */
export const LINKED_NUMBERS = linkedInsert('account_numbers', {
  number: text('external_account_id'),
  providerId: text('account_provider_id'),
  userId: text('user_id'),
  accountId: text('account_id'),
})

type NumberRow = { external_account_id: string; account_provider_id: string; user_id: string; account_id: string }

const NUMBER_COLUMNS = 'external_account_id text, account_provider_id text, user_id text, account_id text'

const FIND_HOLDER = statement(
  'account_numbers_find',
  'select account_id from account_numbers where external_account_id = $1 and account_provider_id = $2',
)

/** Accounts of which it is not known whether they have their number, the oldest first: an earlier version wrote them. */
const LIST_UNKNOWN = statement(
  'accounts_number_unknown',
  `select external_account_id, coalesce(account_provider_id, '') as account_provider_id, user_id, account_id
     from accounts
    where external_account_id is not null and has_number is null
    order by created_at
    limit ${ACCOUNTS_AT_ONCE}`,
)

/** The first of two equal numbers wins, also within a batch; a number that is there stays where it is. */
const ADD = statement(
  'account_numbers_add',
  `insert into account_numbers (external_account_id, account_provider_id, user_id, account_id)
   select r.external_account_id, r.account_provider_id, r.user_id, r.account_id
     from json_to_recordset($1) as r (position int, ${NUMBER_COLUMNS})
    order by r.external_account_id, r.position
       on conflict do nothing`,
)

/** A separate statement, because on a cluster numbers are on other shards than accounts. */
const FIND_HOLDERS = statement(
  'account_numbers_find_holders',
  `select external_account_id, account_provider_id, user_id, account_id
     from account_numbers
    where external_account_id = any ($1)`,
)

const MARK = statement(
  'accounts_mark_number',
  `update accounts a
      set has_number = r.has_number
     from json_to_recordset($2) as r (user_id text, account_id text, has_number boolean)
    where a.user_id = any ($1) and a.user_id = r.user_id and a.account_id = r.account_id
   returning a.account_id`,
)

/** For accounts that were erased since they were read. */
const REMOVE = statement(
  'account_numbers_remove',
  `delete from account_numbers n
    using json_to_recordset($2) as r (${NUMBER_COLUMNS})
    where n.external_account_id = any ($1) and n.external_account_id = r.external_account_id
      and n.account_provider_id = r.account_provider_id and n.account_id = r.account_id`,
)

/** An account that the account provider gave a number of, although another account has it. */
export type TakenNumber = { account_id: string; held_by: string }

type Opened = { number: string; providerId: string; accountId: string }

/**
 * Maps a violation of the unique number to an error that names the other account, after it was reported; the account stays
 * PENDING, because the money of two people would go to one account.
 */
export const numberConflict = (
  db: Queryable,
  { number, providerId, accountId }: Opened,
  report: (taken: TakenNumber) => void,
) => ({
  account_numbers_pkey: async () => {
    const [holder] = await db.query<{ account_id: string }>(FIND_HOLDER, [number, providerId])
    if (!holder) return undefined
    report({ account_id: accountId, held_by: holder.account_id })
    return alreadyExists('The account provider gave a number that another account has.', [holder.account_id])
  },
})

/**
 * Adds the numbers of accounts that an earlier version wrote, a batch at a time, reports those that another account had first,
 * and returns the number of accounts. Costs a lookup in an empty index when there is nothing to do.
 */
export async function fillNumbers(
  db: Queryable,
  report: (taken: TakenNumber) => void,
  stop?: AbortSignal,
): Promise<number> {
  let filled = 0
  for (let rows = await db.query<NumberRow>(LIST_UNKNOWN); rows.length > 0; ) {
    filled += await fillBatch(db, rows, report)
    if (stop?.aborted) return filled
    rows = await db.query<NumberRow>(LIST_UNKNOWN)
  }
  return filled
}

const toKey = ({ external_account_id, account_provider_id }: NumberRow) =>
  `${account_provider_id} ${external_account_id}`

async function fillBatch(db: Queryable, rows: NumberRow[], report: (taken: TakenNumber) => void): Promise<number> {
  const numbers = rows.map(({ external_account_id }) => external_account_id)
  await db.query(ADD, [JSON.stringify(rows.map((row, position) => ({ ...row, position })))])
  const holders = await db.query<NumberRow>(FIND_HOLDERS, [numbers])
  const holderByKey = new Map(holders.map((holder) => [toKey(holder), holder.account_id]))
  const marks = rows.map((row) => {
    const { user_id, account_id } = row
    return { user_id, account_id, has_number: holderByKey.get(toKey(row)) === account_id }
  })
  const users = [...new Set(rows.map(({ user_id }) => user_id))]
  const marked = await db.query<{ account_id: string }>(MARK, [users, JSON.stringify(marks)])
  const present = new Set(marked.map(({ account_id }) => account_id))
  const gone = rows.filter(({ account_id }) => !present.has(account_id))
  if (gone.length > 0) await db.query(REMOVE, [numbers, JSON.stringify(gone)])
  for (const row of rows) {
    const held_by = holderByKey.get(toKey(row))
    if (present.has(row.account_id) && held_by !== undefined && held_by !== row.account_id)
      report({ account_id: row.account_id, held_by })
  }
  return marked.length
}
