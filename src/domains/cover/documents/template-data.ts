import { type Day, daysBetween, longDay } from '../../../kernel/date.ts'
import { formatMoney, type Paise } from '../../../kernel/money.ts'
import type { Profile } from '../../people/users/index.ts'
import { policyNumber, toReference } from '../policies/policy-number.ts'
import { lastDayOfGrace, windowOpensOn } from '../policies/states.ts'
import { currencyOf } from './currency-of.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'

/** Returns the data of the templates (templates/README.md), with every amount and date formatted. */
export function templateData(snapshot: PolicySnapshot, { policy, origin }: { policy: { id: string }; origin: string }) {
  const { premium, member, application } = snapshot
  const { end_date: endDate, renewal_window_days: renewalWindowDays, grace_days: graceDays } = snapshot
  const money = (amount: Paise) => formatMoney(amount, currencyOf(snapshot))
  return {
    made_on: longDay(snapshot.made_on),
    origin,
    policy: {
      number: policyNumber({ id: policy.id, externalPolicyId: snapshot.external_policy_id }),
      reference: toReference(policy.id),
      id: policy.id,
      master_number: snapshot.master_policy_number,
      benefit: snapshot.benefit_name,
      plan: snapshot.plan_name ?? snapshot.plan_code,
      insurer: snapshot.provider_name,
      insurer_address: snapshot.provider_address ? addressLines(snapshot.provider_address).join(', ') : null,
      colour: snapshot.provider_colour ?? null,
      sponsor: snapshot.sponsor_name,
      from: longDay(snapshot.start_date),
      cover_from: longDayOrNull(snapshot.cover_from ?? null),
      to: longDay(snapshot.end_date),
      term: count(snapshot.term_months, 'month'),
      period: snapshot.is_short_term ? count(daysIn(snapshot), 'day') : count(snapshot.term_months, 'month'),
      issue: snapshot.issue,
      issued_on: snapshot.issue === 0 ? null : longDay(snapshot.made_on),
      renewal_opens: longDay(windowOpensOn({ endDate, renewalWindowDays })),
      renewal_window: count(snapshot.renewal_window_days, 'day'),
      grace: count(snapshot.grace_days, 'day'),
      grace_ends: snapshot.grace_days === 0 ? null : longDay(lastDayOfGrace({ endDate, graceDays })),
      is_covered_in_grace: snapshot.grace_cover !== 'NONE',
    },
    member: {
      number: '1',
      title: capitalise(member.title),
      name: fullName(member),
      born: longDayOrNull(member.dob),
      gender: capitalise(member.gender),
    },
    dependants: snapshot.dependants.map((dependant, index) => ({
      number: String(index + 2),
      name: fullName(dependant),
      born: longDay(dependant.date_of_birth),
      covered: coveredDays(dependant),
    })),
    nominee: snapshot.nominee && { name: fullName(snapshot.nominee) },
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

export type TemplateData = ReturnType<typeof templateData>

export type CardHolderData = { name: string; number: string; born: string | null; relation: 'Member' | 'Dependant' }

/** A user can be enrolled before onboarding, without a name. */
const NO_NAME = 'Name not recorded'

/** Returns the holder printed on a card; undefined when the issue does not cover them. */
export function cardHolderData(
  snapshot: PolicySnapshot,
  { member, dependants }: TemplateData,
  memberId: string,
): CardHolderData | undefined {
  const isMember = memberId === 'self'
  const holder = isMember ? member : dependants[snapshot.dependants.findIndex(({ id }) => id === memberId)]
  if (!holder) return undefined
  const { name, number, born } = holder
  return { name: name ?? NO_NAME, number, born, relation: isMember ? 'Member' : 'Dependant' }
}

function fullName({ first_name, last_name }: { first_name: string | null; last_name: string | null }) {
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
/** Returns the days of who is not on the policy for the whole term; null for the others. */
function coveredDays({ from, to }: { from?: Day; to?: Day }): string | null {
  if (from && to) return `${longDay(from)} to ${longDay(to)}`
  if (from) return `from ${longDay(from)}`
  return to ? `until ${longDay(to)}` : null
}

/** Formats `MASTER` as Master. */
const capitalise = (word: string | null) => (word === null ? null : word.charAt(0) + word.slice(1).toLowerCase())

const daysIn = ({ start_date, end_date }: PolicySnapshot): number => daysBetween(start_date, end_date)
