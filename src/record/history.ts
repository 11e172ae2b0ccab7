import { type Actor, actorOf, type Caller } from '../access/caller.ts'
import { type DataKey, seal, unseal } from '../kernel/crypto/vault.ts'
import { insertPart, type PartRow } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'

const CHANGE = `entity_id text, change_id text, from_status text, to_status text, actor text, request_id text, reason text,
  at timestamptz`

/** The history of what belongs to a user, and of everything else. */
export const USER_HISTORY_PART = insertPart('user_status_changes', `user_id text, ${CHANGE}`)
export const CATALOGUE_HISTORY_PART = insertPart('catalogue_status_changes', CHANGE)

/** SQL: when a thing of a user came into its status. */
export const sinceText = ({ user, entity }: { user: string; entity: string }): string =>
  `(select max(h.at) from user_status_changes h where h.user_id = ${user} and h.entity_id = ${entity})`

/** One change of a status, as an operation decides it. */
export type StatusChange = {
  /** Whose thing it is; null for what belongs to no user. */
  userId: string | null
  entityId: string
  from: string | null
  to: string
  /** Who makes it when that is not the caller: the program, where a transition follows from another change. */
  by?: Caller
  /** Sealed under the key of the person it can be about; in clear (`key: null`) where the thing is no person's. */
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

/** The key of a stored change. */
type ChangeKey = Pick<StatusChange, 'userId' | 'entityId'> & { changeId: string }

function storedReason(at: ChangeKey, reason: StatusChange['reason']): string | null {
  if (reason?.text === undefined) return null
  return reason.key === null ? reason.text : seal(reason.key, rowOf(at), reason.text)
}

/** Opens the reason of a change that was sealed. */
export const openReason = (key: DataKey, at: ChangeKey, sealed: string): string =>
  unseal<string>(key, rowOf(at), sealed)

const rowOf = ({ userId, entityId, changeId }: ChangeKey) =>
  `${userId === null ? 'catalogue_status_changes' : `user_status_changes:${userId}`}:${entityId}:${changeId}`
