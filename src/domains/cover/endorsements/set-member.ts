import type { Static } from 'typebox'
import { requireConsent } from '../../../access/consent-rules.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { type Author, changedPart, type Decision, type Deps, operation, unchanged } from '../../../record/index.ts'
import { dependantInPath, findCurrentVersions } from '../../people/dependants/index.ts'
import { EXTEND_POLICY } from '../policies/change-store.ts'
import { listMemberDays } from '../policies/list-member-days.ts'
import { type Policy, tags, versionOf } from '../policies/records.ts'
import { refuseOlderPrograms } from '../../../kernel/db/refuse-older-programs.ts'
import { findPolicyToChange, policyInPath } from '../policies/store.ts'
import { toChangeValues, unsealDependants } from '../policies/unseal-policy.ts'
import { decideMember } from './decide-member.ts'
import { LINKED_DECISIONS, LINKED_ENDORSEMENTS } from './linked-store.ts'
import { InsurancePolicyMembersRecord, MemberInput, MemberPath, presentMembers } from './present-members.ts'
import { changeByDecision } from './set-endorsement-state.ts'
import { findEndorsement } from './store.ts'

export const setMember = operation(
  'PUT /users/:user_id/insurance_policies/:insurance_policy_id/members/:dependant_id',
  {
    access: 'setInsurancePolicyMember',
    tags,
    summary: 'Set from when to when a dependant is on an insurance policy',
    description:
      'Before the first issue: who is asked for. On an issued policy each day is an endorsement, and one that is ISSUED is REQUIRES_POLICY_REISSUANCE: a ' +
      'person who joins is covered from `from` once the benefit provider accepts it; who leaves is not covered after `to`, at once. A day goes back 45 days by default; ' +
      'further back, within the term, an administrator goes with a reason, and before the term an owner. The same again changes nothing.',
    params: MemberPath,
    body: MemberInput,
    versioned: true,
    response: { 200: InsurancePolicyMembersRecord },
    problems: ['conflict', 'precondition_failed', 'unavailable'],
    checkTargetFirst: async (call) => {
      await policyInPath(call)
      await dependantInPath(call)
    },
    serializeBy: ({ params }) => params.insurance_policy_id,
    prepare: ({ deps }) => refuseOlderPrograms(deps.db, 'ends of policies'),
    change: ({ deps, request, params, body }, author) =>
      change(deps, { path: params, input: body, ifMatch: request.headers['if-match'] }, author),
    present: (policy) => changedPart(versionOf(policy), presentMembers(policy)),
  },
)

type Command = { path: Static<typeof MemberPath>; input: Static<typeof MemberInput>; ifMatch: string | undefined }

async function change(deps: Deps, { path, input, ifMatch }: Command, author: Author): Promise<Decision<Policy>> {
  const scope = scopeOnUser(author.caller, path.user_id)
  const found = await findPolicyToChange(deps, scope, { id: path.insurance_policy_id, isIssue: false })
  checkFresh(ifMatch, () => versionOf(found.policy))
  const { policy, born, id } = await withPerson(deps, found.policy, path.dependant_id)
  const { endorsementDays, backdateDays } = deps.limits
  const today = todayIn(deps.calendar)
  const decided = decideMember(policy, { id, born }, input, { author, today, endorsementDays, backdateDays })
  if (decided === undefined) return unchanged(policy)
  if ('withdrawn' in decided) {
    const endorsement = await findEndorsement(deps, author.caller, decided.withdrawn)
    const change = await changeByDecision(
      deps,
      { endorsement, found: { ...found, policy } },
      { state: 'WITHDRAWN' },
      author,
    )
    return { ...change, result: change.result.policy }
  }
  if (joins(found.policy, decided.policy, id)) {
    const { userId, platformId } = policy
    await requireConsent(deps, 'setInsurancePolicyMember', {
      userId,
      platformId,
      at: author.at,
      dependants: [{ id, born }],
    })
  }
  return {
    result: decided.policy,
    ...EXTEND_POLICY.with({
      ...toChangeValues(decided.policy, author.at, { hasNewStatus: decided.policy.status !== found.policy.status }),
      cover_revision: found.coverRevision,
      returns_to: null,
    }),
    rows: { ...LINKED_ENDORSEMENTS.rows(decided.requested), ...LINKED_DECISIONS.rows(decided.decided) },
    history: decided.history,
    events: decided.events,
  }
}

/** Whether a dependant is on a policy for a time that it did not know before. */
function joins(before: Policy, after: Policy, dependantId: string): boolean {
  const countTimes = (policy: Policy) => listMemberDays(policy).filter(({ id }) => id === dependantId).length
  return countTimes(after) > countTimes(before)
}

/** Returns the current version of a dependant, and the policy that knows it. Throws 404 for one that the user does not have. */
async function withPerson({ db }: Deps, policy: Policy, version: string) {
  const { userId, key } = policy
  const current = (await findCurrentVersions(db, userId, [version])).get(version)
  if (current === undefined) throw notFound()
  const lookup = unsealDependants({ userId, key }, { [current.id]: current.sealed })
  const person = (id: string) => lookup(id) ?? policy.dependant(id)
  const born = lookup(current.id)?.date_of_birth
  if (born === undefined) throw notFound()
  return { id: current.id, born, policy: { ...policy, dependant: person } }
}
