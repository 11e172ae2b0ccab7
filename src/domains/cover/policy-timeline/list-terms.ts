import type { Static } from 'typebox'
import { addDays, type Day } from '../../../kernel/date.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { type Policy, type Premium, presentPremium, termOfIssue } from '../policies/index.ts'
import type { InsurancePolicyTermRecord } from './records.ts'

export type PastIssue = { issue: number; at: WireTime; snapshot: PolicySnapshot }

type TermOfPolicy = Pick<Policy, 'startDate' | 'endDate'> & Premium

/** A policy that was issued: the term of its record, and the first day without cover where a person ended it. */
export type IssuedPolicy = {
  term: TermOfPolicy
  /** First covered day. */
  coveredFrom: Day
  endedFrom: Day | null
  issues: readonly PastIssue[]
}

type Term = Static<typeof InsurancePolicyTermRecord>

/**
 * Returns the terms of a policy, the first one first, each with its issues. A term that has begun, or will, without an issue
 * yet is the last one. Pure.
 */
export function listTerms({ term, coveredFrom, endedFrom, issues }: IssuedPolicy): Term[] {
  const terms = Map.groupBy(issues, ({ snapshot }) => snapshot.start_date)
  const last = issues.at(-1)
  if (!last) return []
  const listed = [...terms.values()].map((ofTerm) => {
    const { snapshot } = ofTerm.at(-1) ?? last
    return presentTerm(termOfIssue(snapshot), snapshot.dependants, ofTerm)
  })
  const awaited = terms.has(term.startDate) ? [] : [presentTerm(term, last.snapshot.dependants, [])]
  return [...listed, ...awaited]
    .toSorted((one, other) => (one.start_date < other.start_date ? -1 : 1))
    .map((one) => ({ ...one, cover_from: laterOf(one.start_date, coveredFrom) }))
    .map((one) => ({ ...one, ...endOf(one, endedFrom) }))
}

const laterOf = (one: Day, other: Day): Day => (one < other ? other : one)

function presentTerm(
  { startDate, endDate, ...premium }: TermOfPolicy,
  dependants: PolicySnapshot['dependants'],
  issues: readonly PastIssue[],
): Term {
  return {
    start_date: startDate,
    cover_from: startDate,
    end_date: endDate,
    ended_on: null,
    cancelled: false,
    issues: issues.map(({ issue, at }) => ({ issue, issued_at: at })),
    members: [
      { person: 'member', id: 'self' },
      ...dependants.map(({ id, from, to }) => ({
        person: 'dependant' as const,
        id,
        ...(from && { from }),
        ...(to && { to }),
      })),
    ],
    premium_amounts: presentPremium(premium),
  }
}

/** A term that ends before its first covered day is cancelled; one that ends before its last has another last day. */
function endOf({ cover_from, end_date }: Term, endedFrom: Day | null): Pick<Term, 'ended_on' | 'cancelled'> {
  const cancelled = endedFrom !== null && endedFrom <= cover_from
  const isShorter = endedFrom !== null && endedFrom <= end_date
  return { cancelled, ended_on: isShorter && !cancelled ? addDays(endedFrom, -1) : null }
}
