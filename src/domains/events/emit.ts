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

