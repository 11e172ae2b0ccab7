import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { toPaise } from '../../../kernel/money.ts'
import { conflict, invalid } from '../../../kernel/problem-error.ts'
import {
  type Author,
  changed,
  type Decision,
  type Deps,
  operation,
  transition,
  unchanged,
} from '../../../record/index.ts'
import { drawForEndorsement } from '../deposits/draw-premium.ts'
import { toRowsOfDraw } from '../deposits/draw-store.ts'
import { termOfIssue } from '../policies/copy-plan.ts'
import { createSnapshot } from '../policies/create-snapshot.ts'
import { changePolicy } from '../policies/change-store.ts'
import { findRunning } from '../policies/find-running.ts'
import { rejectReissue, termOver } from '../policies/find-rejection.ts'
import { afterDecision, namedIds, withPeopleOn } from '../policies/list-member-days.ts'
import type { Policy } from '../policies/records.ts'
import { afterCalendar, isOver, programTransition } from '../policies/states.ts'
import { findPolicyToChange } from '../policies/store.ts'
import { toChangeValues } from '../policies/unseal-policy.ts'
import { toRowsOfSnapshots } from '../documents/store.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { decidedBy, EndorsementStateInput, notRefusable } from './decided-by.ts'
import { decideOnEnd } from './decide-on-end.ts'
import { isOfPersons, type PendingEndorsement } from './pending-store.ts'
import { LINKED_DECISIONS } from './linked-store.ts'
import { EndorsementPath, EndorsementRecord, type FoundEndorsement, tags, versionOf } from './records.ts'
import { settle, toSubject } from './settle.ts'
import { ENDORSEMENT_MACHINE } from './states.ts'
import { asOfPolicy, endorsementInPath } from './store.ts'

export const setEndorsementState = operation('PUT /endorsements/:endorsement_id/state', {
  access: 'setEndorsementState',
  tags,
  summary: 'Accept, refuse or take back an endorsement',
  description:
    'The decision on the last pending one of a policy makes the next issue of the term that runs, and of the next term if that is ' +
    'issued already, unless all were refused or withdrawn; no date moves. A policy in REQUIRES_POLICY_REISSUANCE is ISSUED with it. Once it is refused, the ' +
    'person stays corrected, and the last issue in force. Issuing the policy accepts all at once. `amount` is what you charge, of a LEAVE or an END what you pay back: the deposit takes or gets it where the plan has a `premium_gate`, else it is for information. ' +
    'A platform takes back with WITHDRAWN who it asked to join or leave, and an end before its day.',
  params: EndorsementPath,
  body: EndorsementStateInput,
  versioned: true,
  response: { 200: EndorsementRecord },
  problems: ['conflict', 'invalid_state', 'precondition_failed'],
  target: endorsementInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.endorsement_id,
  change: async ({ deps, target: endorsement, body }, author): Promise<Decision<FoundEndorsement>> => {
    if (endorsement.state === body.state) return unchanged(sameAs(endorsement, body))
    const scope = scopeOnUser(author.caller, endorsement.userId)
    if (endorsement.kind === 'END') return decideOnEnd(deps, { endorsement, scope }, body, author)
    const found = await findPolicyToChange(deps, scope, { id: endorsement.policyId, isIssue: false })
    const current = await asOfPolicy(deps, endorsement, { found, author })
    if (current.state === body.state) return unchanged(sameAs(current, body))
    const change = await changeByDecision(deps, { endorsement: current, found }, body, author)
    return { ...change, result: change.result.endorsement }
  },
  present: (endorsement) => changed(versionOf(endorsement)),
})

/** Returns an endorsement that is decided so already. Throws 409 `different_content` for another amount, which would be lost. */
function sameAs(endorsement: FoundEndorsement, { amount }: EndorsementStateInput): FoundEndorsement {
  if (!amount || toPaise(amount.value) === endorsement.amountPaise) return endorsement
  throw conflict('It is decided already, with another amount or without one.', { reason: 'different_content' })
}

type FoundPolicy = Awaited<ReturnType<typeof findPolicyToChange>>

/** Returns the change that decides an endorsement, with its policy after it. Throws what `decideEndorsement` throws. */
export async function changeByDecision(
  deps: Deps,
  { endorsement, found }: { endorsement: FoundEndorsement; found: FoundPolicy },
  input: EndorsementStateInput,
  author: Author,
) {
  const today = todayIn(deps.calendar)
  const running = await findRunning(deps, found.policy, today)
  const decided = decideEndorsement({ ...found, endorsement, running }, input, { author, today })
  const { policy, snapshots, result, history, events } = decided
  const hasNewStatus = policy.status !== found.policy.status
  const paise = result.state === 'ACCEPTED' ? (result.amountPaise ?? 0) : 0
  const draw = await drawForEndorsement(deps, { policy, endorsement: result, paise }, { today, author })
  return {
    result: { endorsement: result, policy },
    history,
    events,
    ...changePolicy(toChangeValues(policy, author.at, { hasNewStatus }), draw),
    rows: {
      ...toRowsOfDraw(draw),
      ...LINKED_DECISIONS.rows(decided.decided),
      ...toRowsOfSnapshots(deps.vault, {
        policy,
        snapshots: snapshots.map((one) => ({
          ...createSnapshot(one, { ...found.parties(), madeOn: today }),
          is_endorsed: true as const,
        })),
        at: author.at,
      }),
    },
  } satisfies Decision<unknown>
}

type Found = {
  endorsement: FoundEndorsement
  policy: Policy
  pending: readonly PendingEndorsement[]
  /** The last issue of the term that runs today, where the policy was renewed early. */
  running: PolicySnapshot | undefined
}

/** The decided endorsement, the policy after it, and what its new issues print, the running term first. */
type Decided = ReturnType<typeof settle> & { result: FoundEndorsement; policy: Policy; snapshots: Policy[] }

/**
 * Decides an endorsement. Pure. Throws 409 `invalid_state` when it is decided already, 409 `conflict` when it cannot be refused or
 * the policy cannot be issued, 422 without the reason of a rejection.
 */
export function decideEndorsement(
  { endorsement, policy: stored, pending, running }: Found,
  input: EndorsementStateInput,
  { author, today }: { author: Author; today: Day },
): Decided {
  const { state, reason } = input
  const late = afterCalendar(stored, today)
  if (isOver(late.policy)) throw termOver(stored.endDate)
  const step = transition(ENDORSEMENT_MACHINE, toSubject(stored, endorsement), {
    to: state,
    who: author.caller.kind,
    reason: reason ?? undefined,
  })
  checkRejection(endorsement, input)
  checkOn(late.policy, endorsement, input)
  const memberDays = afterDecision(late.policy.memberDays, endorsement.id, { state, on: input.on ?? null })
  const manned = withPeopleOn({ ...late.policy, memberDays }, today)
  const others = pending.filter((one) => one.id !== endorsement.id && isOfPersons(one))
  const isLast = others.every((one) => one.state !== 'REQUESTED')
  const isAccepted = state === 'ACCEPTED' || others.some((one) => one.state === 'ACCEPTED')
  const isIssued = isLast && isAccepted
  if (isIssued) {
    const rejection = rejectReissue(manned, today)
    if (rejection) throw rejection
  }
  const issues = issuesOf(manned, running, isIssued)
  const after = afterIssues(manned, { isLast, issues, today, author })
  const certified = issues.at(0)?.issue ?? null
  const { result, row } = decidedBy(endorsement, input, {
    issue: state === 'ACCEPTED' ? certified : null,
    at: author.at,
  })
  const over = { isOver: isOver(after.policy), issue: certified, decision: { ...step, row } }
  const settled = settle(stored, others, over, author.at)
  return {
    result,
    policy: after.policy,
    snapshots: issues,
    decided: settled.decided,
    history: [...late.history, ...settled.history, ...after.history],
    events: [...late.events, ...settled.events, ...after.events],
  }
}

function checkRejection({ kind }: FoundEndorsement, { state, reason }: EndorsementStateInput): void {
  if (state === 'WITHDRAWN' && kind !== 'JOIN' && kind !== 'LEAVE')
    throw conflict('It holds already: correct the person back, or name the former nominee.', {
      reason: 'not_withdrawable',
    })
  if (state !== 'REFUSED') return
  if (kind === 'LEAVE') throw notRefusable()
  if (!reason?.trim()) throw invalid([{ pointer: '/reason', code: 'required', detail: 'Required with REFUSED.' }])
}

/** Checks another day than the one that was asked for: within the days of the policy, and of the person on it. */
function checkOn(
  { memberDays, coveredFrom, endDate, endsOn, dependant }: Policy,
  { id, kind }: FoundEndorsement,
  { on }: EndorsementStateInput,
) {
  if (!on) return
  const time = memberDays?.find(({ join, leave }) => join?.id === id || leave === id)
  const last = endsOn ?? endDate
  const born = kind === 'JOIN' && time ? dependant(time.id)?.date_of_birth : undefined
  const begins = born !== undefined && born > coveredFrom ? born : coveredFrom
  const first = (kind === 'LEAVE' && time?.from) || begins
  const wrong = (code: 'too_small' | 'too_large', detail: string) => invalid([{ pointer: '/on', code, detail }])
  if (on > last) throw wrong('too_large', `Must be ${last} or earlier, the last covered day.`)
  if (time && on < first) throw wrong('too_small', `Must be ${first} or later, the first covered day.`)
  if (kind === 'JOIN' && time?.to && on > time.to)
    throw wrong('too_large', `Must be ${time.to} or earlier, the last covered day of the person.`)
}

/** Returns the policy as its next issues print it: the running term, and the next term where that is issued already. */
function issuesOf(policy: Policy, running: PolicySnapshot | undefined, isIssued: boolean): Policy[] {
  if (!isIssued) return []
  const issue = { ...policy, issue: policy.issue + 1, issuedDependantIds: namedIds(policy) }
  if (running === undefined || running.start_date === policy.startDate) return [issue]
  const ofRunning: Policy = { ...issue, ...termOfIssue(running) }
  // The certificate of a renewal that is awaited is no issue yet.
  return policy.beginsCover ? [ofRunning] : [ofRunning, { ...issue, issue: issue.issue + 1 }]
}

type After = { isLast: boolean; issues: readonly Policy[]; today: Day; author: Author }

/** Returns the policy with its new issues; one that awaited them is ISSUED, and then follows the calendar. */
function afterIssues(policy: Policy, { isLast, issues, today, author }: After) {
  const last = issues.at(-1)
  const issued = nextVersion(
    {
      ...policy,
      ...(last && { issue: last.issue, issuedDependantIds: last.issuedDependantIds }),
      ...(isLast && { personsSeen: policy.personsVersion }),
    },
    author.at,
  )
  const isBack = isLast && issued.status === 'REQUIRES_POLICY_REISSUANCE' && !issued.beginsCover
  if (!isBack) return { policy: issued, history: [], events: [] }
  const back = programTransition(issued, { to: 'ISSUED', today })
  const late = afterCalendar(back.policy, today)
  return {
    policy: late.policy,
    history: [...back.history, ...late.history],
    events: [...back.events, ...late.events],
  }
}
