import { scopeOnUser, type UserScope } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import type { Day } from '../../../kernel/date.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import {
  type CardHolder,
  type Cover,
  type DocumentedPolicy,
  policyNumber,
  type UploadTarget,
} from '../documents/index.ts'
import type { Policy } from './records.ts'
import { pendingIssueOf, coverOn, issuedOf } from './states.ts'
import { findPolicy, findPolicyWithUploads } from './store.ts'
import { SHOWN } from './unseal-policy.ts'

type Context = Pick<Deps, 'db' | 'vault'>

/** Returns the fields of a policy that documents need. Throws 404 when it is not in scope. */
export async function findDocumentedPolicy(context: Context, scope: UserScope, id: string): Promise<DocumentedPolicy> {
  return documented(await findPolicy(context, scope, id, SHOWN))
}

/** Returns the same with the uploads that replace one of its documents. Throws 404 when it is not in scope. */
export async function findUploadTarget(
  context: Context,
  scope: UserScope,
  { policyId, documentType }: { policyId: string; documentType: string },
): Promise<UploadTarget> {
  const { policy, uploads } = await findPolicyWithUploads(context, scope, { id: policyId, documentType })
  return { policy: documented(policy), uploads }
}

function documented(policy: Policy): DocumentedPolicy {
  const { userId, platformId, benefitProviderId, id, key } = policy
  return { userId, platformId, benefitProviderId, id, key, issued: issuedOf(policy), pending: pendingIssueOf(policy) }
}

/**
 * Returns the cover of a member of the last issue on a day. Returns undefined for anyone else, and before the first
 * term.
 */
export async function findCover(context: Context, holder: CardHolder, today: Day): Promise<Cover | undefined> {
  const scope = scopeOnUser({ kind: 'system', job: 'card-check' }, holder.userId)
  const policy = await foundOrUndefined(findPolicy(context, scope, holder.policyId))
  const person = policy && personOf(policy, holder.memberId)
  const result = policy && coverOn(policy, today)
  return person && result && { result, policyNumber: policyNumber(policy), person }
}

function personOf(policy: Policy, memberId: string): Cover['person'] | undefined {
  if (policy.issuedDependantIds === null) return undefined
  if (memberId === 'self') return { first_name: null, last_name: null, ...policy.member }
  return policy.issuedDependantIds.includes(memberId) ? policy.dependant(memberId) : undefined
}
