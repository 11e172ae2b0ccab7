import assert from 'node:assert/strict'
import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { invalidState } from '../../kernel/refusal.ts'
import { findBenefitProvider } from '../benefit-providers/index.ts'
import { emit } from '../events/index.ts'
import { findPlatform } from '../platforms/index.ts'
import { findUser, type Profile } from '../users/index.ts'
import type { MessageBody } from './schemas.ts'
import { insertMessage, lockConsultation, type Message } from './store.ts'

type Form = { userId: string; consultationId: string; body: MessageBody; by: Actor }

/** Shown for a user who has not given a name yet. */
const NAMELESS = 'Member'

/** Writes a message into an open consultation. 404, 409 `invalid_state` when it is closed. */
export async function writeMessage(tx: Tx, vault: Vault, { userId, consultationId, body, by }: Form): Promise<Message> {
  const consultation = await lockConsultation(tx, vault, scopeOnUser(by.caller, userId), consultationId)
  if (consultation.status === 'CLOSED') throw invalidState({ current: consultation.status, allowed: [] })
  const sender_display_name = await displayNameOf(tx, vault, by)
  const message = await insertMessage(tx, consultation, { ...body, sender_display_name })
  await emit(tx, 'consultation.message_created', {
    platformId: consultation.platformId,
    subject: message.id,
    data: {
      user_id: consultation.userId,
      consultation_id: consultation.id,
      message_id: message.id,
      sender: by.caller.kind,
    },
  })
  return message
}

async function displayNameOf(tx: Tx, vault: Vault, { caller }: Actor): Promise<string> {
  switch (caller.kind) {
    case 'provider':
      return (await findBenefitProvider(tx, caller.benefitProviderId)).name
    case 'platform':
      return (await findPlatform(tx, caller.platformId)).name
    case 'user':
      return nameOf((await findUser(tx, vault, scopeOnUser(caller, caller.userId))).profile)
    case 'wallet_user':
    case 'viewer':
    case 'operator':
    case 'owner':
    case 'admin_key':
    case 'anyone':
    case 'system':
      return assert.fail(`${caller.kind} writes no messages`)
  }
}

const nameOf = ({ first_name, last_name }: Profile): string =>
  [first_name, last_name].filter((name) => name !== undefined).join(' ') || NAMELESS
