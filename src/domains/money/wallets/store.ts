import { IN_SCOPE, scopeValues, type UserScope } from '../../../access/scope.ts'
import { flag, integer, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { type Database, foundRow, onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { createPurge } from '../../../kernel/db/purge.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { findLastReason, recordedWrite } from '../../../record/index.ts'
import { WALLET, type Wallet } from './records.ts'
import { HELD_STATUSES, PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'
import { LINKED_QUESTIONS } from './sweep-store.ts'

/** The columns of `wallets w` that `decodeWalletOfUser` reads, for joins in other domains. */
export const WALLET_COLUMNS = WALLET.list

/** Clients poll the status while a wallet is provisioned, so these reads share statements. */
const FIND = batchedRead<object>({
  name: 'wallets_find',
  parameters: 'user_id text',
  text: (calls, user) => `select c.n::int, ${WALLET.list} from ${calls} join wallets w on w.user_id = ${user}`,
})

const FIND_IN_SCOPE = statement(
  'wallets_find_in_scope',
  `select ${WALLET.list}
     from users u
     left join wallets w on w.user_id = $1
    where u.user_id = $1 and ${IN_SCOPE}`,
)

/** Finds a wallet by its reference, and whether the operator's event was received before, with which content. */
const FIND_REFERENCE = statement(
  'wallet_ids_find',
  `select e.event_id is not null as is_known, e.content, i.user_id as owner_id, ${WALLET.list}
     from (values (1)) as always (one)
     left join operator_events e on e.event_id = $2
     left join wallet_ids i on i.partner_wallet_id = $1
     left join wallets w on w.user_id = i.user_id`,
)

/** The same in steps, for a cluster: the reference, the event and the wallet may lie on different nodes. */
const FIND_OWNER = statement('wallet_ids_find_owner', 'select user_id from wallet_ids where partner_wallet_id = $1')
const FIND_EVENT = statement('operator_events_find', 'select content from operator_events where event_id = $1')

export const LINKED_WALLET_IDS = linkedInsert('wallet_ids', { id: text('partner_wallet_id'), userId: text('user_id') })

/** Inserts a wallet; nothing when the user has one: the key decides, so that concurrent calls cannot create two. */
export const INSERT_WALLET = recordedWrite({
  name: 'wallets_insert',
  values: {
    userId: text('user_id'),
    platformId: text('platform_id'),
    id: text('partner_wallet_id'),
    status: oneOf('wallet_status', WALLET_STATUSES),
    partnerStatus: oneOf('wallet_status_partner', PARTNER_STATUSES),
    at: time('at'),
  },
  insert: 'wallets',
  columns: `user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner, queued_at = :at,
            created_at = :at, last_modified_at = :at`,
  onConflict: 'on conflict (user_id) do nothing',
  batchKey: 'partner_wallet_id',
  linked: [LINKED_WALLET_IDS],
  history: 'user',
})

const OPERATOR_EVENT = { id: text('event_id'), content: text('content') }

export const LINKED_OPERATOR_EVENTS = linkedInsert('operator_events', OPERATOR_EVENT)

const READ_WALLET = { update: 'wallets w', key: 'w.user_id = :user_id', guard: 'w.revision = :revision' } as const

/** Updates what provisioning and the operator change. A null `queued_at` keeps the stored time. */
export const UPDATE_WALLET = recordedWrite({
  name: 'wallets_update',
  values: {
    userId: text('user_id'),
    revision: integer('revision'),
    status: oneOf('wallet_status', WALLET_STATUSES),
    partnerStatus: oneOf('wallet_status_partner', PARTNER_STATUSES),
    tries: integer('tries'),
    queuedAt: nullable(time('queued_at')),
    operatorStatus: nullable(oneOf('operator_status', HELD_STATUSES)),
    operatorSequence: nullable(integer('operator_sequence')),
    mayBeHeld: flag('may_be_held'),
    at: time('at'),
  },
  ...READ_WALLET,
  set: `wallet_status = :wallet_status, wallet_status_partner = :wallet_status_partner, tries = :tries,
               queued_at = coalesce(:queued_at, w.queued_at), operator_status = :operator_status,
               operator_sequence = :operator_sequence, may_be_held = :may_be_held,
               revision = w.revision + 1, last_modified_at = :at`,
  linked: [LINKED_OPERATOR_EVENTS, LINKED_QUESTIONS],
  history: 'user',
})

/** Provisions a FAILED wallet again; many at once share a statement. */
export const RESTART_WALLET = recordedWrite({
  name: 'wallets_restart',
  values: { userId: text('user_id'), revision: integer('revision'), at: time('at') },
  ...READ_WALLET,
  set: `wallet_status = 'PENDING', tries = 0, queued_at = :at, revision = w.revision + 1, last_modified_at = :at`,
  batched: true,
  history: 'user',
})

/** Records an operator event that changes no wallet, and whether the operator is asked because of it. */
export const INSERT_OPERATOR_EVENT = recordedWrite({
  name: 'operator_events_insert',
  values: OPERATOR_EVENT,
  insert: 'operator_events',
  columns: 'event_id, content',
  linked: [LINKED_QUESTIONS],
  events: false,
})

/** Sets the balance after a booking and its position; the ledger adds its rows. */
export const SET_BALANCE = {
  values: {
    userId: text('user_id'),
    revision: integer('revision'),
    balancePaise: integer('balance_paise'),
    lastPosition: integer('last_position'),
    at: time('at'),
  },
  ...READ_WALLET,
  set: `balance_paise = :balance_paise, last_position = :last_position, revision = w.revision + 1, last_modified_at = :at`,
  batched: true,
} as const

/**
 * SQL: increments the revision of a user's wallet if it is still the one that was read, so that a booking decided concurrently
 * changes nothing.
 */
export const bumpWalletRevision = ({ user, revision }: { user: string; revision: string }): string =>
  `update wallets set revision = revision + 1 where user_id = ${user} and revision = ${revision} returning user_id`

/** Deletes the wallet of the user `$1`. One with bookings stays for the ledger, but the operator's events no longer find it. */
export const ERASE_WALLET = statement(
  'wallets_erase',
  `with ids as (delete from wallet_ids where user_id = $1 and partner_wallet_id in (
                  select w.partner_wallet_id from wallets w where w.user_id = $1)),
        questions as (delete from wallet_questions where user_id = $1)
   delete from wallets where user_id = $1 and last_position = 0`,
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

/** Two statements: each has an index of its own. */
const failedList = (name: string, where: string) =>
  statement(
    name,
    `select w.user_id
       from wallets w
      where w.wallet_status = 'FAILED' and ${where}
      order by w.last_modified_at
      limit $1`,
  )
const LIST_FAILED = failedList('wallets_list_failed', 'true')
const LIST_FAILED_OF_PLATFORM = failedList('wallets_list_failed_of_platform', 'w.platform_id = $2')

const LAST_RETRYING = statement(
  'wallets_last_retrying',
  `select user_id, partner_wallet_id
     from wallets
    where wallet_status = 'RETRYING'
    order by last_modified_at desc
    limit 1`,
)

/** Returns why the wallet that was tried last waits, null where only silence is known; undefined when none waits. */
export async function findReasonToRetry(db: Queryable): Promise<string | null | undefined> {
  const [wallet] = await db.query<{ user_id: string; partner_wallet_id: string }>(LAST_RETRYING)
  if (!wallet) return undefined
  return findLastReason(db, { userId: wallet.user_id, entityId: wallet.partner_wallet_id, to: 'RETRYING' })
}

type FailedFilter = { platformId: string | null; limit: number }

/** Returns the users of FAILED wallets, of all platforms when `platformId` is null, the longest FAILED first. */
export async function listFailed(db: Queryable, { platformId, limit }: FailedFilter): Promise<string[]> {
  const rows =
    platformId === null
      ? await db.query<{ user_id: string }>(LIST_FAILED, [limit])
      : await db.query<{ user_id: string }>(LIST_FAILED_OF_PLATFORM, [limit, platformId])
  return rows.map(({ user_id }) => user_id)
}

export async function findWallet(db: Database, userId: string): Promise<Wallet | undefined> {
  const [row] = await FIND(db, [userId])
  return row && WALLET.decode(row)
}

/** Creates the 404 for wallet users, who can create what is missing. */
export const noWallet = () => notFound('There is no wallet yet. Create it with POST /wallet/v1/wallet.')

/** Returns the user's wallet. Throws 404 `not_found` when there is none. */
export async function existingWallet(db: Database, userId: string): Promise<Wallet> {
  const wallet = await findWallet(db, userId)
  if (!wallet) throw noWallet()
  return wallet
}

/**
 * Decodes the wallet alongside a user who is in the caller's scope. Throws 404 `not_found` with its own words when there is
 * none: a caller who may see the user must not look for a wrong id.
 */
export function decodeWalletOfUser(row: object): Wallet {
  checkHasWallet(row)
  return WALLET.decode(row)
}

/** Throws 404 `not_found` when the row of a user has no wallet alongside it. */
export function checkHasWallet(row: object): void {
  if ('partner_wallet_id' in row && row.partner_wallet_id === null) throw notFound(USER_WITHOUT_WALLET)
}

const USER_WITHOUT_WALLET =
  'The user has no wallet. Only the user can create it, with POST /wallet/v1/wallet after signing in with a one-time code.'

/** Returns the user's wallet. Throws 404 `not_found` when there is none or the user is not in the caller's scope. */
export async function findWalletInScope(db: Queryable, scope: UserScope): Promise<Wallet> {
  return decodeWalletOfUser(foundRow(await db.query<object>(FIND_IN_SCOPE, scopeValues(scope))))
}

/** An event that was received before. `content` is null when an earlier version received it. */
type KnownEvent = { content: string | null }

/** Returns the wallet of an operator event, undefined when the reference is unknown, and the event if it was received before. */
export async function findReference(
  db: Database,
  { reference, eventId }: { reference: string; eventId: string },
): Promise<{ knownEvent: KnownEvent | undefined; wallet: Wallet | undefined }> {
  if (!db.batching) {
    const [[owner], [knownEvent]] = await Promise.all([
      db.query<{ user_id: string }>(FIND_OWNER, [reference]),
      db.query<KnownEvent>(FIND_EVENT, [eventId]),
    ])
    return { knownEvent, wallet: owner && (await findWallet(db, owner.user_id)) }
  }
  type Row = KnownEvent & { is_known: boolean; owner_id: string | null }
  const row = onlyRow(await db.query<Row>(FIND_REFERENCE, [reference, eventId]))
  return { knownEvent: row.is_known ? row : undefined, wallet: row.owner_id === null ? undefined : WALLET.decode(row) }
}

/**
 * Returns users whose provisioning has stalled, and touches their wallets, so that each is returned once per period.
 */
export async function claimUnfinished(
  db: Queryable,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<string[]> {
  return (await db.query<{ user_id: string }>(UNFINISHED, [seconds, limit])).map((row) => row.user_id)
}

const EVENTS_KEPT_SECONDS = 7 * 86_400

/** Deletes the ids of operator events that are too old to be sent again. */
export const deleteOldOperatorEvents = createPurge({
  table: 'operator_events',
  time: 'received_at',
  seconds: EVENTS_KEPT_SECONDS,
})
