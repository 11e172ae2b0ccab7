import { addDays, type Day } from '../../../kernel/date.ts'
import { daysFor, type Deadlines } from '../../../settings/read-deadlines.ts'
import type { PolicyStatus } from '../../cover/policies/index.ts'
import { ACTIONS_IN, ACTIONS_OF_PEOPLE, type ActionCode, type Rule } from './states.ts'

/** The kinds of record in which somebody can be waited for; `user`: one whose erasure is scheduled, or who turned 18. */
export const SUBJECT_KINDS = [
  'insurance_policy',
  'endorsement',
  'account',
  'wallet',
  'consultation',
  'rights_request',
  'sponsor',
  'deposit',
  'user',
  'dependant',
  'consent',
] as const
/** Those in which a due day is announced: what has one. */
export const ANNOUNCED_KINDS = [
  'insurance_policy',
  'endorsement',
  'rights_request',
] as const satisfies (typeof SUBJECT_KINDS)[number][]
type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** A record with what its next action depends on. What a kind of record does not have is null. */
export type Subject = {
  kind: SubjectKind
  state: string
  operatorState: string | null
  /** The days on which it was requested, and on which it came into its state. */
  requestedOn: Day | null
  sinceOn: Day | null
  /** Last day of its clock, where that is stored: the end of the term, of grace, or of a notice, or `due_on`. */
  lastOn: Day | null
  /** Last covered day of a policy with an end that is set. */
  endsOn: Day | null
  /** Number of times it was issued; the day of the first issue, of one that is ISSUED. */
  issue: number | null
  issuedOn: Day | null
  isSentBack: boolean | null
  beginsCover: boolean | null
  awaitsProvider: boolean | null
}

export type Decided = { code: ActionCode; dueOn: Day | null; rule: Rule | null }

type Rules = { deadlines: Deadlines; correctionDays: number; today: Day }
type Clock = { dueOn: Day; rule: Rule } | null

/** Returns what must be done next of a record, by the table of its states; null when nobody is waited for. Pure. */
export function decideAction(subject: Subject, rules: Rules): Decided | null {
  switch (subject.kind) {
    case 'insurance_policy':
      return decidePolicy(subject, rules)
    case 'endorsement':
      return withClock(codeIn(ACTIONS_IN.endorsement, subject.state), onDay(subject.lastOn, 'endorsement'))
    case 'account':
      return withClock(codeIn(ACTIONS_IN.account, subject.state), null)
    case 'wallet':
      return withClock(codeOfWallet(subject), null)
    case 'consultation':
      return subject.awaitsProvider ? withClock(codeIn(ACTIONS_IN.consultation, subject.state), null) : null
    case 'sponsor':
      return withClock(codeIn(ACTIONS_IN.sponsor, subject.state), null)
    case 'deposit':
      return withClock('settle_deposit', null)
    case 'rights_request':
      return withClock(codeIn(ACTIONS_IN.rights_request, subject.state), onDay(subject.lastOn, 'rights_request'))
    case 'user':
    case 'dependant':
    case 'consent':
      return withClock(codeIn(ACTIONS_OF_PEOPLE, subject.state), onDay(subject.lastOn, 'erasure_notice'))
  }
}

const codeIn = (table: Readonly<Record<string, readonly ActionCode[]>>, state: string): ActionCode | undefined =>
  table[state]?.[0]

const withClock = (code: ActionCode | undefined, clock: Clock): Decided | null =>
  code === undefined ? null : { code, dueOn: clock?.dueOn ?? null, rule: clock?.rule ?? null }

const onDay = (dueOn: Day | null, rule: Rule): Clock => (dueOn === null ? null : { dueOn, rule })

const codeOfWallet = ({ state, operatorState }: Subject): ActionCode | undefined =>
  codeIn(ACTIONS_IN.wallet, state) ?? codeIn(ACTIONS_IN.wallet_at_operator, operatorState ?? '')

function decidePolicy(policy: Subject, rules: Rules): Decided | null {
  const { isSentBack, endsOn, lastOn } = policy
  const status = policy.state as PolicyStatus
  const [code, sentBackCode] = ACTIONS_IN.insurance_policy[status] as readonly (ActionCode | undefined)[]
  switch (status) {
    case 'PENDING':
      return isSentBack
        ? withClock(sentBackCode, lastDayOf(policy))
        : withClock(code, earliest(lastDayOf(policy), clockOfIssue(policy, rules)))
    case 'VERIFICATION':
    case 'APPROVED':
    case 'REQUIRES_POLICY_REISSUANCE':
      return withClock(code, earliest(lastDayOf(policy), clockOfIssue(policy, rules)))
    case 'REQUIRES_CUSTOMER_RENEWAL':
      return endsOn === null ? withClock(code, onDay(lastOn, 'term_end')) : null
    case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE':
      return withClock(code, lastDayOf(policy))
    case 'ISSUED':
      return freeLookOf(policy, rules)
    case 'EXPIRED':
    case 'REJECTED':
      return null
  }
}

/** The day after which the calendar ends the policy; null before its first issue. */
const lastDayOf = ({ lastOn, endsOn }: Subject): Clock =>
  earliest(onDay(lastOn, 'grace_end'), onDay(endsOn, 'policy_end'))

const earliest = (one: Clock, other: Clock): Clock =>
  one === null || (other !== null && other.dueOn < one.dueOn) ? other : one

/** An application is decided on by its own day; what was approved or renewed is issued, and what was changed is issued again, by that day. */
function clockOfIssue({ state, issue, beginsCover, requestedOn, sinceOn }: Subject, rules: Rules): Clock {
  const { deadlines, correctionDays } = rules
  if (requestedOn === null || sinceOn === null) return null
  if (issue === 0 && state !== 'APPROVED')
    return { dueOn: addDays(requestedOn, daysFor(deadlines.decision, requestedOn)), rule: 'decision' }
  if (issue === 0 || beginsCover) return { dueOn: addDays(sinceOn, daysFor(deadlines.issue, sinceOn)), rule: 'issue' }
  return { dueOn: addDays(sinceOn, correctionDays), rule: 'correction' }
}

function freeLookOf({ issuedOn, endsOn }: Subject, { deadlines, today }: Rules): Decided | null {
  if (issuedOn === null || endsOn !== null) return null
  const dueOn = addDays(issuedOn, daysFor(deadlines.freeLook, issuedOn))
  return dueOn < today ? null : { code: 'return_policy', dueOn, rule: 'free_look' }
}
