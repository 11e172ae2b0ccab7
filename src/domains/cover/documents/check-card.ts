import { type Static, type TObject, Type } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import type { Deps } from '../../../record/index.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { Timestamp } from '../../../kernel/http/schemas.ts'
import { foundOrUndefined, unavailable } from '../../../kernel/problem-error.ts'
import { findLaterVersions, unsealDependant } from '../../people/dependants/index.ts'
import { isOnPolicy } from '../policies/list-member-days.ts'
import type { Policy } from '../policies/records.ts'
import { coverOn, graceEndsOn, termEndsOn } from '../policies/states.ts'
import { findPolicyWithProvider } from '../policies/store.ts'
import type { CardChecks } from './create-card-checks.ts'
import { decodeCardHash } from './card-of-member.ts'
import { findCardHolder } from './store.ts'
import { policyNumber } from '../policies/policy-number.ts'

export const CARD_RESULTS = ['valid', 'in_grace', 'expired', 'not_started', 'not_valid'] as const

/** Everything a card reveals to a person who scans it. */
export const cardFields = {
  newer_card: Type.Optional(
    Type.Literal(true, { description: 'The person is covered, but has a newer card with other details: ask for it' }),
  ),
  covered: Type.Optional(
    Type.Boolean({ description: 'Only in grace: whether the plan covers until the policy is renewed or paid' }),
  ),
  valid_from: Type.Optional(
    Type.String({ format: 'date', description: 'First day of the cover, while it has not begun' }),
  ),
  valid_until: Type.Optional(
    Type.String({ format: 'date', description: 'Last day of this result, unless the policy changes' }),
  ),
  issuer: Type.String({ description: 'Name of the benefit provider' }),
  checked_on: Type.String({ format: 'date' }),
  checked_at: Timestamp('Time of the check'),
  policy_number_last4: Type.String(),
  member_initials: Type.String(),
}

type Result = (typeof CARD_RESULTS)[number]
export type CardCheck =
  | { result: 'not_valid' }
  | ({ result: Exclude<Result, 'not_valid'> } & Static<TObject<typeof cardFields>>)

const NUMBER_TAIL_LENGTH = 4

const NOT_VALID: CardCheck = { result: 'not_valid' }

export type CheckDeps = Deps & { checks: CardChecks }

type CardQuestion = { token: string; network: string; requestId: string }

/**
 * Returns what anyone may know about a health card: its cover today. An unknown card is only `not_valid`. That a known one was checked, and
 * from which network, is recorded afterwards.
 */
export async function checkCard(deps: CheckDeps, { token, network, requestId }: CardQuestion): Promise<CardCheck> {
  const { db, calendar, cards, checks } = deps
  if (checks.isFull()) throw unavailable()
  const id = cards.read(token)
  const holder = id === undefined ? undefined : await findCardHolder(db, decodeCardHash(id))
  if (!holder) return NOT_VALID
  const today = todayIn(calendar)
  const scope = scopeOnUser({ kind: 'system', job: 'card-check' }, holder.userId)
  const withProvider = await foundOrUndefined(findPolicyWithProvider(deps, scope, holder.policyId))
  if (!withProvider) return NOT_VALID
  const { policy, providerName } = withProvider
  const member = await findMember(db, policy, { memberId: holder.memberId, today })
  if (!member) return NOT_VALID
  checks.note({ holder, network, requestId })
  const result = member.isCovered ? (coverOn(policy, today) ?? 'not_started') : member.from ? 'not_started' : 'expired'
  return {
    result,
    ...(member.isNewer && (result === 'valid' || result === 'in_grace') && { newer_card: true }),
    ...(result === 'in_grace' && { covered: policy.graceCover === 'FULL' }),
    ...daysOf(policy, member, result),
    issuer: providerName,
    checked_on: today,
    checked_at: wireTime(calendar.now()),
    policy_number_last4: firstLetters(policyNumber(policy)).slice(-NUMBER_TAIL_LENGTH).join(''),
    member_initials: toInitials(member.person),
  }
}

function daysOf(policy: Policy, { from, to }: Member, result: Result): { valid_from?: Day; valid_until?: Day } {
  const notAfter = (day: Day) => (to && to < day ? to : day)
  switch (result) {
    case 'valid':
      return { valid_until: notAfter(termEndsOn(policy)) }
    case 'in_grace':
      return { valid_until: notAfter(graceEndsOn(policy)) }
    case 'not_started':
      return { valid_from: from ?? policy.coveredFrom }
    case 'expired':
    case 'not_valid':
      return {}
  }
}

type Person = { first_name?: string | null; last_name?: string | null }
type Member = {
  person: Person
  /** On the policy today, where that covers the day. */
  isCovered: boolean
  /** A later version of the person is on the last issue, with a card of its own. */
  isNewer: boolean
  /** The days of the person, where they are not all those of the policy: these, or the next ones. */
  from?: Day | null
  to?: Day | null
}
type CardHolder = { memberId: string; today: Day }

/**
 * Returns whose card it is, as the last issue has them, or as their own days say; undefined for anyone who is on none. Only the card of a
 * former version of a dependant, or of a policy on which people have days of their own, costs another statement.
 */
async function findMember(db: Queryable, policy: Policy, { memberId, today }: CardHolder): Promise<Member | undefined> {
  const { issuedDependantIds: issued, memberDays, userId, key } = policy
  if (issued === null) return undefined
  if (memberId === 'self') return { person: policy.member, isCovered: true, isNewer: false }
  if (memberDays === null && issued.includes(memberId)) return asIssued(policy, memberId, { isNewer: false })
  const versions = await findLaterVersions(db, { userId, id: memberId })
  const [printed] = versions
  if (!printed) return undefined
  const newest = versions.findLast(({ id }) => issued.includes(id))
  const times = (memberDays ?? []).filter(({ id }) => versions.some((version) => version.id === id))
  const isNewer = newest !== undefined && newest.id !== memberId
  const person = (newest && policy.dependant(newest.id)) ?? unsealDependant(key, printed)
  if (times.length === 0) return { person, isCovered: newest !== undefined, isNewer }
  const time = times.find((one) => isOnPolicy(one, today))
  if (time) return { person, isCovered: true, isNewer, from: time.from, to: time.to }
  const next = times.find(({ from }) => from !== null && from > today)
  return { person, isCovered: false, isNewer, ...(next && { from: next.from }) }
}

function asIssued(policy: Policy, id: string, { isNewer }: Pick<Member, 'isNewer'>): Member | undefined {
  const person = policy.dependant(id)
  return person && { person, isCovered: true, isNewer }
}

let graphemes: Intl.Segmenter | undefined // made at first use, as in kernel/money.ts

/** Returns the first letter of each name as readers perceive it, in any script: `A. E.`, `आ. उ.` */
function toInitials({ first_name, last_name }: Person): string {
  return [first_name, last_name]
    .flatMap((name) => firstLetters(name?.trim() ?? '').slice(0, 1))
    .map((letter) => `${letter}.`)
    .join(' ')
}

/** Splits a text into letters as readers count them: a letter of an Indian script can be several characters. */
function firstLetters(text: string): string[] {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}
