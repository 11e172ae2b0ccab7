import { type Static, Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { pageOf, statusQuery } from '../../../kernel/http/paging.ts'
import {
  DayText,
  Lines,
  Nullable,
  OneOf,
  OrNull,
  PathId,
  record,
  ref,
  statusRecord,
  Text,
  Timestamp,
} from '../../../kernel/http/schemas.ts'
import { PremiumAmounts } from '../../partners/benefits/index.ts'
import { DocumentUrls } from '../documents/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { POLICY_STATUSES } from './states.ts'

const DEPENDANTS_MAX = 50
const QUESTIONS_MAX = 100

const Questionnaire = Type.Object(
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
export type Questionnaire = Static<typeof Questionnaire>

const NomineeDetails = Type.Object(
  { nominee_type: OneOf(['DEPENDANT']), dependant_id: Text({ maxLength: 100 }) },
  {
    title: 'NomineeDetails',
    description: 'The dependant who is paid if the user dies',
    examples: [{ nominee_type: 'DEPENDANT', dependant_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' }],
  },
)

const ProviderMetadata = Type.Record(Type.String(), Type.Unknown())
export type ProviderMetadata = Static<typeof ProviderMetadata>

const Name = Nullable(Type.String())
const member = { first_name: Name, last_name: Name }

export const InsurancePolicy = record(
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
        documents: {
          health_cards: {},
          customer_information_sheet: null,
          enrollment_form:
            '/v1/users/012345678901/insurance_policies/pol_06bnv3m2r8f1s4k7q9t3v6w0y2/documents/enrollment_form',
          policy_certificate: null,
        },
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

const InsurancePolicyStatus = statusRecord('InsurancePolicyStatus', POLICY_STATUSES, {
  description: 'Status of a policy',
  example: {
    id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
    status: 'ISSUED',
    next_move_on: '2027-03-01',
    allowed_transitions: ['REQUIRES_POLICY_REISSUANCE', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED'],
  },
})

export const records = [InsurancePolicy, InsurancePolicyStatus]

export const PolicyPath = Type.Object({ ...UserPath.properties, insurance_policy_id: PathId('The policy') })

const PolicyInput = Type.Object(
  {
    benefit_id: Text({ maxLength: 100 }),
    plan_code: Text({ maxLength: 60 }),
    start_date: DayText(),
    dependant_ids: Type.Array(Text({ maxLength: 100 }), { maxItems: DEPENDANTS_MAX, uniqueItems: true }),
    nominee_details: OrNull(NomineeDetails),
    questionnaire: OrNull(Questionnaire),
  },
  {
    examples: [
      {
        benefit_id: 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2',
        plan_code: 'FAMILY_5L',
        start_date: '2026-04-01',
        dependant_ids: ['dep_06bnv3m2r8f1s4k7q9t3v6w0y2'],
        nominee_details: { nominee_type: 'DEPENDANT', dependant_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' },
        questionnaire: { questions: [{ question: 'Do you smoke?', answer: false }] },
      },
    ],
  },
)
export type PolicyInput = Static<typeof PolicyInput>

const StatusInput = Type.Object(
  {
    status: OneOf(POLICY_STATUSES),
    reason: Type.Optional(Lines({ maxLength: 500 })),
    external_policy_id: OrNull(Text()),
    master_policy_number: OrNull(Text()),
    provider_metadata: OrNull(ProviderMetadata),
  },
  { examples: [{ status: 'ISSUED', external_policy_id: 'SG-2026-000123', master_policy_number: 'MP-77' }] },
)
export type StatusInput = Static<typeof StatusInput>

const tags = ['Insurance policies']

export const enrolSchema = {
  tags,
  summary: 'Enrol a user in a plan',
  description:
    'Creates a PENDING policy; `end_date` is the last day of the plan’s term. It starts a year ahead at most, and not ' +
    'so early that term and grace are over. Open policies of a user in the same plan never overlap.',
  params: UserPath,
  body: PolicyInput,
  response: { 201: ref(InsurancePolicy) },
}

export const listPoliciesSchema = {
  tags,
  summary: 'List the insurance policies of a user',
  description: 'Newest first. `status` may be repeated. Benefit providers see only policies of their own benefits.',
  params: UserPath,
  querystring: statusQuery(POLICY_STATUSES),
  response: { 200: pageOf(Type.Array(ref(InsurancePolicy))) },
}

export const readPolicySchema = {
  tags,
  summary: 'Read an insurance policy',
  description: 'Returns one policy.',
  params: PolicyPath,
  response: { 200: ref(InsurancePolicy) },
}

export const readPolicyStatusSchema = {
  tags,
  summary: 'Read the status of an insurance policy',
  description:
    'Returns the status, as the lists, the timeline and the events state it, and the transitions this caller may make. ' +
    'A transition that is due by the calendar shows once it is made, within seconds; transitions by people are judged ' +
    'as if it were. The ETag is the policy’s.',
  params: PolicyPath,
  response: { 200: ref(InsurancePolicyStatus) },
}

export const setPolicyStatusSchema = {
  tags,
  summary: 'Set the status of an insurance policy',
  description:
    'The state table decides which transitions are allowed. The provider’s policy numbers and metadata may be ' +
    'sent along. A renewal keeps the id and moves the dates by the plan’s term, counted from the first start. ' +
    'Days covered by another open policy of the plan are rejected, as is issuing a policy whose term and grace ' +
    'are over. The first issue, a renewal and a return from EXPIRED need a person with names and a date of birth, an ' +
    'ACTIVE sponsor and a benefit that is not archived. Only an owner can take a policy out of EXPIRED, or open its ' +
    'renewal window early, and must give a reason. Sending the current status changes nothing, whatever else is sent.',
  params: PolicyPath,
  body: StatusInput,
  response: { 200: ref(InsurancePolicyStatus) },
}
