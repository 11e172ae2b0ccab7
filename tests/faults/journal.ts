import assert from 'node:assert/strict'

/** What clients ask to be written. `of` an entry says whose it is. */
export type Kind =
  | 'user' // of the platform, named by its phone
  | 'news' // of a user, named by the e-mail address sent with a token call
  | 'onboarding' // of a user
  | 'dependants' // of a user, named by their first names
  | 'correction' // of a user and first name, named by the new last name
  | 'policy' // of a user, named by its plan
  | 'transition' // of a policy, named by the status
  | 'consultation' // of a user
  | 'message' // of a user, named by its content
  | 'sponsor' // of a sponsor, named by the new name
  | 'code' // of a phone, named by the challenge
  | 'wallet' // of a user
  | 'booking' // of a user, named by its reference

/** One thing that a client wants written, and what it knows of it. */
export type Entry = {
  readonly kind: Kind
  readonly of: string
  readonly name: string
  /** However often it is tried it is done once: it has an idempotency key, or the thing is there once by its nature. */
  readonly isOnce: boolean
  state: 'open' | 'acknowledged' | 'refused'
  /** Tries without a clear response: each may have had its effect, or have it later. */
  pending: number
  /** What the acknowledgement said. */
  said: unknown
  /** Places in the order of what clients did and heard; `ended` is there once it was acknowledged. */
  readonly begun: number
  ended: number | undefined
}

export type Journal = {
  begin(entry: Pick<Entry, 'kind' | 'of' | 'name' | 'isOnce'>): Entry
  /** In the order in which they were begun. */
  entries(kind: Kind, of?: string): Entry[]
  /** Whose entries of this kind there are. */
  owners(kind: Kind): string[]
  /** How many are acknowledged, and how many nobody knows of. */
  counts(): { acknowledged: number; unknown: number }
}

/** Counts what clients begin and hear. */
let clock = 0

export function openJournal(): Journal {
  const all = new Map<Kind, Map<string, Entry[]>>()
  const everything = () => [...all.values()].flatMap((owners) => [...owners.values()].flat())
  return {
    begin(what) {
      const owners = all.get(what.kind) ?? new Map<string, Entry[]>()
      const entries = owners.get(what.of) ?? []
      const entry: Entry = { ...what, state: 'open', pending: 0, said: undefined, begun: ++clock, ended: undefined }
      all.set(what.kind, owners.set(what.of, [...entries, entry]))
      return entry
    },
    entries: (kind, of) =>
      of === undefined ? [...(all.get(kind)?.values() ?? [])].flat() : (all.get(kind)?.get(of) ?? []),
    owners: (kind) => [...(all.get(kind)?.keys() ?? [])],
    counts: () => ({
      acknowledged: everything().filter(isAcknowledged).length,
      unknown: everything().filter(isUnknown).length,
    }),
  }
}

/** The client knows that it was done, by the response or because it has looked. */
export function acknowledge(entry: Entry, said: unknown): void {
  assert(entry.state !== 'acknowledged', 'an entry is acknowledged once')
  Object.assign(entry, { state: 'acknowledged', said, ended: ++clock })
}

export const isAcknowledged = ({ state }: Entry) => state === 'acknowledged'

/** It may be there or not. */
export const isUnknown = ({ state, pending }: Entry) => state !== 'acknowledged' && pending > 0

/** How often the effect of these must be there. */
export const least = (entries: Entry[]): number => entries.filter(isAcknowledged).length

/** How often it may be there. */
export function most(entries: Entry[]): number {
  const ofOne = (entry: Entry) => {
    const tries = (isAcknowledged(entry) ? 1 : 0) + entry.pending
    return entry.isOnce ? Math.min(1, tries) : tries
  }
  return entries.reduce((sum, entry) => sum + ofOne(entry), 0)
}

/**
 * Of changes to one value, those that may have come last: the ones that no acknowledged change has certainly followed. A
 * try that was never responded to may have waited in a frozen process, so nothing certainly follows it.
 */
export function lastOnes(entries: Entry[]): Entry[] {
  const isFollowed = (entry: Entry) => {
    const isOver = entry.pending === 0 || (entry.isOnce && isAcknowledged(entry))
    return isOver && entries.some((other) => isAcknowledged(other) && other.begun > (entry.ended ?? Infinity))
  }
  return entries.filter((entry) => most([entry]) > 0 && !isFollowed(entry))
}
