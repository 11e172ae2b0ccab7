import type { Static } from 'typebox'
import { addDays, type Day, longDay } from '../../kernel/date.ts'
import { decoderOf } from '../../kernel/db/decode.ts'
import { CURRENCIES, formatMoney, type Paise } from '../../kernel/money.ts'
import type { Profile } from '../users/index.ts'
import type { DocumentedPolicy } from './documented-policy.ts'
import type { Facts } from './facts.ts'
import { lastDayOfGrace } from './last-day-of-grace.ts'
import { issueOf } from './requested-document.ts'
import { DOCUMENT_KINDS, type DocumentAddresses, type DocumentKind, fieldOf } from './schemas.ts'
import type { DocumentFile, PolicyKey } from './store.ts'

type Place = { userId: string; id: string }

const addressOf = ({ userId, id }: Place, type: string) =>
  `/v1/users/${userId}/insurance_policies/${id}/documents/${type}`

/** Where each document that can be had is; `null` for those that cannot. */
export function documentAddresses(policy: Place & Pick<DocumentedPolicy, 'issued'>): Static<typeof DocumentAddresses> {
  const addresses: Static<typeof DocumentAddresses> = {}
  for (const kind of DOCUMENT_KINDS) addresses[fieldOf(kind)] = addressesOf(policy, kind)
  return addresses
}

function addressesOf(policy: Place & Pick<DocumentedPolicy, 'issued'>, kind: DocumentKind) {
  const issue = issueOf(kind, policy)
  if (!kind.perMember) return issue && addressOf(policy, kind.type)
  const members = issue ? ['self', ...issue.dependantIds] : []
  return Object.fromEntries(members.map((member) => [member, addressOf(policy, `${kind.type}/${member}`)]))
}

export const presentFile = (policy: PolicyKey, file: DocumentFile) => ({
  insurance_policy_id: policy.id,
  document_type: file.documentType,
  address: addressOf(policy, file.documentType),
  size_bytes: file.byteLength,
  sha256: file.sha256,
  created_at: file.createdAt,
})

/** The number that a policy goes by: the insurer’s, or ours until there is one. */
export const policyNumber = (policy: { id: string; external_policy_id: string | null }): string =>
  policy.external_policy_id ?? policy.id

const decodeCurrency = decoderOf(CURRENCIES, 'currency')

/** Returns what the templates print (templates/README.md): every figure and day as the text that is shown. */
export function templateData(facts: Facts, { policy, origin }: { policy: Place; origin: string }) {
  const { premium, member, application } = facts
  const money = (amount: Paise) => formatMoney(amount, decodeCurrency(premium.currency))
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
      grace_ends: facts.grace_days === 0 ? null : longDay(lastDayOfGrace(facts.end_date, facts.grace_days)),
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
      annual: money(premium.annual),
      daily: money(premium.daily),
      sponsor: money(premium.sponsor),
      member: money(Math.max(0, premium.annual - premium.sponsor)),
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

export type TemplateData = ReturnType<typeof templateData>

export type CardHolderData = { name: string; id: string; born: string | null; relation: 'Member' | 'Dependant' }

/** A user can be enrolled before onboarding has told who they are. */
const NAMELESS = 'Name not recorded'

/** Returns who is named on the card; undefined when the issue does not cover them. */
export function cardHolderData({ member, dependants }: TemplateData, memberId: string): CardHolderData | undefined {
  const isMember = memberId === 'self'
  const holder = isMember ? member : dependants.find(({ id }) => id === memberId)
  if (!holder) return undefined
  const { name, id, born } = holder
  return { name: name ?? NAMELESS, id, born, relation: isMember ? 'Member' : 'Dependant' }
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
