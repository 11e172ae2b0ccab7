import { addDays, type Day, daysBetween } from '../../../kernel/date.ts'
import { newEvent } from '../../../record/index.ts'
import { dueTransition, isOver, type Term } from './states.ts'

/** A policy with what its notices depend on. */
export type NoticedPolicy = Term & {
  id: string
  userId: string
  platformId: string
  benefitProviderId: string
  startDate: Day
  /** The start of its first term; null of a policy of an early version in that term. */
  coveredFrom: Day | null
  /** The term that began has not been issued yet. */
  beginsCover: boolean
  /** Notices of earlier days were sent, or are no longer due; null: none was sent. */
  noticesFrom: Day | null
}

type Events = ReturnType<typeof newEvent>[]

/**
 * Returns from which day on notices of a term are due that a renewal has begun: from its first, unless it is issued too late for that day to
 * change the documents; null for the first term, whose issue says so.
 */
export function noticesOfTerm(
  { startDate, coveredFrom }: { startDate: Day; coveredFrom: Day },
  today: Day,
): Day | null {
  if (startDate <= coveredFrom) return null
  return today < startDate ? startDate : addDays(startDate, 1)
}

/**
 * Decides the notices that are due of a policy, and from which day on the others are; undefined when there is nothing to do. Of several days that were
 * missed, only the last one counts. What the calendar has to do comes first. `noticeDays` are days before the end of the term. Pure.
 */
export function decideNotices(
  policy: NoticedPolicy,
  { noticeDays, today }: { noticeDays: readonly number[]; today: Day },
): { noticesFrom: Day; events: Events } | undefined {
  const { startDate, endDate, noticesFrom } = policy
  const from = noticesFrom ?? startDate
  const isOpen = isRenewable(policy) || announcesTerm(policy)
  if (!isOpen || from > today || dueTransition(policy, today) !== undefined) return undefined
  const days = isRenewable(policy) ? daysOfRenewal(policy, noticeDays) : []
  const isRenewalDue = days.some((on) => from <= on && on <= today)
  const events = [
    ...(announcesTerm(policy) && startDate <= today && today <= endDate ? [termStarted(policy)] : []),
    ...(isRenewalDue ? [renewalDue(policy, today)] : []),
  ]
  return { noticesFrom: nextDay(policy, days, today), events }
}

/** Returns true in the renewal window. */
const isRenewable = ({ status, endsOn }: NoticedPolicy) => status === 'REQUIRES_CUSTOMER_RENEWAL' && endsOn === null

/** Returns true while the first day of the term is to be announced, which was issued before it. */
const announcesTerm = (policy: NoticedPolicy): boolean => {
  const { startDate, coveredFrom, endsOn, beginsCover, noticesFrom } = policy
  if (noticesFrom === null || noticesFrom > startDate) return false // announced, or issued late
  const isLater = coveredFrom !== null && startDate > coveredFrom
  return isLater && !beginsCover && !isOver(policy) && (endsOn === null || endsOn >= startDate)
}

/** Returns the days on which the renewal of the term is due, in order, those in the window and the term. */
const daysOfRenewal = (
  { startDate, endDate, renewalWindowDays }: NoticedPolicy,
  noticeDays: readonly number[],
): Day[] =>
  noticeDays
    .filter((count) => count <= renewalWindowDays)
    .map((count) => addDays(endDate, -count))
    .filter((on) => on >= startDate)
    .toSorted()

/** Returns the next day with a notice; outside the window the days of the renewal are left open, so that the setting of that day counts. */
function nextDay(policy: NoticedPolicy, days: readonly Day[], today: Day): Day {
  const { startDate, endDate } = policy
  if (today < startDate) return startDate
  if (!isRenewable(policy)) return addDays(startDate, 1)
  return days.find((on) => on > today) ?? addDays(endDate, 1)
}

const idsOf = ({ userId, id, benefitProviderId }: NoticedPolicy) => ({
  user_id: userId,
  insurance_policy_id: id,
  benefit_provider_id: benefitProviderId,
})

const renewalDue = (policy: NoticedPolicy, today: Day) =>
  newEvent('policy.renewal_due', {
    platformId: policy.platformId,
    data: { ...idsOf(policy), end_date: policy.endDate, days_left: daysBetween(today, policy.endDate) - 1 },
  })

const termStarted = (policy: NoticedPolicy) =>
  newEvent('policy.term_started', {
    platformId: policy.platformId,
    data: { ...idsOf(policy), start_date: policy.startDate, end_date: policy.endDate },
  })
