import assert from 'node:assert/strict'
import { type Static, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import type { Day } from '../../../kernel/date.ts'
import {
  columns,
  day,
  decoded,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
} from '../../../kernel/db/columns.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { Nullable, OneOf, PathId, record, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { statusRecord } from '../../status-record.ts'
import { CURRENCIES, toMoney } from '../../../kernel/money.ts'
import type { Call } from '../../../record/index.ts'
import { GRACE_COVERS, PremiumAmounts } from '../../partners/benefits/index.ts'
import type { DependantInput } from '../../people/dependants/index.ts'
import { type Gender, type Profile, UserPath } from '../../people/users/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { documentUrls, DocumentUrls, policyExample } from '../documents/document-urls.ts'
import { allowedToday, type Conditions } from './find-rejection.ts'
import type { MemberDays } from './list-member-days.ts'
import { afterCalendar, nextMoveOn, notAfterEnd, POLICY_STATUSES } from './states.ts'

export const POLICY = columns('p', {
  id: text('policy_id'),
  userId: decoded('user_id', decodeUserId),
  benefitId: text('benefit_id'),
  benefitProviderId: text('benefit_provider_id'),
  planCode: text('plan_code'),
  status: oneOf('status', POLICY_STATUSES),
  dependantIds: texts('dependant_ids'),
  nomineeDependantId: nullable(text('nominee_dependant_id')),
  startDate: day('start_date'),
  endDate: day('end_date'),
  termMonths: integer('term_months'),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  graceCover: oneOf('grace_cover', GRACE_COVERS),
  currency: oneOf('currency', CURRENCIES),
  premiumAnnualPaise: integer('premium_annual_paise'),
  premiumDailyPaise: integer('premium_daily_paise'),
  premiumSponsorPaise: integer('premium_sponsor_paise'),
  externalPolicyId: nullable(text('external_policy_id')),
  masterPolicyNumber: nullable(text('master_policy_number')),
  /** Last day to renew, pay or reissue; null when nothing is due. */
  graceUntil: nullable(day('grace_until')),
  /** Number of times it was issued. */
  issue: integer('issue'),
  /** Dependants covered by the last issue; null before the first. */
  issuedDependantIds: nullable(texts('issued_dependant_ids')),
  /** Those who are not on it on all its days; null when there are none. */
  memberDays: nullable(json<MemberDays[], 'member_days'>('member_days')),
  coveredFrom: nullable(day('covered_from')),
  /** Where later terms are counted from, when the first one ended earlier than the plan’s; null: from the first start. */
  termsFrom: nullable(day('terms_from')),
  /** Last covered day, where it ends before its term; null when no end is set. */
  endsOn: nullable(day('ends_on')),
  /** First day of the term in which that day is. */
  endsFrom: nullable(day('ends_from')),
  /** The pending issue begins cover: the next term, or days after a return from EXPIRED. */
  beginsCover: flag('begins_cover'),
  /** Number of times that a person on it was corrected. */
  personsVersion: integer('persons_version'),
  /** That number when the benefit provider, or an administrator, last set its status. */
  personsSeen: integer('persons_seen'),
  sealed: nullable(text('sealed')),
  ...VERSION,
})

/** The encrypted part of a policy: answers about health, and the provider's metadata. */
export type SealedFields = {
  questionnaire?: Static<typeof Questionnaire>
  provider_metadata?: Static<typeof ProviderMetadata>
  /** By the version by which a person was named first. */
  members?: Record<string, MemberDetails>
}

export const RELATIONS = ['SPOUSE', 'CHILD', 'PARENT', 'PARENT_IN_LAW', 'SIBLING', 'OTHER'] as const

/** What a policy knows of a person besides the dependant’s own details. */
export type MemberDetails = { relation?: (typeof RELATIONS)[number]; gender?: Static<typeof Gender> }

export type Owner = {
  platformId: string
  key: DataKey
  member: Profile
  dependant: (id: string) => DependantInput | undefined
}

export type Policy = Omit<RecordOf<typeof POLICY>, 'coveredFrom' | 'sealed'> &
  Owner & {
    benefitName: string
    /** The start of its first term; terms follow each other without a gap. */
    coveredFrom: Day
    private: SealedFields
  }

/** A policy, the time its status began, whether the platform is waited for, and what its transitions depend on. */
export type PolicyWithSince = { policy: Policy; since: WireTime; isSentBack: boolean; conditions: Conditions }

const QUESTIONS_MAX = 100
/** Those on one policy, besides the user. */
export const DEPENDANTS_MAX = 50

export const Questionnaire = Type.Object(
  {
    questions: Type.Array(Type.Object({ question: Text({ maxLength: 500 }), answer: Type.Boolean() }), {
      maxItems: QUESTIONS_MAX,
    }),
  },
  {
    title: 'Questionnaire',
    description: 'Questions asked at enrolment, with answers',
    examples: [{ questions: [{ question: 'Do you smoke?', answer: false }] }],
  },
)
export const NomineeDetails = Type.Object(
  { nominee_type: OneOf(['DEPENDANT']), dependant_id: Text({ maxLength: 100 }) },
  {
    title: 'NomineeDetails',
    description: 'The dependant who is paid if the user dies',
    examples: [{ nominee_type: 'DEPENDANT', dependant_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' }],
  },
)

export const ProviderMetadata = Type.Record(Type.String(), Type.Unknown())
const Name = Nullable(Type.String())
const member = { first_name: Name, last_name: Name }

export const InsurancePolicyRecord = record(
  'InsurancePolicy',
  {
    id: Type.String(),
    benefit_id: Type.String(),
    benefit_name: Type.String(),
    plan_code: Type.String(),
    primary_user_id: UserIdText(),
    primary_member: Type.Object({ id: Type.String({ description: 'The user id' }), ...member }),
    dependant_ids: Type.Array(Type.String()),
    dependants: Type.Array(Type.Object({ id: Type.String(), ...member })),
    documents: DocumentUrls,
    premium_amounts: PremiumAmounts,
    questionnaire: Nullable(Questionnaire),
    start_date: Type.String({ format: 'date' }),
    end_date: Type.String({ format: 'date' }),
    external_policy_id: Nullable(Type.String()),
    master_policy_number: Nullable(Type.String()),
    metadata: Type.Object({ provider_metadata: Nullable(ProviderMetadata) }),
    nominee_details: Nullable(NomineeDetails),
    created_at: Timestamp('Time of enrolment'),
    last_modified_at: Timestamp('Time of the last change'),
  },
  {
    description: 'An insurance policy. Its status is a filter of the list, not a field.',
    examples: [
      {
        id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_id: 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_name: 'Family health cover',
        plan_code: 'FAMILY_5L',
        primary_user_id: '012345678901',
        primary_member: { id: '012345678901', first_name: 'Asha', last_name: 'Example' },
        dependant_ids: ['dep_06bnv3m2r8f1s4k7q9t3v6w0y2'],
        dependants: [{ id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2', first_name: 'Ravi', last_name: 'Example' }],
        documents: documentUrls(policyExample),
        premium_amounts: {
          annual: { currency: 'INR', value: 12_045 },
          daily: { currency: 'INR', value: 33 },
          sponsor_contribution: { currency: 'INR', value: 6_022.5 },
        },
        questionnaire: { questions: [{ question: 'Do you smoke?', answer: false }] },
        start_date: '2026-04-01',
        end_date: '2027-03-31',
        external_policy_id: null,
        master_policy_number: null,
        metadata: { provider_metadata: null },
        nominee_details: { nominee_type: 'DEPENDANT', dependant_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' },
        created_at: '2026-04-01T09:40:00',
        last_modified_at: '2026-04-01T09:40:00',
      },
    ],
  },
)

export const IsSentBack = Type.Boolean({
  description:
    'The benefit provider has sent the application back to PENDING with a reason, which the timeline has. Until a person on it is corrected, or it moves on',
})

export const InsurancePolicyStatusRecord = statusRecord('InsurancePolicyStatus', POLICY_STATUSES, {
  description: 'Status of a policy',
  example: {
    id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
    status: 'ISSUED',
    next_move_on: '2027-03-01',
    allowed_transitions: ['REQUIRES_POLICY_REISSUANCE', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED'],
    persons_version: 0,
    is_sent_back: false,
  },
  more: { persons_version: Type.Integer(), is_sent_back: IsSentBack },
})

export const PolicyPath = Type.Object({ ...UserPath.properties, insurance_policy_id: PathId('The policy') })

export const tags = ['Insurance policies']

export function presentPolicy(policy: Policy): Static<typeof InsurancePolicyRecord> {
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
    dependants: policy.dependantIds.map((id) => {
      const { first_name, last_name } = findDependant(policy, id)
      return { id, first_name, last_name }
    }),
    documents: documentUrls(policy),
    premium_amounts: presentPremium(policy),
    questionnaire: policy.private.questionnaire ?? null,
    start_date: policy.endsFrom ?? policy.startDate,
    end_date: policy.endsOn ?? policy.endDate,
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

/** What a policy, or one of its terms, has of its price. */
export type Premium = Pick<Policy, 'currency' | 'premiumAnnualPaise' | 'premiumDailyPaise' | 'premiumSponsorPaise'>

export const presentPremium = (term: Premium) => ({
  annual: toMoney(term.premiumAnnualPaise, term.currency),
  daily: toMoney(term.premiumDailyPaise, term.currency),
  sponsor_contribution: toMoney(term.premiumSponsorPaise, term.currency),
})

export function findDependant(policy: Policy, id: string): DependantInput {
  const dependant = policy.dependant(id)
  assert(dependant, 'a covered dependant is one of the user’s')
  return dependant
}

export const versionOf = (policy: Policy) => ({ record: presentPolicy(policy), revision: policy.revision })

/** Presents the stored status, and what the caller may set it to once the calendar's due transitions are made. */
export function presentStatus({ policy, since, isSentBack, conditions }: PolicyWithSince, { request, deps }: Call) {
  const today = todayIn(deps.calendar)
  const who = request.caller.kind
  return {
    id: policy.id,
    status: policy.status,
    since,
    grace_until: policy.graceUntil && notAfterEnd(policy, policy.graceUntil),
    next_move_on: nextMoveOn(policy),
    allowed_transitions: allowedToday(afterCalendar(policy, today).policy, { who, today, conditions }),
    persons_version: policy.personsVersion,
    is_sent_back: isSentBack && policy.status === 'PENDING',
  }
}
