import type { InsurancePolicy, InsurancePolicyTimelineEntry } from '@banyan/client'

type Entry = Pick<
  InsurancePolicyTimelineEntry,
  'at' | 'kind' | 'actor_kind' | 'from' | 'dependant_id' | 'previous_version_id' | 'fields'
>
type People = Pick<InsurancePolicy, 'primary_member' | 'dependants' | 'nominee_details'>
type Name = { first_name: string | null; last_name: string | null }

/** A person, and in words what was corrected. */
export type UnseenCorrection = { person: string; fields: string }

const FIELDS: Readonly<Record<string, string>> = {
  title: 'title',
  first_name: 'given name',
  last_name: 'family name',
  gender: 'gender',
  date_of_birth: 'date of birth',
}

/** What was corrected; it was not always stored. */
export const wordsFor = (fields: Entry['fields']): readonly string[] =>
  fields?.map((field) => FIELDS[field] ?? field) ?? ['details']

const DESK: readonly (string | null)[] = ['provider', 'operator', 'owner']

const isCorrection = ({ kind }: Entry): boolean => kind === 'MEMBER_CORRECTED' || kind === 'DEPENDANT_CORRECTED'

/**
 * A transition by people. Not one that follows from a correction by them; and an owner who takes a policy up again has not
 * looked at what was corrected while it was over.
 */
function isLook({ kind, actor_kind: actor, from, at }: Entry, before: Entry | undefined): boolean {
  if (kind !== 'STATUS_CHANGED' || !DESK.includes(actor) || from === 'EXPIRED') return false
  const isOfCorrection = before !== undefined && isCorrection(before) && Number(before.at) === Number(at)
  return !(from === 'ISSUED' && isOfCorrection)
}

/** Returns who was corrected since people last made a transition, from a timeline that begins with the newest. */
export function unseenCorrections(timeline: readonly Entry[], people: People): UnseenCorrection[] {
  const last = timeline.findIndex((entry, index) => isLook(entry, timeline[index + 1]))
  const entries = timeline.slice(0, last === -1 ? undefined : last)
  const newest = new Map<string, string>() // of each former version
  const corrected = new Map<string, Set<string>>()
  for (const { dependant_id: id, previous_version_id: previous, fields } of entries.filter(isCorrection)) {
    const current = id === null ? '' : (newest.get(id) ?? id)
    if (previous !== null) newest.set(previous, current)
    corrected.set(current, new Set([...(corrected.get(current) ?? []), ...wordsFor(fields)]))
  }
  return [...corrected].map(([id, words]) => ({ person: personIn(people, id), fields: [...words].join(', ') }))
}

function personIn({ primary_member: member, dependants, nominee_details: nominee }: People, id: string): string {
  if (id === '') return called(member, 'member')
  const dependant = dependants.find((one) => one.id === id)
  if (dependant) return called(dependant, 'dependant')
  return id === nominee?.dependant_id ? 'The nominee' : 'A dependant'
}

const called = ({ first_name, last_name }: Name, as: string): string =>
  `${[first_name, last_name].filter((name) => name !== null).join(' ') || 'Name not given'} (${as})`
