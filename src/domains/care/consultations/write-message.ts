import assert from 'node:assert/strict'
import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { userScopeFrom, type UserScope } from '../../../access/scope.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/id.ts'
import { invalidState, limitReached } from '../../../kernel/problem-error.ts'
import { type Author, type Change, type Deps, newEvent, operation, responding } from '../../../record/index.ts'
import { USER_PROFILE } from '../../people/users/index.ts'
import { findToWrite, INSERT_MESSAGE, MESSAGE_TEXT, type SenderNames } from './message-store.ts'
import {
  ConsultationPath,
  type Message,
  MessageBody,
  messageExample,
  MessageRecord,
  type OwnedConsultation,
  presentMessage,
  type SealedMessage,
  tags,
} from './records.ts'
import { consultationInPath } from './store.ts'

export const writeMessage = operation('POST /users/:user_id/consultations/:consultation_id/messages', {
  access: 'createMessage',
  tags,
  summary: 'Write a message',
  description:
    'The message shows the name of the user, platform or benefit provider that writes it. A user can write a ' +
    'limited number of messages a day, 500 by default.',
  params: ConsultationPath,
  body: Type.Object({ body: MessageBody }, { examples: [{ body: messageExample }] }),
  response: { 201: MessageRecord },
  problems: ['invalid_state', 'conflict'],
  checkTargetFirst: consultationInPath,
  // One row counts all messages of a user.
  serializeBy: ({ request, params }) => (request.caller.kind === 'user' ? `messages:${params.user_id}` : undefined),
  change: ({ deps, request, params, body }, author) =>
    decideMessage(deps, userScopeFrom(request), { id: params.consultation_id, body: body.body }, author),
  present: (message) => responding(presentMessage(message), 201),
})

/** Display name of a user without a name. */
const DEFAULT_NAME = 'Member'

const CLOSED = 'The consultation is closed. Open a new one to write messages.'

/** Throws 404, 409 `invalid_state` in a closed consultation, 409 `conflict` at the user's limit for the day. */
async function decideMessage(
  deps: Deps,
  scope: UserScope,
  { id: consultationId, body }: { id: string; body: MessageBody },
  { at, caller }: Author,
): Promise<Change<Message>> {
  const { messagesADay } = deps.limits
  const day = todayIn({ now: () => at })
  const { consultation, names, writtenToday } = await findToWrite(deps, scope, { id: consultationId, day })
  if (consultation.status === 'CLOSED') throw invalidState({ current: consultation.status, allowed: [] }, CLOSED)
  const isCounted = caller.kind === 'user' // a user at the limit must not block the other side
  if (isCounted && writtenToday >= messagesADay) {
    throw limitReached(`A user can write at most ${messagesADay} messages a day. Try again tomorrow.`)
  }
  const { key, userId, platformId, benefitProviderId } = consultation
  const id = newId('msg')
  const message: SealedMessage = { ...body, sender_display_name: chooseDisplayName(caller, consultation, names) }
  const ids = { user_id: userId, consultation_id: consultationId, message_id: id }
  const data = { ...ids, benefit_provider_id: benefitProviderId }
  return {
    result: { ...message, id, createdAt: wireTime(at) },
    ...INSERT_MESSAGE.with({
      ...ids,
      sealed: MESSAGE_TEXT.seal(key, { userId, consultationId, messageId: id }, message),
      at,
      day: isCounted ? day : null,
      most: messagesADay,
      awaits_provider: caller.kind !== 'provider',
    }),
    events: [newEvent('consultation.message_created', { platformId, data })],
  }
}

function chooseDisplayName(caller: Caller, { userId, key }: OwnedConsultation, names: SenderNames): string {
  switch (caller.kind) {
    case 'provider':
      return names.provider_name
    case 'platform':
      return names.platform_name
    case 'user': {
      const { first_name, last_name } = USER_PROFILE.unseal(key, { id: userId }, names.sealed_profile)
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
