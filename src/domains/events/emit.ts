import { type Actor, actorOf } from '../../access/caller.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { seal, type DataKey } from '../../kernel/crypto/vault.ts'
import { insertCatalogueMove, insertEvent, insertUserMoves } from './store.ts'

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

/** A move of something of the catalogue: a row of history. */
export async function recordCatalogueMove(tx: Tx, move: Move): Promise<void> {
  await insertCatalogueMove(tx, changeOf(move))
}

function changeOf({ entityId, from, to, by, reason }: Move) {
  const { text, key = null } = reason ?? {}
  const keptReason = text === undefined || key === null ? (text ?? null) : seal(key, `status_changes:${entityId}`, text)
  return { entityId, from, to, actor: actorOf(by.caller), requestId: by.requestId, keptReason }
}
