import { LOCK_OUT_PARTS } from '../../../access/otp.ts'
import { LINKED_REVOKE_USER } from '../../../access/revocations.ts'
import { SCOPE_NAMES, scopeValues, USER_IS_IN_SCOPE, type UserScope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import {
  bytes,
  columns,
  day,
  decoded,
  flag,
  instant,
  integer,
  json,
  nullable,
  type RecordOf,
  text,
  time,
} from '../../../kernel/db/columns.ts'
import {
  type Database,
  foundRow,
  onlyRow,
  type Queryable,
  type Statement,
  statement,
} from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import { LINKED_ERASE_RESPONSES, recordedWrite, USER_REASON } from '../../../record/index.ts'
import type { Endings } from '../../cover/policy-propagation/index.ts'
import { ERASE_USER, ERASE_LOOKUPS_PARTS, type User } from '../../people/users/index.ts'
import { bumpWalletRevision } from '../../money/wallets/index.ts'
import { HELD, LINKED_HOLD } from './hold-store.ts'
import { type Erasure, ERASURES, SCHEDULED_ERASURES, type ScheduledErasure } from './records.ts'

const PERSON = columns('u', {
  userId: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  dataKey: text('data_key'),
  phoneHash: bytes('phone_hash'),
  otherPhoneHash: nullable(bytes('other_phone_hash')),
  revision: integer('revision'),
  coverRevision: integer('cover_revision'),
})

/**
 * The joined data of a person: the wallet, the last day of their books and of their policies, and a scheduled erasure.
 */
const BESIDE = columns('b', {
  balancePaise: nullable(integer('balance_paise')),
  walletRevision: nullable(integer('wallet_revision')),
  lastBookedOn: nullable(day('last_booked_on')),
  lastCoveredOn: nullable(day('last_covered_on')),
  askedAt: nullable(instant('asked_at')),
  waitsUntil: nullable(instant('waits_until')),
  endsPolicies: nullable(flag('ends_policies')),
  insurers: nullable(json<Insurer[], 'insurers'>('insurers')),
})

/** A benefit provider with a policy of the person, whatever its status. */
type Insurer = { providerId: string; policyIds: string[] }

/** A person with what decides about their erasure; nothing is decrypted. */
export type Erasable = RecordOf<typeof PERSON> & RecordOf<typeof BESIDE>

/** One row for each open policy, as `Endings` reads them, or one row without a policy. */
const findText = ({ read }: Endings) => `select ${PERSON.list}, ${BESIDE.list}, ${read.columns}
     from users u
     left join lateral (
       select w.balance_paise, w.revision as wallet_revision, e.asked_at, e.next_at as waits_until, e.ends_policies,
              (select (max(t.created_at) at time zone 'Asia/Kolkata')::date from ledger_transactions t where t.user_id = :user_id) as last_booked_on,
              (select max(coalesce(p.ends_on, p.end_date)) from insurance_policies p where p.user_id = :user_id) as last_covered_on,
              (select json_agg(json_build_object('providerId', p.benefit_provider_id, 'policyIds', p.policy_ids) order by p.benefit_provider_id)
                 from (select p.benefit_provider_id, json_agg(p.policy_id order by p.policy_id) as policy_ids
                         from insurance_policies p
                        where p.user_id = :user_id
                        group by p.benefit_provider_id) p) as insurers
         from (select 1) one
         left join wallets w on w.user_id = :user_id
         left join erasures e on e.user_id = :user_id) b on true
     left join ${read.from} on true
    where u.user_id = :user_id and ${USER_IS_IN_SCOPE}`

/** Writes the tombstone, also of a scheduled erasure. */
export const LINKED_TOMBSTONE = linkedInsert(
  'erasures',
  {
    userId: text('user_id'),
    askedAt: time('asked_at'),
    endsPolicies: flag('ends_policies'),
    erasedAt: time('erased_at'),
    nextAt: time('next_at'),
    ledgerUntil: nullable(day('ledger_until')),
    policiesUntil: nullable(day('policies_until')),
  },
  `on conflict (user_id) do update
      set erased_at = excluded.erased_at, next_at = excluded.next_at, ends_policies = excluded.ends_policies,
          ledger_until = excluded.ledger_until, policies_until = excluded.policies_until`,
)

/** What an erasure was decided on, and when; `ERASE_USER` and `Endings` name them too. */
const ERASURE_VALUES = {
  userId: text('user_id'),
  revision: integer('revision'),
  /** The open policies. */
  seen: text('seen'),
  coverRevision: integer('cover_revision'),
  at: time('at'),
  /** Null without a wallet. */
  walletRevision: nullable(integer('wallet_revision')),
  /** Whether a scheduled erasure must be due: its cancellation waits for this statement, or this one for it. */
  isDue: flag('is_due'),
  /** The last day of the hold; null without one. */
  heldUntil: nullable(day('held_until')),
  holdKeyId: nullable(text('hold_key_id')),
  heldKey: nullable(text('held_key')),
}

/**
 * Builds the statements of an erasure; called once. One statement deletes the data key and ends lookups, sessions and
 * tokens: from then on nobody can find the person or decrypt anything about them.
 */
export const erasureStatements = (endings: Endings) => ({
  find: namedStatement('users_find_to_erase', SCOPE_NAMES, findText(endings)),
  write: recordedWrite({
    name: 'users_erase',
    values: ERASURE_VALUES,
    single: `passed as (
       ${bumpWalletRevision({ user: ':user_id', revision: ':wallet_revision::int' })}
     ), due as (
       select user_id from erasures where user_id = :user_id and erased_at is null and next_at <= :at for update
     ), changed as (
       ${ERASE_USER} and (:wallet_revision::int is null or exists (select from passed))
          and (not :is_due::boolean or exists (select from due)) and ${endings.guard}
       returning 1 as n)`,
    linked: [
      ...ERASE_LOOKUPS_PARTS,
      ...LOCK_OUT_PARTS,
      LINKED_REVOKE_USER,
      LINKED_ERASE_RESPONSES,
      LINKED_TOMBSTONE,
      LINKED_HOLD,
      ...endings.linked,
    ],
    history: 'user',
  }),
})

/** How a person is read and erased. */
export type ErasureStatements = ReturnType<typeof erasureStatements>

/** A scheduled erasure changes only if it did not end policies and now does. */
export const SCHEDULE_ERASURE = recordedWrite({
  name: 'erasures_schedule',
  values: {
    userId: text('user_id'),
    askedAt: time('asked_at'),
    nextAt: time('next_at'),
    endsPolicies: flag('ends_policies'),
  },
  insert: 'erasures',
  columns: 'user_id, asked_at, next_at, ends_policies',
  onConflict: `on conflict (user_id) do update set ends_policies = true
               where erasures.erased_at is null and excluded.ends_policies and not erasures.ends_policies`,
})

/** Cancels an erasure that has not been executed. */
export const CANCEL_ERASURE = recordedWrite({
  name: 'erasures_cancel',
  values: { userId: text('user_id') },
  single: 'delete from erasures where user_id = :user_id and erased_at is null returning 1 as n',
})

/** Returns a person in the caller's scope with their open policies. Throws 404 `not_found` when missing or erased. */
export async function findErasable(
  db: Queryable,
  { find }: Pick<ErasureStatements, 'find'>,
  scope: UserScope,
): Promise<{ person: Erasable; policies: object[] }> {
  const rows = await db.query<object>(find, scopeValues(scope))
  const row = foundRow(rows)
  return { person: { ...PERSON.decode(row), ...BESIDE.decode(row) }, policies: rows }
}

const WITH_HOLD = 'erasures e left join erasure_holds h on h.user_id = e.user_id'
const decodeErasure = (row: object): Erasure => ({ ...ERASURES.decode(row), ...HELD.decode(row) })

const LIST_DUE = statement(
  'erasures_due',
  `select ${ERASURES.list}, ${HELD.list} from ${WITH_HOLD} where e.next_at <= $1 and e.user_id <> all ($2) order by e.next_at limit $3`,
)

/** Returns the erasures that are due, most overdue first, except the given ones. */
export const listDue = async (
  db: Queryable,
  { at, without, limit }: { at: Date; without: string[]; limit: number },
): Promise<Erasure[]> => (await db.query<object>(LIST_DUE, [at, without, limit])).map(decodeErasure)

const FIND_ERASURE = statement(
  'erasures_find',
  `select ${ERASURES.list}, ${HELD.list} from erasures e left join erasure_holds h on h.user_id = $1 where e.user_id = $1`,
)

export const findErasure = async (db: Queryable, userId: string): Promise<Erasure> =>
  decodeErasure(onlyRow(await db.query<object>(FIND_ERASURE, [userId])))

const SCHEDULE_NEXT_RUN = statement(
  'erasures_schedule_next_run',
  'update erasures set next_at = $2 where user_id = $1 and next_at <= $3',
)

type NextRun = { now: Date; nextAt: Date | null }

/** Schedules the next run of an erasure that is due; none when `nextAt` is null. One that was requested again concurrently keeps its notice. */
export async function scheduleNextRun(db: Queryable, userId: string, { now, nextAt }: NextRun): Promise<void> {
  await db.query(SCHEDULE_NEXT_RUN, [userId, nextAt, now])
}

const LIST_TOMBSTONES = statement(
  'erasures_list',
  `select ${ERASURES.list}, ${HELD.list} from ${WITH_HOLD} where e.erased_at is not null and e.user_id > $1 order by e.user_id limit $2`,
)

/** Returns the next page of executed erasures, in the order of user ids. */
export const listTombstones = async (db: Queryable, after: string, limit: number): Promise<Erasure[]> =>
  (await db.query<object>(LIST_TOMBSTONES, [after, limit])).map(decodeErasure)

const FIND_ERASED = statement(
  'users_find_erased',
  'select u.data_key is null as is_erased from users u where u.user_id = $1',
)

/** Returns true for an erased user, false for an existing one, undefined for an unknown id. */
export const isErased = async (db: Queryable, userId: string): Promise<boolean | undefined> =>
  (await db.query<{ is_erased: boolean }>(FIND_ERASED, [userId]))[0]?.is_erased

/** Runs the steps of an erasure in order; steps without remaining data do nothing. */
export async function runSteps(db: Database, userId: string, steps: readonly Statement[]): Promise<void> {
  for (const step of steps) await db.query(step, [userId])
}

const FIND_SCHEDULED = statement(
  'erasures_find_scheduled',
  `select ${SCHEDULED_ERASURES.list} from erasures e where e.user_id = $1 and e.erased_at is null`,
)

export const findScheduled = async (db: Queryable, userId: string): Promise<ScheduledErasure | undefined> =>
  (await db.query<object>(FIND_SCHEDULED, [userId])).map(SCHEDULED_ERASURES.decode)[0]

const PROVIDER = columns('b', { id: text('benefit_provider_id'), name: text('name') })

const LIST_PROVIDERS = statement(
  'user_providers_list',
  `select ${PROVIDER.list}
     from user_providers k
     join benefit_providers b on b.benefit_provider_id = k.benefit_provider_id
    where k.user_id = $1
    order by b.benefit_provider_id`,
)

export const listProviders = async (db: Queryable, userId: string): Promise<RecordOf<typeof PROVIDER>[]> =>
  (await db.query<object>(LIST_PROVIDERS, [userId])).map(PROVIDER.decode)

const STATUS_CHANGE = columns('h', {
  entityId: text('entity_id'),
  changeId: text('change_id'),
  from: nullable(text('from_status')),
  to: text('to_status'),
  reason: nullable(text('reason')),
  at: time('at'),
})

/** One status change of any record of a user, with its reason decrypted. */
export type StatusChange = RecordOf<typeof STATUS_CHANGE>

const LIST_STATUS_CHANGES = statement(
  'user_status_changes_list',
  listText({
    columns: STATUS_CHANGE.list,
    from: 'user_status_changes h',
    where: 'h.user_id = $1',
    order: 'h.at, h.change_id',
    limit: '$2',
    offset: '$3',
  }),
)

/** The operator or the program changes a wallet, so its reasons are stored in clear text. */
const WALLET_ID = /^wal_/

/** Returns a page of all status changes, oldest first. */
export async function listStatusChanges(
  db: Queryable,
  { id: userId, key }: Pick<User, 'id' | 'key'>,
  { limit, offset }: Page,
): Promise<Paged<StatusChange>> {
  const rows = await db.query<{ total: number }>(LIST_STATUS_CHANGES, [userId, limit, offset])
  return decodePage(rows, 'change_id', (row) => {
    const { reason, ...change } = STATUS_CHANGE.decode(row)
    if (reason === null || WALLET_ID.test(change.entityId)) return { ...change, reason }
    return { ...change, reason: USER_REASON.unsealOr(key, { userId, ...change }, reason, UNAVAILABLE) }
  })
}
