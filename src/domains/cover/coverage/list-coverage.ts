import type { Day } from '../../../kernel/date.ts'
import { ALWAYS, type Coverage, coverageOn, listMemberDays, type PersonTime } from '../policies/index.ts'
import type { Family, Version } from './store.ts'

type Person = { person: 'member' | 'dependant'; id: string }
export type PersonCoverage = Person & Coverage & { policyId: string; benefitProviderId: string }

type Question = {
  userId: string
  day: Day
  today: Day
  /** Any version of the dependant that is asked for; all people where it is left out. */
  dependantId: string | undefined
  /** Leaves out who is on no policy, and was asked for on none: a benefit provider does not know them. */
  isNamedOnly: boolean
}

/**
 * Returns the cover of the user and of each dependant under each policy on a day, people in the order in which they came. Undefined for a dependant
 * who is none of theirs. Pure.
 */
export function listCoverage({ policies, versions }: Family, question: Question): PersonCoverage[] | undefined {
  const { userId, day, today, dependantId, isNamedOnly } = question
  const lines = listLines(versions)
  const asked = dependantId === undefined ? lines : lines.filter((line) => line.includes(dependantId))
  const rows = asked.flatMap((line) => {
    const person = { person: 'dependant' as const, id: line.at(-1) as string }
    return policies.flatMap((policy) => {
      const times = listMemberDays(policy).filter(({ id }) => line.includes(id))
      return isNamedOnly && times.length === 0 ? [] : [toRow(policy, person, times)]
    })
  })
  if (dependantId !== undefined) return asked.length === 0 || (isNamedOnly && rows.length === 0) ? undefined : rows
  return [...policies.map((policy) => toRow(policy, { person: 'member', id: userId }, ALWAYS)), ...rows]

  function toRow(policy: Family['policies'][number], person: Person, times: readonly PersonTime[]): PersonCoverage {
    const covering = { ...policy, coveredFrom: policy.coveredFrom ?? policy.startDate }
    const coverage = coverageOn(covering, times, { day, today })
    return { ...person, ...coverage, policyId: policy.id, benefitProviderId: policy.benefitProviderId }
  }
}

/** Returns the versions of each dependant, the current one last. A policy that has ended names those of then. */
function listLines(versions: readonly Version[]): string[][] {
  const next = new Map(versions.flatMap(({ id, previous }) => (previous === null ? [] : [[previous, id]])))
  return versions
    .filter(({ previous }) => previous === null)
    .map(({ id }) => {
      const line = [id]
      for (let later = next.get(id); later !== undefined; later = next.get(later)) line.push(later)
      return line
    })
}
