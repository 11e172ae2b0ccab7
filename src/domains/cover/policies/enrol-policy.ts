import { type Static, Type } from 'typebox'
import { requireConsent } from '../../../access/consent-rules.ts'
import { LINKED_PROVIDERS, scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { addDays, addMonths, type Day, lastDayOfTerm } from '../../../kernel/date.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { DayText, OrNull, Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict, type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { type Author, type Change, created, type Deps, initialTransition, operation } from '../../../record/index.ts'
import { ensureUserInPath, refuseWhileErasing, UserPath } from '../../people/users/index.ts'
import { toRowsOfSnapshots } from '../documents/store.ts'
import { ENROL, type EnrolmentData, findEnrolmentData } from './enrolment-store.ts'
import {
  DEPENDANTS_MAX,
  InsurancePolicyRecord,
  NomineeDetails,
  type Policy,
  Questionnaire,
  tags,
  versionOf,
} from './records.ts'
import { copyPlan, type Plan } from './copy-plan.ts'
import { rejectOverlap, termOver } from './find-rejection.ts'
import { createSnapshot } from './create-snapshot.ts'
import { lastDayOfGrace, POLICY_MACHINE } from './states.ts'
import { toPolicyRow } from './unseal-policy.ts'

const PolicyInput = Type.Object(
  {
    benefit_id: Text({ maxLength: 100 }),
    plan_code: Text({ maxLength: 60 }),
    start_date: DayText(),
    end_date: OrNull(
      DayText({
        description: 'Last day of the first term, if it is earlier than by the plan: it ends with a group policy',
      }),
    ),
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

export const enrolPolicy = operation('POST /users/:user_id/insurance_policies', {
  access: 'enrolInsurancePolicy',
  tags,
  summary: 'Enrol a user in a plan',
  description:
    'Creates a PENDING policy. Its first term is the plan’s, or ends on `end_date` where that is earlier; later terms have the ' +
    'plan’s length and are counted from the day after it. It starts a year ahead at most, and not so early that term and grace are over. Open policies of a user in the same plan never overlap.',
  params: UserPath,
  body: PolicyInput,
  versioned: true,
  response: { 201: InsurancePolicyRecord },
  problems: ['conflict'],
  checkTargetFirst: ensureUserInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ deps, params, body }, author) => enrol(deps, { userId: params.user_id, input: body }, author),
  present: (policy, { request }) => created(createLocation(request, policy.id), versionOf(policy)),
})

type Offer = NonNullable<EnrolmentData['offer']>

/**
 * Decides the enrolment of a user in a plan of their platform's benefits; the policy starts PENDING. Throws 404 when
 * the user is not in scope, what `decideEnrolment` throws, and 409 `conflict` while the user is to be erased.
 */
export async function enrol(
  deps: Deps,
  { userId, input }: { userId: string; input: PolicyInput },
  author: Author,
): Promise<Change<Policy>> {
  const data = await findEnrolmentData(deps, scopeOnUser(author.caller, userId), {
    benefitId: input.benefit_id,
    planCode: input.plan_code,
    dependantIds: dependantRefs(input).map(({ id }) => id),
  })
  const today = todayIn(deps.calendar)
  const { policy, offer, planName } = decideEnrolment(data, input, { id: newId('pol'), at: author.at, today })
  await requireConsent(deps, 'enrolInsurancePolicy', {
    userId: data.user.id,
    platformId: data.user.platformId,
    at: author.at,
    dependants: policy.dependantIds.flatMap((id) => {
      const person = data.dependant(id)
      return person ? [{ id, born: person.date_of_birth }] : []
    }),
  })
  await refuseWhileErasing(deps, userId)
  const snapshot = createSnapshot(policy, { ...offer, planName, madeOn: today })
  const { user } = data
  return {
    result: policy,
    ...ENROL.with({
      user_id: user.id,
      cover_revision: user.coverRevision,
      benefit_id: policy.benefitId,
      sponsor_id: offer.sponsorId,
      policy: toPolicyRow(policy, author.at),
    }),
    rows: {
      ...LINKED_PROVIDERS.rows([{ user_id: user.id, benefit_provider_id: policy.benefitProviderId }]),
      ...toRowsOfSnapshots(deps.vault, { policy, snapshots: [snapshot], at: author.at }),
    },
    ...initialTransition(POLICY_MACHINE, policy),
  }
}

/**
 * Decides an enrolment. Pure. Throws 422 for unknown references and a start too far ahead, 409 `conflict` when the
 * benefit is archived, the sponsor inactive, the term over, or the plan already covers the user.
 */
export function decideEnrolment(
  { user, offer, dependant, others }: EnrolmentData,
  input: PolicyInput,
  { id, at, today }: { id: string; at: Date; today: Day },
): { policy: Policy; offer: Offer; planName: string | null } {
  const plan = offer?.plans.find(({ plan_code }) => plan_code === input.plan_code)
  const errors = [
    ...validatePlan(offer, plan),
    ...validateStart(input, today),
    ...validateEnd(input, plan),
    ...validateDependants(dependant, input),
  ]
  if (!offer || !plan || errors.length > 0) throw invalid(errors)
  if (offer.isArchived) throw conflict('The benefit is archived.', { reason: 'archived' })
  if (offer.isSponsorInactive) throw conflict('The sponsor of the benefit is inactive.', { reason: 'inactive' })
  const terms = copyTerms(offer, plan, input)
  if (lastDayOfGrace(terms) < today) throw termOver(terms.endDate)
  const overlap = rejectOverlap(others, { from: terms.startDate, to: terms.endDate, today })
  if (overlap) throw overlap
  const policy: Policy = {
    id,
    userId: user.id,
    platformId: user.platformId,
    key: user.key,
    member: user.profile,
    dependant,
    ...terms,
    status: 'PENDING',
    private: input.questionnaire ? { questionnaire: input.questionnaire } : {},
    externalPolicyId: null,
    masterPolicyNumber: null,
    graceUntil: null,
    endsOn: null,
    endsFrom: null,
    issue: 0,
    issuedDependantIds: null,
    memberDays: null,
    beginsCover: false,
    personsVersion: 0,
    personsSeen: 0,
    ...firstVersion(at),
  }
  return { policy, offer, planName: plan.plan_name ?? null }
}

function validatePlan(offer: Offer | undefined, plan: Plan | undefined): FieldError[] {
  if (!offer) return [unknownReference('/benefit_id', 'The user’s platform has no benefit with this id.')]
  return plan ? [] : [unknownReference('/plan_code', 'The benefit has no plan with this code.')]
}

const MONTHS_AHEAD = 12

function validateStart({ start_date }: PolicyInput, today: Day): FieldError[] {
  const last = addMonths(today, MONTHS_AHEAD)
  if (start_date <= last) return []
  return [{ pointer: '/start_date', code: 'too_large', detail: `Must be ${last} or earlier, a year ahead at most.` }]
}

/** The first term begins and ends on a day of the plan's term. */
function validateEnd({ start_date, end_date }: PolicyInput, plan: Plan | undefined): FieldError[] {
  if (!end_date) return []
  const error = (code: 'too_small' | 'too_large', detail: string) => [{ pointer: '/end_date', code, detail }]
  if (end_date < start_date) return error('too_small', `Must be ${start_date} or later, the first day of the term.`)
  const last = plan && lastDayOfTerm(start_date, plan.term_months)
  if (last === undefined || end_date <= last) return []
  return error('too_large', `Must be ${last} or earlier, the last day of the plan’s term.`)
}

/** Returns the dependants an input refers to, with the pointers of the references. */
function dependantRefs({ dependant_ids, nominee_details }: PolicyInput): { id: string; pointer: string }[] {
  const covered = dependant_ids.map((id, index) => ({ id, pointer: `/dependant_ids/${index}` }))
  if (!nominee_details) return covered
  return [...covered, { id: nominee_details.dependant_id, pointer: '/nominee_details/dependant_id' }]
}

const validateDependants = (dependant: Policy['dependant'], input: PolicyInput): FieldError[] =>
  dependantRefs(input)
    .filter(({ id }) => dependant(id) === undefined)
    .map(({ pointer }) =>
      unknownReference(pointer, 'The user has no dependant with this id, or it has a newer version.'),
    )

function copyTerms(offer: Offer, plan: Plan, input: PolicyInput) {
  const lastDay = lastDayOfTerm(input.start_date, plan.term_months)
  const endDate = input.end_date ?? lastDay
  return {
    benefitId: offer.benefitId,
    benefitName: offer.benefitName,
    benefitProviderId: offer.benefitProviderId,
    planCode: plan.plan_code,
    dependantIds: input.dependant_ids,
    nomineeDependantId: input.nominee_details?.dependant_id ?? null,
    startDate: input.start_date,
    coveredFrom: input.start_date,
    endDate,
    termsFrom: endDate < lastDay ? addDays(endDate, 1) : null,
    ...copyPlan(plan),
  }
}
