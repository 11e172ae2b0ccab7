import { type Static } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
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
import { LINKED_DECISIONS } from '../endorsements/linked-store.ts'
import { settle } from '../endorsements/settle.ts'
import { refuseOlderPrograms } from './refuse-older-programs.ts'
import { EndInputSchema, InsurancePolicyEndRecord, presentEnd, type ShownEnd } from './present-end.ts'
import { END_POLICY, findPolicyWithEnd, toRowsOfEnd } from './end-store.ts'
import { decideEnd, type DecidedEnd } from './decide-end.ts'
import { type Policy, PolicyPath, tags, versionOf } from './records.ts'
import { isOver } from './states.ts'
import { type ChangingPolicy, policyInPath } from './store.ts'
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
  prepare: ({ deps }) => refuseOlderPrograms(deps.db),
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
  const decided = decideEnd(found, named, {
    who: author.caller.kind,
    at: author.at,
    today: todayIn(deps.calendar),
    backdateDays: deps.limits.backdateDays,
  })
  return decided ? toChange(found, decided, author) : unchanged(found)
}

/** Returns the change that sets an end, or takes it back. */
export function toChange(
  { coverRevision, pending }: Pick<ChangingPolicy, 'pending'> & { coverRevision: number },
  { policy, end, history, events }: DecidedEnd,
  author: Author,
): Decision<Ended> {
  const { at } = author
  const { platformId, userId, id, benefitProviderId } = policy
  const data = { user_id: userId, insurance_policy_id: id, benefit_provider_id: benefitProviderId }
  const event = newEvent(end ? 'policy.end_scheduled' : 'policy.end_withdrawn', { platformId, data })
  const settled = settle(policy, pending, { isOver: isOver(policy), issue: null }, at)
  return {
    result: { policy, end: end && { ...end, setAt: wireTime(at) } },
    ...END_POLICY.with({
      ...toChangeValues(policy, at),
      cover_revision: coverRevision,
    }),
    rows: { ...toRowsOfEnd(policy, end, author), ...LINKED_DECISIONS.rows(settled.decided) },
    history: [...history, ...settled.history],
    events: [event, ...events, ...settled.events],
  }
}
