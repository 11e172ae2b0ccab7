import { type Actor, actorOf } from '../../access/caller.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { seal, type DataKey } from '../../kernel/crypto/vault.ts'
import { insertEvent, insertUserMoves } from './store.ts'

import type { EventType } from '../../record/index.ts'

type Event = { platformId: string | null; subject: string; data?: Record<string, unknown> }

/** Writes an event into the outbox, in the transaction that causes it. */
export async function emit(tx: Tx, type: EventType, { platformId, subject, data = {} }: Event): Promise<void> {
  await insertEvent(tx, { type, platformId, subject, data })
}

export type Move = {
  entityId: string
  from: string | null
  to: string
  by: Actor
  /** Sealed under the key of whom it can be about; in clear (`null`) when the thing that moves is no person's. */
  reason?: { text: string | undefined; key: DataKey | null }
}

type Owner = { userId: string; platformId: string }

/** Moves of something that belongs to a user: a row of history each, in the transaction of the moves. */
export async function recordUserMoves(tx: Tx, { userId }: Owner, moves: Move[]): Promise<void> {
  await insertUserMoves(tx, userId, moves.map(changeOf))
}

/** One move with an event; `idName` is what the payload calls the entity's id. */
export async function recordAndTellUserMove(
  tx: Tx,
  owner: Owner,
  move: Move & { type: EventType; idName: string },
): Promise<void> {
  await recordUserMoves(tx, owner, [move])
  const data = { user_id: owner.userId, [move.idName]: move.entityId, from: move.from, to: move.to }
  await emit(tx, move.type, { platformId: owner.platformId, subject: move.entityId, data })
}

function changeOf({ entityId, from, to, by, reason }: Move) {
  const { text, key = null } = reason ?? {}
  const keptReason = text === undefined || key === null ? (text ?? null) : seal(key, `status_changes:${entityId}`, text)
  return { entityId, from, to, actor: actorOf(by.caller), requestId: by.requestId, keptReason }
}
