import assert from 'node:assert/strict'
import type { Static } from 'typebox'
import { toRupees } from '../../kernel/money.ts'
import { documentAddresses } from '../documents/index.ts'
import type { InsurancePolicy } from './schemas.ts'
import { issuedOf } from './states.ts'
import type { Policy } from './store.ts'

export function presentPolicy(policy: Policy): Static<typeof InsurancePolicy> {
  const money = (paise: number) => ({ currency: policy.currency as 'INR', value: toRupees(paise) })
  return {
    id: policy.id,
    benefit_id: policy.benefit_id,
    benefit_name: policy.benefit_name,
    plan_code: policy.plan_code,
    primary_user_id: policy.userId,
    primary_member: {
      id: policy.userId,
      first_name: policy.member.first_name ?? null,
      last_name: policy.member.last_name ?? null,
    },
    dependant_ids: policy.dependant_ids,
    dependants: policy.dependant_ids.map((id) => presentCovered(policy, id)),
    documents: documentAddresses({ ...policy, issued: issuedOf(policy) }),
    premium_amounts: {
      annual: money(policy.premium_annual_paise),
      daily: money(policy.premium_daily_paise),
      sponsor_contribution: money(policy.premium_sponsor_paise),
    },
    questionnaire: policy.private.questionnaire ?? null,
    start_date: policy.start_date,
    end_date: policy.end_date,
    external_policy_id: policy.external_policy_id,
    master_policy_number: policy.master_policy_number,
    metadata: { provider_metadata: policy.private.provider_metadata ?? null },
    nominee_details:
      policy.nominee_dependant_id === null
        ? null
        : { nominee_type: 'DEPENDANT', dependant_id: policy.nominee_dependant_id },
    created_at: policy.created_at,
    last_modified_at: policy.last_modified_at,
  }
}

function presentCovered(policy: Policy, id: string) {
  const name = policy.dependant(id)
  assert(name, 'a covered dependant is one of the user’s')
  return { id, first_name: name.first_name, last_name: name.last_name }
}

export const versionOf = (policy: Policy) => ({ record: presentPolicy(policy), revision: policy.revision })
