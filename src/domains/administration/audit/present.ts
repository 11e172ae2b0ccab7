import { wireTime } from '../../../kernel/clock.ts'
import type { Entry, EntryOfUser } from './store.ts'

export type Summaries = ReadonlyMap<string, string>

/** Presents an entry to an owner. */
export const presentEntry = (entry: Entry) => ({
  id: entry.id,
  at: wireTime(entry.at),
  actor: entry.actor,
  operation: entry.operation,
  action: entry.action,
  subject: entry.subject,
  user_id: entry.userId,
  request_id: entry.requestId,
  purpose: entry.purpose,
})

/** Presents an entry in plain words to the person concerned. */
export const presentForUser = ({ at, actor, operation, purpose, name }: EntryOfUser, summaries: Summaries) => ({
  at: wireTime(at),
  actor: actorInWords(actor, name),
  operation: summaries.get(operation) ?? JOBS[operation] ?? operation,
  purpose,
})

/** Descriptions of the program's own jobs, by job name. */
const JOBS: Record<string, string> = {
  'open-account': 'Open an account at the account provider',
  'operator-event': 'Apply an event of the wallet operator',
  'policy-calendar': 'Make a calendar transition of a policy',
  'provision-wallet': 'Provision a wallet at the operator',
}

/** The kinds of actors shown to a person. */
export const ACTOR_KINDS = ['platform', 'benefit_provider', 'user', 'administrator', 'program'] as const
type ActorKind = (typeof ACTOR_KINDS)[number]

const KINDS: Record<string, ActorKind> = {
  platform: 'platform',
  provider: 'benefit_provider',
  user: 'user',
  wallet_user: 'user',
  system: 'program',
}

/** Returns an actor as the person concerned reads it; `name` is that of the company. */
export function actorInWords(actor: string, name: string | null): { kind: ActorKind; name: string } {
  const [kind = '', id = ''] = actor.split(/:(.*)/s, 2)
  const shown = KINDS[kind] ?? 'administrator'
  if (shown === 'user') return { kind: shown, name: 'The user' }
  if (shown === 'program') return { kind: shown, name: 'Banyan' }
  return { kind: shown, name: name ?? id }
}
