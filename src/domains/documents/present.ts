import { type Day, longDay } from '../../kernel/date.ts'
import { formatMoney, type Paise } from '../../kernel/money.ts'
import type { Profile } from '../users/index.ts'
import type { Issue, PolicyDates } from './documented-policy.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'
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
export const policyNumber = (policy: { id: string; externalPolicyId: string | null }): string =>
  policy.externalPolicyId ?? policy.id

/** What the templates print (templates/README.md): every figure and day as the text that stands on the paper. */
export function printed(
  snapshot: PolicySnapshot,
  { policy, origin, windowOpensOn, lastDayOfGrace }: PolicyDates & { policy: PolicyKey; origin: string },
) {
  const { premium, member, application } = snapshot
  const { end_date: endDate, renewal_window_days: renewalWindowDays, grace_days: graceDays } = snapshot
  const money = (paise: Paise) => formatMoney(paise, premium.currency)
  return {
    made_on: longDay(snapshot.made_on),
    origin,
    policy: {
      number: policyNumber({ id: policy.id, externalPolicyId: snapshot.external_policy_id }),
      id: policy.id,
      master_number: snapshot.master_policy_number,
      benefit: snapshot.benefit_name,
      plan: snapshot.plan_code,
      insurer: snapshot.provider_name,
      sponsor: snapshot.sponsor_name,
      from: longDay(snapshot.start_date),
      to: longDay(snapshot.end_date),
      term: count(snapshot.term_months, 'month'),
      issue: snapshot.issue,
      issued_on: snapshot.issue === 0 ? null : longDay(snapshot.made_on),
      renewal_opens: longDay(windowOpensOn({ endDate, renewalWindowDays })),
      renewal_window: count(renewalWindowDays, 'day'),
      grace: count(graceDays, 'day'),
      grace_ends: graceDays === 0 ? null : longDay(lastDayOfGrace({ endDate, graceDays })),
    },
    member: {
      id: policy.userId,
      title: wordOf(member.title),
      name: nameOf(member),
      born: longDayOrNull(member.dob),
      gender: wordOf(member.gender),
    },
    dependants: snapshot.dependants.map((dependant) => ({
      id: dependant.id,
      name: nameOf(dependant),
      born: longDay(dependant.date_of_birth),
    })),
    nominee: snapshot.nominee && { name: nameOf(snapshot.nominee) },
    premium: {
      annual: money(premium.annual),
      daily: money(premium.daily),
      sponsor: money(premium.sponsor),
      member: money(Math.max(0, premium.annual - premium.sponsor)),
    },
    application: application && {
      applied_on: longDay(snapshot.made_on),
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
