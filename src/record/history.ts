import { type Actor, actorOf, type Caller } from '../access/caller.ts'
import { sealedColumn } from '../kernel/crypto/sealed-column.ts'
import type { DataKey } from '../kernel/crypto/vault.ts'
import { insertPart, type PartRow } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'

const CHANGE = `entity_id text, change_id text, from_status text, to_status text, actor text, request_id text, reason text,
  at timestamptz`

/** The histories of user records, and of all others. */
export const USER_HISTORY_PART = insertPart('user_status_changes', `user_id text, ${CHANGE}`)
export const CATALOGUE_HISTORY_PART = insertPart('catalogue_status_changes', CHANGE)

/** SQL: when a user's record entered its status. */
export const sinceText = ({ user, entity }: { user: string; entity: string }): string =>
  `(select max(h.at) from user_status_changes h where h.user_id = ${user} and h.entity_id = ${entity})`

/** A status change as decided by an operation. */
export type StatusChange = {
  /** The user the record belongs to; null for none. */
  userId: string | null
  entityId: string
  from: string | null
  to: string
  /** Who makes it, if not the caller: the program, where a transition follows from another change. */
  by?: Caller
  /** Sealed with the key of the person it may be about; plain text (`key: null`) where the record belongs to nobody. */
  reason?: { text: string | undefined; key: DataKey | null }
}

export function rowsOfHistory(
  changes: readonly StatusChange[],
  { caller, requestId, at }: Actor & { at: Date },
): PartRow[] {
  return changes.map(({ userId, entityId, from, to, by = caller, reason }) => {
    const changeId = newId('chg')
    return {
      ...(userId !== null && { user_id: userId }),
      entity_id: entityId,
      change_id: changeId,
      from_status: from,
      to_status: to,
      actor: actorOf(by),
      request_id: requestId,
      reason: storedReason({ userId, entityId, changeId }, reason),
      at,
    }
  })
}

/** Identifies a stored change. */
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
