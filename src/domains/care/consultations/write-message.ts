import assert from 'node:assert/strict'
import type { Caller } from '../../../access/caller.ts'
import type { Limits } from '../../../access/limits.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { newId } from '../../../kernel/id.ts'
import { invalidState, limitReached } from '../../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import { USER_PROFILE } from '../../people/users/index.ts'
import type { MessageBody } from './schemas.ts'
import {
  findToWrite,
  INSERT_MESSAGE,
  type Message,
  MESSAGE_TEXT,
  type OwnedConsultation,
  type SealedMessage,
  type SenderNames,
} from './store.ts'

type Input = { userId: string; consultationId: string; body: MessageBody }

/** Display name of a user without a name. */
const DEFAULT_NAME = 'Member'

const CLOSED = 'The consultation is closed. Open a new one to write messages.'

/**
 * Decides a new message in an open consultation. Throws 404, 409 `invalid_state` when it is closed, 409 `conflict` at
 * the user's limit for the day.
 */
export async function writeMessage(
  { limits, ...context }: { db: Database; vault: Vault; limits: Limits },
  { userId, consultationId, body }: Input,
  by: By,
): Promise<Change<Message>> {
  const day = todayIn({ now: () => by.at })
  const scope = scopeOnUser(by.caller, userId)
  const { consultation, names, writtenToday } = await findToWrite(context, scope, { id: consultationId, day })
  if (consultation.status === 'CLOSED') throw invalidState({ current: consultation.status, allowed: [] }, CLOSED)
  const isCounted = by.caller.kind === 'user' // a user at the limit must not block the other side
  if (isCounted && writtenToday >= limits.messagesADay) {
    throw limitReached(`A user can write at most ${limits.messagesADay} messages a day. Try again tomorrow.`)
  }
  const { key, platformId, benefitProviderId } = consultation
  const id = newId('msg')
  const at = { userId: consultation.userId, consultationId: consultation.id, messageId: id }
  const message: SealedMessage = { ...body, sender_display_name: displayNameOf(by.caller, consultation, names) }
  const sealed = MESSAGE_TEXT.seal(key, at, message)
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

/** Returns the name shown with a message. */
function displayNameOf(caller: Caller, { userId, key }: OwnedConsultation, names: SenderNames): string {
  switch (caller.kind) {
    case 'provider':
      return names.providerName
    case 'platform':
      return names.platformName
    case 'user': {
      const { first_name, last_name } = USER_PROFILE.open(key, { id: userId }, names.sealedProfile)
      return [first_name, last_name].filter((name) => name !== undefined).join(' ') || DEFAULT_NAME
    }
    case 'wallet_user':
    case 'viewer':
    case 'operator':
    case 'owner':
    case 'admin_key':
    case 'anyone':
    case 'system':
      return assert.fail(`${caller.kind} cannot write messages`)
  }
  return caller satisfies never
}
