import type { Static } from 'typebox'
import { addDays, type Day } from '../../../kernel/date.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import { toMoney } from '../../../kernel/money.ts'
import { currencyOf } from '../documents/currency-of.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import type { InsurancePolicyTermRecord } from './records.ts'

export type PastIssue = { issue: number; at: WireTime; snapshot: PolicySnapshot }

/** A policy that was issued: the term of its record, and the first day without cover where a person ended it. */
export type IssuedPolicy = { startDate: Day; endDate: Day; endedFrom: Day | null; issues: readonly PastIssue[] }

type Term = Static<typeof InsurancePolicyTermRecord>

/**
 * Returns the terms of a policy, the first one first, each with its issues. A term that has begun, or will, without an issue
 * yet is the last one. Pure.
 */
export function listTerms({ startDate, endDate, endedFrom, issues }: IssuedPolicy): Term[] {
  const terms = Map.groupBy(issues, ({ snapshot }) => snapshot.start_date)
  const last = issues.at(-1)
  if (!last) return []
  const listed = [...terms.values()].map((ofTerm) => {
    const newest = ofTerm.at(-1) ?? last
    const { start_date, end_date } = newest.snapshot
    return presentTerm({ start_date, end_date }, newest.snapshot, ofTerm)
  })
  const current = terms.has(startDate)
    ? []
    : [presentTerm({ start_date: startDate, end_date: endDate }, last.snapshot, [])]
  return [...listed, ...current]
    .toSorted((one, other) => (one.start_date < other.start_date ? -1 : 1))
    .map((term) => ({ ...term, ...endOf(term, endedFrom) }))
}

function presentTerm(
  days: Pick<Term, 'start_date' | 'end_date'>,
  snapshot: PolicySnapshot,
  issues: readonly PastIssue[],
): Term {
  const { premium, dependants } = snapshot
  const currency = currencyOf(snapshot)
  return {
    ...days,
    ended_on: null,
    cancelled: false,
    issues: issues.map(({ issue, at }) => ({ issue, issued_at: at })),
    members: [{ person: 'member', id: 'self' }, ...dependants.map(({ id }) => ({ person: 'dependant' as const, id }))],
    premium_amounts: {
      annual: toMoney(premium.annual, currency),
      daily: toMoney(premium.daily, currency),
      sponsor_contribution: toMoney(premium.sponsor, currency),
    },
  }
}

/** A term that ends before its first day is cancelled; one that ends before its last has another last day. */
function endOf({ start_date, end_date }: Term, endedFrom: Day | null): Pick<Term, 'ended_on' | 'cancelled'> {
  const cancelled = endedFrom !== null && endedFrom <= start_date
  const isShorter = endedFrom !== null && endedFrom <= end_date
  return { cancelled, ended_on: isShorter && !cancelled ? addDays(endedFrom, -1) : null }
}
