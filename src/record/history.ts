import assert from 'node:assert/strict'
import { actorOf, type Caller } from '../access/caller.ts'
import { sealedColumn } from '../kernel/crypto/sealed-column.ts'
import type { DataKey } from '../kernel/crypto/vault.ts'
import { nullable, text, time } from '../kernel/db/columns.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { linkedInsert, type LinkedRows, type LinkedRowOf } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'
import type { Author } from './change.ts'

const CHANGE = {
  entityId: text('entity_id'),
  id: text('change_id'),
  from: nullable(text('from_status')),
  to: text('to_status'),
  actor: text('actor'),
  reason: nullable(text('reason')),
  at: time('at'),
}

/** Whose history a write continues: that of a user's record, or of any other. */
export type History = 'user' | 'catalogue'

/**
 * The histories of user records, and of all others. The request of a user's change is in the audit entry of the same
 * write: a person has thousands of bytes of history.
 */
export const LINKED_USER_HISTORY = linkedInsert('user_status_changes', { userId: text('user_id'), ...CHANGE })
export const LINKED_CATALOGUE_HISTORY = linkedInsert('catalogue_status_changes', {
  ...CHANGE,
  requestId: text('request_id'),
})

/** SQL: when a user's record entered its status. */
export const sinceText = ({ user, entity }: { user: string; entity: string }): string =>
  `(select max(h.at) from user_status_changes h where h.user_id = ${user} and h.entity_id = ${entity})`

/** SQL: the same for many records, with the user and the record. */
export const sinceAllText = ({ users, entities }: { users: string; entities: string }): string =>
  `select h.user_id, h.entity_id, max(h.at) as since
     from user_status_changes h
    where h.user_id = any (${users}) and h.entity_id = any (${entities})
    group by h.user_id, h.entity_id`

const LAST_REASON = statement(
  'user_status_changes_last_reason',
  `select reason
     from user_status_changes
    where user_id = $1 and entity_id = $2 and to_status = $3
    order by at desc
    limit 1`,
)

type Entered = { userId: string; entityId: string; to: string }

/** Returns the reason, as stored, with which a user's record last entered a status; null when there is none. */
export async function findLastReason(db: Queryable, { userId, entityId, to }: Entered): Promise<string | null> {
  const [change] = await db.query<{ reason: string | null }>(LAST_REASON, [userId, entityId, to])
  return change?.reason ?? null
}

/** The same of many records. */
const LAST_REASONS = statement(
  'user_status_changes_last_reasons',
  `select distinct on (h.entity_id) h.entity_id, h.reason
     from user_status_changes h
    where h.user_id = any ($1) and h.entity_id = any ($2) and h.to_status = $3
    order by h.entity_id, h.at desc`,
)

type AllEntered = { userIds: readonly string[]; entityIds: readonly string[]; to: string }

/** Returns those of many records, by the record; a record without one is left out. */
export async function findLastReasons(db: Queryable, { userIds, entityIds, to }: AllEntered) {
  if (entityIds.length === 0) return new Map<string, string>()
  type Row = { entity_id: string; reason: string | null }
  const rows = await db.query<Row>(LAST_REASONS, [userIds, entityIds, to])
  return new Map(rows.flatMap(({ entity_id, reason }) => (reason === null ? [] : [[entity_id, reason] as const])))
}

export type StatusChange = {
  userId: string | null
  entityId: string
  from: string | null
  to: string
  /** Who makes it, if not the caller: the program, where a transition follows from another change. */
  author?: Caller
  /** Sealed with the key of the person it may be about; plain text (`key: null`) where the record belongs to nobody. */
  reason?: { text: string | undefined; key: DataKey | null }
}

export function toHistoryRows(history: History, changes: readonly StatusChange[], author: Author): LinkedRows {
  if (history === 'catalogue') {
    const rows = changes.map((change) => ({ ...toChangeRow(change, author), request_id: author.requestId }))
    return LINKED_CATALOGUE_HISTORY.rows(rows)
  }
  return LINKED_USER_HISTORY.rows(
    changes.map((change) => {
      assert(change.userId !== null, 'a record of a user names the user')
      return { user_id: change.userId, ...toChangeRow(change, author) }
    }),
  )
}

function toChangeRow(
  { userId, entityId, from, to, author, reason }: StatusChange,
  { caller, at }: Author,
): Omit<LinkedRowOf<typeof LINKED_USER_HISTORY>, 'user_id'> {
  const changeId = newId('chg')
  return {
    entity_id: entityId,
    change_id: changeId,
    from_status: from,
    to_status: to,
    actor: actorOf(author ?? caller),
    reason: storedReason({ userId, entityId, changeId }, reason),
    at,
  }
}

type ChangeKey = Pick<StatusChange, 'userId' | 'entityId'> & { changeId: string }

function storedReason(at: ChangeKey, reason: StatusChange['reason']): string | null {
  if (reason?.text === undefined) return null
  if (reason.key === null) return reason.text
  const { userId } = at
  return userId === null
    ? CATALOGUE_REASON.seal(reason.key, at, reason.text)
    : USER_REASON.seal(reason.key, { ...at, userId }, reason.text)
}

/** The first format was bound to the record alone, so that a reason opened at another change of it. */
const FORMER_REASONS = [{ row: ({ entityId }: Pick<ChangeKey, 'entityId'>) => `status_changes:${entityId}` }]

export const USER_REASON = sealedColumn<string, ChangeKey & { userId: string }>('user_status_changes.reason', {
  row: ({ userId, entityId, changeId }) => `user_status_changes:${userId}:${entityId}:${changeId}`,
  former: FORMER_REASONS,
})

export const CATALOGUE_REASON = sealedColumn<string, Omit<ChangeKey, 'userId'>>('catalogue_status_changes.reason', {
  row: ({ entityId, changeId }) => `catalogue_status_changes:${entityId}:${changeId}`,
  former: FORMER_REASONS,
})
