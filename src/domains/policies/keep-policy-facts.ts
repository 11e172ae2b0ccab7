import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { scopeOf } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Day } from '../../kernel/date.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { findBenefitProvider } from '../benefit-providers/index.ts'
import { findBenefit } from '../benefits/index.ts'
import { type Facts, findSources, keepFacts } from '../documents/index.ts'
import { findSponsor } from '../sponsors/index.ts'
import type { Policy } from './store.ts'

const EVERYTHING = scopeOf({ kind: 'system', job: 'policy-facts' })

/** Keeps what the policy says at its enrolment or issue, for its documents. Call it with the policy as it will be. */
export async function keepPolicyFacts(
  tx: Tx,
  vault: Vault,
  { policy, made_on }: { policy: Policy; made_on: Day },
): Promise<void> {
  const { sponsorId } = await findBenefit(tx, EVERYTHING, policy.benefit_id)
  const sponsor = await findSponsor(tx, vault, EVERYTHING, sponsorId)
  const provider = await findBenefitProvider(tx, policy.benefit_provider_id)
  const facts = { ...factsOf(policy), made_on, sponsor_name: sponsor.profile.name, provider_name: provider.name }
  await keepFacts(tx, vault, { policy, facts })
}

/** True when a new issue would say the same as the last one of the policy’s numbers, term and people. */
export async function saysWhatWasIssued(tx: Tx, policy: Policy): Promise<boolean> {
  const { issue } = policy
  const { facts } = await findSources(tx, policy, { documentType: 'policy_certificate', issue })
  return issue > 0 && facts !== undefined && isDeepStrictEqual(essenceOf(factsOf(policy)), essenceOf(facts))
}

const essenceOf = (facts: Omit<Facts, 'made_on' | 'sponsor_name' | 'provider_name'>) => [
  facts.external_policy_id,
  facts.master_policy_number,
  facts.start_date,
  facts.end_date,
  facts.member,
  facts.dependants,
  facts.nominee,
]

function factsOf(policy: Policy): Omit<Facts, 'made_on' | 'sponsor_name' | 'provider_name'> {
  const { member } = policy
  return {
    issue: policy.issue,
    external_policy_id: policy.external_policy_id,
    master_policy_number: policy.master_policy_number,
    benefit_name: policy.benefit_name,
    plan_code: policy.plan_code,
    start_date: policy.start_date,
    end_date: policy.end_date,
    term_months: policy.term_months,
    renewal_window_days: policy.renewal_window_days,
    grace_days: policy.grace_days,
    premium: {
      currency: policy.currency,
      annual: policy.premium_annual_paise,
      daily: policy.premium_daily_paise,
      sponsor: policy.premium_sponsor_paise,
    },
    member: {
      ...nameOf(member),
      title: member.title ?? null,
      gender: member.gender ?? null,
      dob: member.dob ?? null,
    },
    dependants: policy.dependant_ids.map((id) => ({ id, ...dependantOf(policy, id) })),
    nominee: policy.nominee_dependant_id === null ? null : nameOf(dependantOf(policy, policy.nominee_dependant_id)),
    ...(policy.issue === 0 && { application: applicationOf(policy) }),
  }
}

function applicationOf({ member, private: { questionnaire } }: Policy): NonNullable<Facts['application']> {
  return {
    phone: `${member.phone_country_code} ${member.phone_number}`,
    email: member.email ?? null,
    address: member.address ?? null,
    questions: questionnaire?.questions ?? [],
  }
}

const nameOf = ({ first_name, last_name }: { first_name?: string; last_name?: string }) => ({
  first_name: first_name ?? null,
  last_name: last_name ?? null,
})

function dependantOf(policy: Policy, id: string) {
  const dependant = policy.dependant(id)
  assert(dependant, 'a covered dependant is one of the user’s')
  return dependant
}
