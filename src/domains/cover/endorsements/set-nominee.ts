import { Type } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { OrNull } from '../../../kernel/http/schemas.ts'
import { invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { type Author, changed, type Decision, type Deps, operation, unchanged } from '../../../record/index.ts'
import { findCurrentVersions } from '../../people/dependants/index.ts'
import { EXTEND_POLICY } from '../policies/change-store.ts'
import { termOver } from '../policies/find-rejection.ts'
import { InsurancePolicyRecord, NomineeDetails, type Policy, PolicyPath, tags, versionOf } from '../policies/records.ts'
import { afterCalendar, awaitReissue, isOver } from '../policies/states.ts'
import { findPolicyToChange, policyInPath } from '../policies/store.ts'
import { toChangeValues, unsealDependants } from '../policies/unseal-policy.ts'
import { LINKED_ENDORSEMENTS } from './linked-store.ts'
import { requestEndorsement } from './settle.ts'

const NomineeInput = Type.Object(
  { nominee_details: OrNull(NomineeDetails) },
  { examples: [{ nominee_details: { nominee_type: 'DEPENDANT', dependant_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' } }] },
)

export const setNominee = operation('PUT /users/:user_id/insurance_policies/:insurance_policy_id/nominee', {
  access: 'setInsurancePolicyNominee',
  tags,
  summary: 'Set the nominee of an insurance policy',
  description:
    'A dependant of the user, or `null` for nobody; it holds at once. An issued policy has to be certified again: it gets an endorsement, ' +
    'and one that is ISSUED is REQUIRES_POLICY_REISSUANCE.',
  params: PolicyPath,
  body: NomineeInput,
  versioned: true,
  response: { 200: InsurancePolicyRecord },
  problems: ['conflict', 'precondition_failed'],
  checkTargetFirst: policyInPath,
  serializeBy: ({ params }) => params.insurance_policy_id,
  change: async ({ deps, request, params, body }, author) => {
    const { user_id: userId, insurance_policy_id: id } = params
    const found = await findPolicyToChange(deps, scopeOnUser(author.caller, userId), { id, isIssue: false })
    checkFresh(request.headers['if-match'], () => versionOf(found.policy))
    const { nominee_details: nominee } = body
    const named = await withNominee(deps, found.policy, nominee?.dependant_id ?? null)
    const { endorsementDays } = deps.limits
    return decideNominee(found, named, { author, today: todayIn(deps.calendar), endorsementDays })
  },
  present: (policy) => changed(versionOf(policy)),
})

/** Returns the policy with a nominee, the current version of the dependant. Throws 422 for one that the user does not have. */
async function withNominee({ db }: Deps, policy: Policy, id: string | null): Promise<Policy> {
  if (id === null) return { ...policy, nomineeDependantId: null }
  const { userId, key } = policy
  const current = (await findCurrentVersions(db, userId, [id])).get(id)
  if (current === undefined)
    throw invalid([unknownReference('/nominee_details/dependant_id', 'The user has no dependant with this id.')])
  const person = unsealDependants({ userId, key }, { [current.id]: current.sealed })
  return { ...policy, nomineeDependantId: current.id, dependant: (one) => person(one) ?? policy.dependant(one) }
}

type Found = Pick<Awaited<ReturnType<typeof findPolicyToChange>>, 'policy' | 'coverRevision'>

/** Decides another nominee, which a policy that was issued has certified again. Pure. Throws 409 `term_over` once it has ended. */
export function decideNominee(
  { policy: stored, coverRevision }: Found,
  named: Policy,
  now: { author: Author; today: Day; endorsementDays: number },
): Decision<Policy> {
  if (named.nomineeDependantId === stored.nomineeDependantId) return unchanged(stored)
  const { author, today } = now
  const late = afterCalendar(named, today)
  if (isOver(late.policy)) throw termOver(stored.endDate)
  const reissue = awaitReissue(late.policy, today)
  const policy = nextVersion(reissue.policy, author.at)
  const requests =
    policy.issue === 0
      ? []
      : [
          requestEndorsement(
            policy,
            { kind: 'NOMINEE', personId: policy.nomineeDependantId, personsVersion: policy.personsVersion },
            now,
          ),
        ]
  return {
    result: policy,
    ...EXTEND_POLICY.with({
      ...toChangeValues(policy, author.at, { hasNewStatus: policy.status !== stored.status }),
      cover_revision: coverRevision,
      returns_to: null,
    }),
    rows: LINKED_ENDORSEMENTS.rows(requests.map(({ row }) => row)),
    history: [...late.history, ...reissue.history, ...requests.flatMap(({ history }) => history)],
    events: [...late.events, ...reissue.events, ...requests.flatMap(({ events }) => events)],
  }
}
