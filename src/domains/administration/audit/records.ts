import { Type } from 'typebox'
import type { SystemJob } from '../../../access/caller.ts'
import { UserIdText } from '../../user-id-text.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { Nullable, OneOf, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { AUDIT_ACTIONS, type JobName } from '../../../record/index.ts'
import type { Cursor, Entry, EntryOfUser } from './store.ts'

const At = Timestamp('Time of the entry')
const PurposeText = Nullable(
  Type.String({ description: 'Purpose stated by the caller', examples: ['Ticket 4711: the card did not arrive'] }),
)

export const AuditEntry = Type.Object(
  {
    id: Type.String({ examples: ['aud_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    at: At,
    actor: Type.String({ description: 'The caller: kind and id', examples: ['viewer:command-line'] }),
    operation: Type.String({ description: 'Operation id, or name of the job', examples: ['readUser'] }),
    summary: Type.String({ description: 'What was done, in words', examples: ['Read a user'] }),
    action: OneOf(AUDIT_ACTIONS, { description: 'Kind of action' }),
    subject: Nullable(Type.String({ description: 'Id of the record concerned', examples: ['012345678901'] })),
    user_id: Nullable(UserIdText({ description: 'The user whose data was accessed', examples: ['012345678901'] })),
    request_id: Type.String({
      description: 'Id of the request, as in the log',
      examples: ['req_06bnv3kq0r3cj8m3w0h2d8y6xg'],
    }),
    purpose: PurposeText,
    credential_id: Nullable(
      Type.String({
        description:
          'The credential that was used: of a partner, also through a token of its users, or a session. `null` in entries from before version 0.3.0 and of what needs none',
        examples: ['crd_06bnv3m2r8f1s4k7q9t3v6w0y2'],
      }),
    ),
  },
  { title: 'AuditEntry', description: 'A record of who read or changed data' },
)

/** Presents an entry to an owner. */
export const presentEntry = (entry: Entry, summaries: Summaries) => ({
  id: entry.id,
  at: wireTime(entry.at),
  actor: entry.actor,
  operation: entry.operation,
  summary: describeOperation(entry.operation, summaries),
  action: entry.action,
  subject: entry.subject,
  user_id: entry.userId,
  request_id: entry.requestId,
  purpose: entry.purpose,
  credential_id: entry.credentialId,
})

const ACTOR_KINDS = ['platform', 'benefit_provider', 'user', 'administrator', 'program', 'holder_of_card'] as const
type ActorKind = (typeof ACTOR_KINDS)[number]

export const AccessActor = Type.Object(
  {
    kind: OneOf(ACTOR_KINDS, {
      description: 'Kind of caller',
    }),
    name: Type.String({
      description: 'Name of the caller; of who checked a card only the network is known, /24 or /48',
      examples: ['Acme Benefits'],
    }),
  },
  { title: 'AccessActor', description: 'The caller' },
)

export const AccessEntry = Type.Object(
  {
    at: At,
    actor: AccessActor,
    operation: Type.String({ description: 'What was done, in words', examples: ['Read a user'] }),
    purpose: PurposeText,
  },
  { title: 'AccessEntry', description: 'An access to the user’s data' },
)

/** Descriptions of the operations, by id. */
export type Summaries = ReadonlyMap<string, string>

/** Presents an entry in plain words to the person concerned. */
export const presentForUser = ({ at, actor, operation, purpose, name }: EntryOfUser, summaries: Summaries) => ({
  at: wireTime(at),
  actor: describeActor(actor, name),
  operation: describeOperation(operation, summaries),
  purpose,
})

/** Descriptions of what the program does by itself. */
const JOBS: Record<SystemJob | JobName, string> = {
  'card-check': 'Check a health card',
  'command-line': 'Run a command of the program',
  'deliver-webhooks': 'Send webhooks',
  'erase-user': 'Erase a user',
  'open-account': 'Open an account at the account provider',
  'ask-operator': 'Ask the wallet operator for the status of a wallet',
  'operator-event': 'Apply an event of the wallet operator',
  'end-consents': 'End the consents of a parent or guardian for somebody who is 18',
  'end-hold': 'Destroy the key to the data that was held of an erased user',
  'policy-calendar': 'Make a calendar transition of a policy',
  'provision-wallet': 'Provision a wallet at the operator',
  sandbox: 'Create the examples of the sandbox',
  'send-otp': 'Send a one-time code',
}
export const describeOperation = (operation: string, summaries: Summaries) =>
  summaries.get(operation) ?? JOB_NAMES.get(operation) ?? operation

const JOB_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(JOBS))

const KINDS: Record<string, ActorKind> = {
  platform: 'platform',
  provider: 'benefit_provider',
  platform_person: 'platform',
  provider_person: 'benefit_provider',
  user: 'user',
  wallet_user: 'user',
  system: 'program',
}

/** The check of a card is public: all that is known of who makes it is the network, and that they had the code. */
const CARD_CHECK = 'system:card-check'

/** Returns an actor as the person concerned reads it; `name` is that of the company, or the network from which a card was checked. */
export function describeActor(actor: string, name: string | null): { kind: ActorKind; name: string } {
  const [kind = '', id = ''] = actor.split(/:(.*)/s, 2)
  const publicKind = actor === CARD_CHECK ? 'holder_of_card' : (KINDS[kind] ?? 'administrator')
  if (publicKind === 'holder_of_card') return { kind: publicKind, name: name ?? 'Unknown' }
  if (publicKind === 'user') return { kind: publicKind, name: 'The user' }
  if (publicKind === 'program') return { kind: publicKind, name: 'Banyan' }
  const [company = '', person] = id.split(':')
  return { kind: publicKind, name: person === undefined ? (name ?? id) : `${person}, ${name ?? company}` }
}

export const After = Type.Optional(
  Text({
    pattern: '^[0-9]{1,19}-aud_[0-9a-z]{26}$',
    words: 'Must be the `next` of a previous page.',
    description: 'Cursor: `next` of the previous page.',
    examples: ['7423-aud_06bnv3m2r8f1s4k7q9t3v6w0y2'],
  }),
)

export const presentCursor = ({ xid, id }: Cursor): string => `${xid}-${id}`

export function cursorFrom(after: string | undefined): Cursor | undefined {
  if (after === undefined) return undefined
  const [xid = '', id = ''] = after.split('-', 2)
  return { xid, id }
}

export const tags = ['Audit']
