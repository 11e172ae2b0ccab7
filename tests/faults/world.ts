import { type Entry, type Journal, least, most } from './journal.ts'
import type { Context } from './member.ts'
import { accountsHeld, walletsHeld } from './sandbox.ts'
import type { Target } from './stage.ts'
import { readStored, type Stored } from './stored.ts'
import type { Receiver } from './receivers.ts'
import type { LoggedEvent } from './webhooks.ts'

/**
 * Everything known at the end: what clients received, what the API returns now, what is stored, what companies hold.
 */
export type World = {
  journal: Journal
  context: Context
  stage: Target
  stored: Stored
  walletsHeld: string[]
  accountsHeld: string[]
  /** The program's event log and the webhook receivers. */
  logged: LoggedEvent[]
  receivers: Receiver[]
}

export async function readWorld(stage: Target, context: Context): Promise<World> {
  return {
    journal: context.journal,
    context,
    stage,
    stored: await readStored(stage.databaseUrl, context.tenant.platformId),
    walletsHeld: await walletsHeld(stage.sandboxUrl),
    accountsHeld: await accountsHeld(stage.sandboxUrl),
    logged: await context.webhooks.readLog(),
    receivers: context.webhooks.receivers,
  }
}

/** A broken promise. */
export type Finding = { sort: 'lost' | 'doubled' | 'wrong'; text: string }

/** Nothing acknowledged is missing, nothing exists more often than it can have been applied. */
export function counted(what: string, entries: Entry[], found: number): Finding[] {
  const text = `${what}: ${found} there, ${least(entries)} acknowledged, ${most(entries)} possible`
  if (found < least(entries)) return [{ sort: 'lost', text }]
  return found > most(entries) ? [{ sort: 'doubled', text }] : []
}

/** For records that must exist in an exact number. */
export function exactly(what: string, found: number, wanted: number): Finding[] {
  if (found === wanted) return []
  return [{ sort: found < wanted ? 'lost' : 'doubled', text: `${what}: ${found} instead of ${wanted}` }]
}

export const findingUnless = (isRight: boolean, text: string): Finding[] => (isRight ? [] : [{ sort: 'wrong', text }])

/** The number of events of these types for a user, or a subject. */
export function countEvents(
  { events }: Stored,
  types: string[],
  of: { user: string } | { subject: string; to?: string },
): number {
  const isMeant = (event: Stored['events'][number]) =>
    'user' in of
      ? event.user_id === of.user
      : event.subject === of.subject && (of.to === undefined || event.to === of.to)
  return events
    .filter((event) => types.includes(event.type) && isMeant(event))
    .reduce((sum, { count }) => sum + count, 0)
}
