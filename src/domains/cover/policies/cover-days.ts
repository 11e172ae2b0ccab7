import { addDays, type Day } from '../../../kernel/date.ts'
import { isOver, lastDayOfGrace, notAfterEnd, type Term } from './states.ts'

/** How a policy became EXPIRED last. */
export type Expiry = {
  /** First day without cover, where a person and not the calendar ended it. */
  endedFrom: Day | null
  /** The end was named then, or later: its day holds, whatever ended the policy. */
  isNamed: boolean
  /** The day on which a person, for a missed instalment, put it into the grace from which it became EXPIRED. */
  graceSince: Day | null
}

type CoveringTerm = Omit<Term, 'renewalWindowDays' | 'issue'> & { coveredFrom: Day }

/** The days of a policy that was issued, as it stands: terms follow each other without a gap, then grace. */
export type CoverDays = {
  from: Day
  /** The last day before grace; before `from` where there is none. */
  termTo: Day
  /** The last day, that of grace. */
  to: Day
}

/** Returns the days that an issued policy covers its members on, with transitions that are due but not yet made. Pure. */
export function coverDays(policy: CoveringTerm, expiry?: Expiry): CoverDays {
  const { coveredFrom: from, endDate, endsOn, status } = policy
  const isExpired = status === 'EXPIRED'
  const graceTo = isExpired ? graceOfExpired(policy, expiry) : (policy.graceUntil ?? lastDayOfGrace(policy))
  // Grace that begins before the end of the term is for a missed instalment, from the day on which it was missed.
  const isInGrace = isExpired || status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
  const missedOn = addDays(graceTo, -policy.graceDays)
  const beforeGrace = isInGrace && missedOn < endDate ? addDays(missedOn, -1) : endDate
  const counted = notAfterEnd(policy, notAfter(expiry?.endedFrom ? addDays(expiry.endedFrom, -1) : null, graceTo))
  const to = expiry?.isNamed && endsOn !== null ? endsOn : counted
  return { from, termTo: notAfter(to, beforeGrace), to }
}

const notAfter = (last: Day | null, day: Day): Day => (last !== null && last < day ? last : day)

function graceOfExpired(policy: Pick<Term, 'endDate' | 'graceDays'>, expiry: Expiry | undefined): Day {
  const since = expiry?.graceSince ?? policy.endDate
  return lastDayOfGrace(policy, notAfter(since, policy.endDate))
}

/**
 * Returns the cover of an issued policy today, including transitions that are due but not yet made; undefined before
 * its first term.
 */
export function coverOn(policy: CoveringTerm, today: Day): 'valid' | 'in_grace' | 'expired' | undefined {
  const { from, termTo, to } = coverDays(policy)
  if (today < from) return undefined
  if (isOver(policy) || today > to) return 'expired'
  return today <= termTo ? 'valid' : 'in_grace'
}
