import assert from 'node:assert/strict'

/** The writes that clients request. `of` an entry identifies its owner. */
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

/** One write that a client wants, and what it knows of it. */
export type Entry = {
  readonly kind: Kind
  readonly of: string
  readonly name: string
  /** Retries apply once: it has an idempotency key, or the record is unique by nature. */
  readonly isOnce: boolean
  state: 'open' | 'acknowledged' | 'refused'
  /** Attempts without a clear response: each may have been applied, or be applied later. */
  pending: number
  /** The acknowledged response. */
  said: unknown
  /** Positions in the order of what clients sent and received; `ended` is set once it was acknowledged. */
  readonly begun: number
  ended: number | undefined
}

export type Journal = {
  begin(entry: Pick<Entry, 'kind' | 'of' | 'name' | 'isOnce'>): Entry
  /** In the order in which they were started. */
  entries(kind: Kind, of?: string): Entry[]
  /** The owners with entries of this kind. */
  owners(kind: Kind): string[]
  /** The numbers of acknowledged and of unknown ones. */
  counts(): { acknowledged: number; unknown: number }
}

/** Counts what clients send and receive. */
let clock = 0

export function createJournal(): Journal {
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

/** The client knows that it was applied, from the response or from a lookup. */
export function acknowledge(entry: Entry, said: unknown): void {
  assert(entry.state !== 'acknowledged', 'an entry is acknowledged once')
  Object.assign(entry, { state: 'acknowledged', said, ended: ++clock })
}

export const isAcknowledged = ({ state }: Entry) => state === 'acknowledged'

/** Its outcome is unknown. */
export const isUnknown = ({ state, pending }: Entry) => state !== 'acknowledged' && pending > 0

/** The minimum number of effects of these. */
export const least = (entries: Entry[]): number => entries.filter(isAcknowledged).length

/** The maximum number. */
export function most(entries: Entry[]): number {
  const ofOne = (entry: Entry) => {
    const tries = (isAcknowledged(entry) ? 1 : 0) + entry.pending
    return entry.isOnce ? Math.min(1, tries) : tries
  }
  return entries.reduce((sum, entry) => sum + ofOne(entry), 0)
}

/**
 * Of changes to one value, those that may be the last: the ones that no acknowledged change has certainly followed. An
 * attempt without a response may have waited in a frozen process, so nothing certainly follows it.
 */
export function possiblyLast(entries: Entry[]): Entry[] {
  const isFollowed = (entry: Entry) => {
    const isOver = entry.pending === 0 || (entry.isOnce && isAcknowledged(entry))
    return isOver && entries.some((other) => isAcknowledged(other) && other.begun > (entry.ended ?? Infinity))
  }
  return entries.filter((entry) => most([entry]) > 0 && !isFollowed(entry))
}
