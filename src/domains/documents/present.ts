import { addDays, type Day, longDay } from '../../kernel/date.ts'
import { formatRupees } from '../../kernel/money.ts'
import type { Profile } from '../users/index.ts'
import type { Issue } from './documented-policy.ts'
import type { Facts } from './facts.ts'
import type { DocumentType } from './schemas.ts'
import type { DocumentFile, PolicyKey } from './store.ts'

const addressOf = (policy: Pick<PolicyKey, 'userId' | 'id'>, type: DocumentType) =>
  `/v1/users/${policy.userId}/insurance_policies/${policy.id}/documents/${type}`

/** Where each document that can be had is; `null` for those that cannot. The enrolment form can from the beginning. */
export function documentAddresses(policy: Pick<PolicyKey, 'userId' | 'id'> & { issued: Issue | null }) {
  const { issued } = policy
  const whenIssued = (type: DocumentType) => (issued ? addressOf(policy, type) : null)
  const members = issued ? ['self', ...issued.dependantIds] : []
  return {
    health_cards: Object.fromEntries(members.map((member) => [member, addressOf(policy, `health_card/${member}`)])),
    customer_information_sheet: whenIssued('customer_information_sheet'),
    enrollment_form: addressOf(policy, 'enrollment_form'),
    policy_certificate: whenIssued('policy_certificate'),
  }
}

export const presentFile = (policy: PolicyKey, file: DocumentFile) => ({
  insurance_policy_id: policy.id,
  document_type: file.documentType,
  address: addressOf(policy, file.documentType as DocumentType),
  size_bytes: file.byteLength,
  sha256: file.sha256,
  created_at: file.createdAt,
})

/** The number that a policy goes by: the insurer’s, or ours until there is one. */
export const policyNumber = (policy: { id: string; external_policy_id: string | null }): string =>
  policy.external_policy_id ?? policy.id

/** What the templates print (templates/README.md): every figure and day as the text that stands on the paper. */
export function printed(facts: Facts, { policy, origin }: { policy: PolicyKey; origin: string }) {
  const { premium, member, application } = facts
  const renewalOpens = addDays(facts.end_date, -facts.renewal_window_days)
  return {
    made_on: longDay(facts.made_on),
    origin,
    policy: {
      number: policyNumber({ id: policy.id, external_policy_id: facts.external_policy_id }),
      id: policy.id,
      master_number: facts.master_policy_number,
      benefit: facts.benefit_name,
      plan: facts.plan_code,
      insurer: facts.provider_name,
      sponsor: facts.sponsor_name,
      from: longDay(facts.start_date),
      to: longDay(facts.end_date),
      term: count(facts.term_months, 'month'),
      issue: facts.issue,
      issued_on: facts.issue === 0 ? null : longDay(facts.made_on),
      renewal_opens: longDay(renewalOpens),
      renewal_window: count(facts.renewal_window_days, 'day'),
      grace: count(facts.grace_days, 'day'),
      grace_ends: facts.grace_days === 0 ? null : longDay(addDays(facts.end_date, facts.grace_days)),
    },
    member: {
      id: policy.userId,
      title: wordOf(member.title),
      name: nameOf(member),
      born: longDayOrNull(member.dob),
      gender: wordOf(member.gender),
    },
    dependants: facts.dependants.map((dependant) => ({
      id: dependant.id,
      name: nameOf(dependant),
      born: longDay(dependant.date_of_birth),
    })),
    nominee: facts.nominee && { name: nameOf(facts.nominee) },
    premium: {
      annual: formatRupees(premium.annual),
      daily: formatRupees(premium.daily),
      sponsor: formatRupees(premium.sponsor),
      member: formatRupees(Math.max(0, premium.annual - premium.sponsor)),
    },
    application: application && {
      applied_on: longDay(facts.made_on),
      phone: application.phone,
      email: application.email,
      address: application.address === null ? null : addressLines(application.address),
      questions: application.questions.map(({ question, answer }) => ({ question, answer: answer ? 'Yes' : 'No' })),
    },
  }
}

export type Printed = ReturnType<typeof printed>

/** A user can be enrolled before onboarding has told who they are. */
const NAMELESS = 'Name not recorded'

/** Who stands on the card; undefined when the issue does not cover them. */
export function printedHolder({ member, dependants }: Printed, memberId: string) {
  if (memberId === 'self') {
    return { name: member.name ?? NAMELESS, id: member.id, born: member.born, relation: 'Member' }
  }
  const dependant = dependants.find(({ id }) => id === memberId)
  return dependant && { ...dependant, relation: 'Dependant' }
}

export function nameOf({ first_name, last_name }: { first_name: string | null; last_name: string | null }) {
  return [first_name, last_name].filter((name) => name !== null).join(' ') || null
}

function addressLines(address: NonNullable<Profile['address']>): string[] {
  if (typeof address === 'string') return [address].filter(Boolean)
  const { line1, line2, city, state, country, pincode } = address
  const lines = [line1, line2 ?? '', `${city} ${pincode}`, [state, country].filter(Boolean).join(', ')]
  return lines.map((line) => line.trim()).filter(Boolean)
}

const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`
const longDayOrNull = (day: Day | null) => (day === null ? null : longDay(day))
/** `MASTER` as Master. */
const wordOf = (word: string | null) => (word === null ? null : word.charAt(0) + word.slice(1).toLowerCase())
