import type { Member } from '../../api/members.ts'
import { today } from '../../parts/texts.ts'

/** What is known of a policy where the days of its members are decided. */
export type PolicyDays = {
  /** It has a certificate: before the first one everybody is asked for from the start. */
  isIssued: boolean
  /** It has ended, and nothing changes any more. */
  isOver: boolean
  /** The last days that wait for the insurer. */
  leaving: readonly string[]
  members: readonly Member[]
}

/** What can be done with a day of somebody. */
export type DayAction = 'remove' | 'first' | 'not-joining' | 'last' | 'staying'
export type DayButton = { what: DayAction; label: string }

const CHANGE = 'Change'
const TAKE_BACK = 'Take back'

/** Whether somebody was covered, and is not any more. */
export const isGone = ({ to }: Member): boolean => to !== null && to < today()

/** Who returns has a time after this one. */
const isFormer = (one: Member, { members }: PolicyDays): boolean => members.findLast(({ id }) => id === one.id) !== one

export function firstDayButtons(one: Member, days: PolicyDays): DayButton[] {
  if (one.person === 'member' || isFormer(one, days)) return []
  if (!days.isIssued) return [{ what: 'remove', label: 'Take off' }]
  const waits = one.asked_from !== null
  const joinedLater = one.from !== null && one.from !== days.members[0]?.from && !isGone(one)
  return [
    ...(waits || joinedLater ? [{ what: 'first' as const, label: CHANGE }] : []),
    ...(waits ? [{ what: 'not-joining' as const, label: TAKE_BACK }] : []),
  ]
}

export function lastDayButtons(one: Member, days: PolicyDays): DayButton[] {
  const { isIssued, leaving, members } = days
  if (one.person === 'member' || isFormer(one, days) || !isIssued || one.from === null) return []
  // The end of the policy is nobody’s own last day.
  const own = one.to === members[0]?.to ? null : one.to
  if (own === null) return [{ what: 'last', label: 'Let leave' }]
  return [
    { what: 'last', label: CHANGE },
    ...(leaving.includes(own) ? [{ what: 'staying' as const, label: TAKE_BACK }] : []),
  ]
}
