import { scopeOnUser, type UserScope } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import type { Day } from '../../kernel/date.ts'
import { foundOrUndefined } from '../../kernel/problem-error.ts'
import { type CardHolder, type Cover, type DocumentedPolicy, policyNumber } from '../documents/index.ts'
import type { Policy } from './open-policy.ts'
import { awaitedOf, coverOn, issuedOf } from './states.ts'
import { findPolicy } from './store.ts'

type Context = Pick<Deps, 'db' | 'vault'>

/** Returns a policy as documents see it. Throws 404 when it is not in the scope. */
export async function findDocumentedPolicy(context: Context, scope: UserScope, id: string): Promise<DocumentedPolicy> {
  const policy = await findPolicy(context, scope, id)
  const { userId, platformId, benefitProviderId, key } = policy
  return { userId, platformId, benefitProviderId, id, key, issued: issuedOf(policy), awaited: awaitedOf(policy) }
}

/**
 * Returns how a member whom the last issue covers stands on a day; undefined for anybody else, and before the first
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
