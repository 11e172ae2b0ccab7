import assert from 'node:assert/strict'
import type { Static } from 'typebox'
import type { CallerKind } from '../../../access/caller.ts'
import type { Day } from '../../../kernel/date.ts'
import { type Paise, toRupees } from '../../../kernel/money.ts'
import { documentUrls } from '../documents/index.ts'
import type { Policy, PolicyWithSince } from './open-policy.ts'
import { allowedToday } from './rejection-of.ts'
import type { InsurancePolicy } from './schemas.ts'
import { afterCalendar, issuedOf, nextMoveOn } from './states.ts'

export function presentPolicy(policy: Policy): Static<typeof InsurancePolicy> {
  const money = (paise: Paise) => ({ currency: policy.currency, value: toRupees(paise) })
  return {
    id: policy.id,
    benefit_id: policy.benefitId,
    benefit_name: policy.benefitName,
    plan_code: policy.planCode,
    primary_user_id: policy.userId,
    primary_member: {
      id: policy.userId,
      first_name: policy.member.first_name ?? null,
      last_name: policy.member.last_name ?? null,
    },
    dependant_ids: policy.dependantIds,
    dependants: policy.dependantIds.map((id) => presentCovered(policy, id)),
    documents: documentUrls({ ...policy, issued: issuedOf(policy) }),
    premium_amounts: {
      annual: money(policy.premiumAnnualPaise),
      daily: money(policy.premiumDailyPaise),
      sponsor_contribution: money(policy.premiumSponsorPaise),
    },
    questionnaire: policy.private.questionnaire ?? null,
    start_date: policy.startDate,
    end_date: policy.endDate,
    external_policy_id: policy.externalPolicyId,
    master_policy_number: policy.masterPolicyNumber,
    metadata: { provider_metadata: policy.private.provider_metadata ?? null },
    nominee_details:
      policy.nomineeDependantId === null
        ? null
        : { nominee_type: 'DEPENDANT', dependant_id: policy.nomineeDependantId },
    created_at: policy.createdAt,
    last_modified_at: policy.lastModifiedAt,
  }
}

function presentCovered(policy: Policy, id: string) {
  const name = policy.dependant(id)
  assert(name, 'a covered dependant is one of the user’s')
  return { id, first_name: name.first_name, last_name: name.last_name }
}

export const versionOf = (policy: Policy) => ({ record: presentPolicy(policy), revision: policy.revision })

type Reader = { who: CallerKind; today: Day }

/** Presents the stored status, and what the caller may set it to once the calendar's due transitions are made. */
export const presentStatus = ({ policy, since, conditions }: PolicyWithSince, { who, today }: Reader) => ({
  id: policy.id,
  status: policy.status,
  since,
  grace_until: policy.graceUntil,
  next_move_on: nextMoveOn(policy),
  allowed_transitions: allowedToday(afterCalendar(policy, today).policy, { who, today, conditions }),
})
