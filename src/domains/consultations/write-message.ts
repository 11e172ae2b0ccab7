import assert from 'node:assert/strict'
import type { Caller } from '../../access/caller.ts'
import type { Limits } from '../../access/limits.ts'
import { scopeOnUser } from '../../access/scope.ts'
import { todayIn, wireTime } from '../../kernel/clock.ts'
import { seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import type { Database } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { invalidState, limitReached } from '../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import { type Profile, rowOfUser } from '../users/index.ts'
import type { MessageBody } from './schemas.ts'
import {
  findToWrite,
  INSERT_MESSAGE,
  type Message,
  type Names,
  type OwnedConsultation,
  rowOfMessage,
  type SealedMessage,
} from './store.ts'

type Input = { userId: string; consultationId: string; body: MessageBody }

/** Shown for a user who has not given a name yet. */
const NAMELESS = 'Member'

/**
 * Writes a message into an open consultation. Throws 404, 409 `invalid_state` when it is closed, 409 `conflict` when the user has
 * written as many today as one may.
 */
export async function writeMessage(
  { limits, ...context }: { db: Database; vault: Vault; limits: Limits },
  { userId, consultationId, body }: Input,
  by: By,
): Promise<Change<Message>> {
  const day = todayIn({ now: () => by.at })
  const scope = scopeOnUser(by.caller, userId)
  const { consultation, names, writtenToday } = await findToWrite(context, scope, { id: consultationId, day })
  if (consultation.status === 'CLOSED') throw invalidState({ current: consultation.status, allowed: [] })
  const isCounted = by.caller.kind === 'user' // a user who writes without end keeps nobody from answering
  if (isCounted && writtenToday >= limits.messagesADay) {
    throw limitReached(`A user writes at most ${limits.messagesADay} messages a day; write again tomorrow.`)
  }
  const { key, platformId, benefitProviderId } = consultation
  const id = newId('msg')
  const message: SealedMessage = { ...body, sender_display_name: displayNameOf(by.caller, consultation, names) }
  const sealed = seal(key, rowOfMessage(consultation.userId, id), message)
  const data = {
    user_id: consultation.userId,
    consultation_id: consultation.id,
    benefit_provider_id: benefitProviderId,
    message_id: id,
  }
  return {
    result: { ...message, id, createdAt: wireTime(by.at) },
    write: INSERT_MESSAGE,
    values: [consultation.userId, consultation.id, id, sealed, by.at, isCounted ? day : null, limits.messagesADay],
    events: [newEvent('consultation.message_created', { platformId, data })],
  }
}

/** Under which name a message is shown. */
function displayNameOf(caller: Caller, { userId, key }: OwnedConsultation, names: Names): string {
  switch (caller.kind) {
    case 'provider':
      return names.providerName
    case 'platform':
      return names.platformName
    case 'user': {
      const { first_name, last_name } = unseal<Profile>(key, rowOfUser(userId), names.sealedProfile)
      return [first_name, last_name].filter((name) => name !== undefined).join(' ') || NAMELESS
    }
    case 'wallet_user':
    case 'viewer':
    case 'operator':
    case 'owner':
    case 'admin_key':
    case 'anyone':
    case 'system':
      return assert.fail(`no ${caller.kind} writes messages`)
  }
  return caller satisfies never
}
