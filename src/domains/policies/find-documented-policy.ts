import { scopeOnUser, type UserScope } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import type { Day } from '../../kernel/date.ts'
import { foundOrUndefined } from '../../kernel/refusal.ts'
import { type CardHolder, type Cover, type DocumentedPolicy, policyNumber } from '../documents/index.ts'
import { awaitedOf, coverOn, issuedOf } from './states.ts'
import { findPolicy, type Policy } from './store.ts'

type Kit = Pick<Deps, 'db' | 'vault'>

/** A policy as documents see it; 404 when it is not in the scope. */
export async function findDocumentedPolicy(
  { db, vault }: Kit,
  scope: UserScope,
  id: string,
): Promise<DocumentedPolicy> {
  const policy = await findPolicy(db, vault, scope, id)
  return {
    userId: policy.userId,
    platformId: policy.platformId,
    benefitProviderId: policy.benefit_provider_id,
    id,
    key: policy.key,
    issued: issuedOf(policy),
    awaited: awaitedOf(policy),
  }
}

/** How a member whom the last issue covers stands on a day; undefined for anybody else, and before the first term. */
export async function findCover({ db, vault }: Kit, holder: CardHolder, today: Day): Promise<Cover | undefined> {
  const scope = scopeOnUser({ kind: 'system', job: 'card-check' }, holder.userId)
  const policy = await foundOrUndefined(findPolicy(db, vault, scope, holder.policyId))
  const person = policy && personOf(policy, holder.memberId)
  const result = policy && coverOn(policy, today)
  return person && result && { result, policyNumber: policyNumber(policy), person }
}

function personOf(policy: Policy, memberId: string): Cover['person'] | undefined {
  if (policy.issued_dependant_ids === null) return undefined
  if (memberId === 'self') return { first_name: null, last_name: null, ...policy.member }
  return policy.issued_dependant_ids.includes(memberId) ? policy.dependant(memberId) : undefined
}
