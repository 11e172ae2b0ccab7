import { type Database, onlyRow, type Queryable, statement, type Tx } from '../../kernel/db/database.ts'
import { decodeUserId, decoderOf, type UserId } from '../../kernel/db/decode.ts'
import { purge, purgeText } from '../../kernel/db/purge.ts'
import { shareStatement } from '../../kernel/db/shared-statement.ts'
import type { Paise } from '../../kernel/money.ts'
import { notFound } from '../../kernel/refusal.ts'
import { PARTNER_STATUSES, type PartnerStatus, WALLET_STATUSES, type WalletStatus } from './states.ts'

export type Wallet = {
  id: string
  userId: UserId
  platformId: string
  status: WalletStatus
  partnerStatus: PartnerStatus
  balancePaise: Paise
  tries: number
  queuedAt: Date
  /** A call to the operator may have been heard, so it is asked before anything is created. */
  mayBeHeld: boolean
  operatorStatus: 'ACTIVE' | 'BLOCKED' | null
  operatorSequence: number | null
  revision: number
}

type Row = {
  user_id: string
  platform_id: string
  partner_wallet_id: string
  wallet_status: string
  wallet_status_partner: string
  balance_paise: Paise
  tries: number
  queued_at_s: number
  may_be_held: boolean
  operator_status: string | null
  operator_sequence: number | null
  revision: number
}

const COLUMNS = `w.user_id, w.platform_id, w.partner_wallet_id, w.wallet_status, w.wallet_status_partner, w.balance_paise,
  w.tries, extract(epoch from w.queued_at)::float8 as queued_at_s, w.may_be_held, w.operator_status,
  w.operator_sequence, w.revision`

const FIND = statement('wallets_find', `select ${COLUMNS} from wallets w where w.user_id = $1`)

const FIND_SHARED = statement(
  'wallets_find_shared',
  `select c.n::int, ${COLUMNS}
     from unnest($1::text[]) with ordinality as c (user_id, n)
     join wallets w on w.user_id = c.user_id`,
)

const LOCK = statement('wallets_lock', `select ${COLUMNS} from wallets w where w.user_id = $1 for no key update`)

const INSERT = statement(
  'wallets_insert',
  `insert into wallets as w (user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner, queued_at)
   values ($1, $2, $3, 'PENDING', 'UNKNOWN', $4)
       on conflict (user_id) do nothing
   returning ${COLUMNS}`,
)

const INSERT_ID = statement('wallet_ids_insert', 'insert into wallet_ids (partner_wallet_id, user_id) values ($1, $2)')

const FIND_OWNER = statement('wallet_ids_find', 'select user_id from wallet_ids where partner_wallet_id = $1')

const UPDATE = statement(
  'wallets_update',
  `update wallets as w
      set wallet_status = $2, wallet_status_partner = $3, tries = $4, queued_at = $5, operator_status = $6,
          operator_sequence = $7, may_be_held = $8, revision = revision + 1, last_modified_at = now()
    where user_id = $1
   returning ${COLUMNS}`,
)

const SET_BALANCE = statement(
  'wallets_set_balance',
  'update wallets set balance_paise = $2, revision = revision + 1, last_modified_at = now() where user_id = $1',
)

const UNFINISHED = statement(
  'wallets_unfinished',
  `update wallets
      set last_modified_at = now()
    where user_id in (
            select user_id
              from wallets
             where wallet_status in ('PENDING', 'IN_PROGRESS', 'RETRYING')
               and last_modified_at < now() - $1 * interval '1 second'
             order by last_modified_at
             limit $2)
      and last_modified_at < now() - $1 * interval '1 second'
   returning user_id`,
)

const INSERT_OPERATOR_EVENT = statement(
  'operator_events_insert',
  'insert into operator_events (event_id) values ($1) on conflict do nothing returning event_id',
)

const FORGET_OPERATOR_EVENTS = statement(
  'operator_events_forget',
  purgeText({
    table: 'operator_events',
    key: 'event_id',
    condition: `received_at < now() - $1 * interval '1 second'`,
  }),
)

/** Made and, in the same breath, PENDING; undefined when the user has one already: the key decides, so that no race makes two. */
export async function insertWallet(
  tx: Tx,
  wallet: { userId: string; platformId: string; id: string; now: Date },
): Promise<Wallet | undefined> {
  const [row] = await tx.query<Row>(INSERT, [wallet.userId, wallet.platformId, wallet.id, wallet.now])
  if (!row) return undefined
  await tx.query(INSERT_ID, [wallet.id, wallet.userId])
  return decode(row)
}

/** Undefined when the user has none. */
export async function findWallet(db: Queryable, userId: string): Promise<Wallet | undefined> {
  const [row] = await db.query<Row>(FIND, [userId])
  return row && decode(row)
}

/** The same, shared by concurrent calls: status is asked in a loop while a wallet is provisioned. */
export function openWalletLookup(db: Database): (userId: string) => Promise<Wallet | undefined> {
  const find = shareStatement<string, Row & { n: number }>(db, FIND_SHARED, (userId) => [userId])
  return async (userId) => {
    const [row] = await find(userId)
    return row && decode(row)
  }
}

/** Reads the wallet and holds it until the transaction ends; 404 when there is none. */
export async function lockWallet(tx: Tx, userId: string): Promise<Wallet> {
  const [row] = await tx.query<Row>(LOCK, [userId])
  if (!row) throw notFound()
  return decode(row)
}

export async function findWalletOwner(db: Queryable, walletId: string): Promise<UserId | undefined> {
  const [row] = await db.query<{ user_id: string }>(FIND_OWNER, [walletId])
  return row && decodeUserId(row.user_id)
}

export async function updateWallet(tx: Tx, wallet: Wallet): Promise<Wallet> {
  const { userId, status, partnerStatus, tries, queuedAt, operatorStatus, operatorSequence, mayBeHeld } = wallet
  const values = [userId, status, partnerStatus, tries, queuedAt, operatorStatus, operatorSequence, mayBeHeld]
  return decode(onlyRow(await tx.query<Row>(UPDATE, values)))
}

export async function setBalance(
  tx: Tx,
  { userId, balancePaise }: { userId: string; balancePaise: Paise },
): Promise<void> {
  await tx.query(SET_BALANCE, [userId, balancePaise])
}

/** Users whose wallets have stood still in the middle of provisioning; told once, for that moves them on in time. */
export async function takeUnfinished(
  db: Queryable,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<string[]> {
  return (await db.query<{ user_id: string }>(UNFINISHED, [seconds, limit])).map((row) => row.user_id)
}

/** False when the event was received before. */
export async function insertOperatorEvent(tx: Tx, eventId: string): Promise<boolean> {
  return (await tx.query(INSERT_OPERATOR_EVENT, [eventId])).length > 0
}

export async function forgetOperatorEvents(db: Queryable, seconds: number): Promise<void> {
  await purge(db, FORGET_OPERATOR_EVENTS, [seconds])
}

const decodeStatus = decoderOf(WALLET_STATUSES, 'wallet status')
const decodeOperatorStatus = decoderOf(['ACTIVE', 'BLOCKED'], 'status told by the operator')
const decodePartnerStatus = decoderOf(PARTNER_STATUSES, 'operator status of a wallet')

function decode(row: Row): Wallet {
  return {
    id: row.partner_wallet_id,
    userId: decodeUserId(row.user_id),
    platformId: row.platform_id,
    status: decodeStatus(row.wallet_status),
    partnerStatus: decodePartnerStatus(row.wallet_status_partner),
    balancePaise: row.balance_paise,
    tries: row.tries,
    queuedAt: new Date(row.queued_at_s * 1000),
    mayBeHeld: row.may_be_held,
    operatorStatus: row.operator_status === null ? null : decodeOperatorStatus(row.operator_status),
    operatorSequence: row.operator_sequence,
    revision: row.revision,
  }
}
