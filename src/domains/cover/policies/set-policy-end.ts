import { type Static } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { toPaise } from '../../../kernel/money.ts'
import {
  type Author,
  changedPart,
  type Decision,
  type Deps,
  newEvent,
  operation,
  unchanged,
} from '../../../record/index.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { drawForEnd } from '../deposits/draw-premium.ts'
import { type Draw, toRowsOfDraw } from '../deposits/draw-store.ts'
import { LINKED_DECISIONS, LINKED_ENDORSEMENTS } from '../endorsements/linked-store.ts'
import { isOfPersons } from '../endorsements/pending-store.ts'
import { decisionOn, type EndorsementDecision, requestEndorsement, settle } from '../endorsements/settle.ts'
import { refuseOlderPrograms } from '../../../kernel/db/refuse-older-programs.ts'
import { EndInputSchema, InsurancePolicyEndRecord, presentEnd, type ShownEnd } from './present-end.ts'
import { endPolicy, findPolicyWithEnd, toRowsOfEnd } from './end-store.ts'
import { decideEnd, type DecidedEnd, SAYERS } from './decide-end.ts'
import { type Policy, PolicyPath, tags, versionOf } from './records.ts'
import { isOver } from './states.ts'
import { policyInPath } from './store.ts'
import { toChangeValues } from './unseal-policy.ts'

type Input = Static<typeof EndInputSchema>

export const setPolicyEnd = operation('PUT /users/:user_id/insurance_policies/:insurance_policy_id/end', {
  access: 'setInsurancePolicyEnd',
  tags,
  summary: 'Set the day on which an insurance policy ends',
  description:
    'Of a policy that was issued. `on` is the last covered day. Until then the status stays, and the record’s `end_date` is that day; there is no renewal ' +
    'window, no grace and no renewal (409 `ending`). At 00:00 in India after it the policy is EXPIRED; by a day that is over, at once. A day goes back 45 ' +
    'days by default; further back, within the term, a benefit provider or an administrator goes with a reason, and before the term an owner. Sending ' +
    'another day moves the end. `amount` is for benefit providers and administrators. The same again changes nothing.',
  params: PolicyPath,
  body: EndInputSchema,
  versioned: true,
  response: { 200: InsurancePolicyEndRecord },
  problems: ['conflict', 'invalid_state', 'precondition_failed', 'unavailable'],
  checkTargetFirst: policyInPath,
  serializeBy: ({ params }) => params.insurance_policy_id,
  prepare: ({ deps }) => refuseOlderPrograms(deps.db, 'ends of policies'),
  change: ({ deps, request, params, body }, author) =>
    setEnd(deps, { path: params, input: body, ifMatch: request.headers['if-match'] }, author),
  present: ({ policy, end }) => changedPart(versionOf(policy), presentEnd(policy, end)),
})

type PathOfPolicy = Static<typeof PolicyPath>
type Command = { path: PathOfPolicy; input: Input; ifMatch: string | undefined }
type Ended = { policy: Policy; end: ShownEnd | null }

async function setEnd(deps: Deps, { path, input, ifMatch }: Command, author: Author): Promise<Decision<Ended>> {
  const scope = scopeOnUser(author.caller, path.user_id)
  const found = await findPolicyWithEnd(deps, scope, path.insurance_policy_id, input.on)
  checkFresh(ifMatch, () => versionOf(found.policy))
  const { on, code, amount } = input
  const named = { on, code, reason: input.reason, amountPaise: amount && toPaise(amount.value) }
  const now = { today: todayIn(deps.calendar), ...deps.limits }
  const decided = decideEnd(found, named, { who: author.caller.kind, at: author.at, ...now })
  if (!decided) return unchanged(found)
  const request = requestEnd(found, decided, { author, ...now })
  return endChange(deps, found, { ...decided, ...request }, author)
}

type Now = { author: Author; today: Day; endorsementDays: number }
type Found = Awaited<ReturnType<typeof findPolicyWithEnd>>

/**
 * Returns the endorsement that an end needs. The benefit provider hears of a day that somebody else sets, and decides on what it pays back; its
 * own word on an end accepts what waits. Pure.
 */
function requestEnd({ end: before, pending }: Found, { policy, end }: DecidedEnd, { author, ...now }: Now): EndRequest {
  if (end === null) return {}
  const { endsOn: on, refundDays, refundEstimatePaise, amountPaise } = end
  const who = author.caller.kind
  const open = pending.find((one) => !isOfPersons(one))
  const decide = (state: 'ACCEPTED' | 'WITHDRAWN') =>
    open && decisionOn(policy, open, { state, issue: null, who, at: author.at })
  const isOfProvider = amountPaise !== null && amountPaise !== before?.amountPaise
  if (who === 'provider' || (isOfProvider && SAYERS.includes(who))) {
    const accepted = decide('ACCEPTED')
    return {
      decision: accepted && { ...accepted, row: { ...accepted.row, on_day: on, amount_paise: amountPaise } },
    }
  }
  if (before?.endsOn === on) return {}
  const { personsVersion } = policy
  const asked = { kind: 'END' as const, personId: null, personsVersion, on, refundDays, refundEstimatePaise }
  return { requested: requestEndorsement(policy, asked, { author, ...now }), decision: decide('WITHDRAWN') }
}

type EndRequest = {
  requested?: ReturnType<typeof requestEndorsement>
  /** What becomes of the endorsement that asked for an end. */
  decision?: EndorsementDecision | undefined
}

/**
 * Returns the change that sets an end, takes it back, or decides on one as it is, with what it gives back to the deposit. Throws 409 `deposit_short`
 * where the deposit no longer holds what was given back.
 */
export async function endChange(
  deps: Pick<Deps, 'db' | 'calendar'>,
  found: Pick<Found, 'end' | 'pending' | 'coverRevision'>,
  decided: DecidedEnd & EndRequest,
  author: Author,
): Promise<Decision<Ended>> {
  const now = { today: todayIn(deps.calendar), author }
  const { policy, end } = decided
  const ended = { policy, paise: end?.amountPaise ?? null, isTakenBack: end === null && found.end !== null }
  return toChange(found, { ...decided, draw: await drawForEnd(deps, ended, now) }, author)
}

type DrawnEnd = DecidedEnd & EndRequest & { draw: Draw | undefined }

function toChange(
  { end: before, coverRevision, pending }: Pick<Found, 'end' | 'pending' | 'coverRevision'>,
  { policy, end, history, events, requested, decision, draw }: DrawnEnd,
  author: Author,
): Decision<Ended> {
  const { at } = author
  const { platformId, userId, id, benefitProviderId } = policy
  const data = { user_id: userId, insurance_policy_id: id, benefit_provider_id: benefitProviderId }
  const isSame = end === before
  const event = newEvent(end ? 'policy.end_scheduled' : 'policy.end_withdrawn', { platformId, data })
  const others = pending.filter((one) => one.id !== decision?.row.endorsement_id)
  const settled = settle(policy, others, { isOver: isOver(policy), issue: null, decision }, at)
  return {
    result: { policy, end: end && { ...end, setAt: wireTime(at) } },
    ...endPolicy({ ...toChangeValues(policy, at), cover_revision: coverRevision }, draw),
    rows: {
      ...toRowsOfDraw(draw),
      ...(isSame ? {} : toRowsOfEnd(policy, end, author)),
      ...(requested && LINKED_ENDORSEMENTS.rows([requested.row])),
      ...LINKED_DECISIONS.rows(settled.decided),
    },
    history: [...history, ...settled.history, ...(requested?.history ?? [])],
    events: [...(isSame ? [] : [event]), ...events, ...settled.events, ...(requested?.events ?? [])],
  }
}
