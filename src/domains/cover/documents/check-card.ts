import { type Static, type TObject, Type } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import type { Deps } from '../../../record/index.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { Timestamp } from '../../../kernel/http/schemas.ts'
import { foundOrUndefined, unavailable } from '../../../kernel/problem-error.ts'
import { findLaterVersions, unsealDependant } from '../../people/dependants/index.ts'
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
  const member = await findMember(db, policy, holder.memberId)
  if (!member) return NOT_VALID
  checks.note({ holder, network, requestId })
  const result = member.isCovered ? (coverOn(policy, today) ?? 'not_started') : 'expired'
  return {
    result,
    ...(member.isNewer && (result === 'valid' || result === 'in_grace') && { newer_card: true }),
    ...(result === 'in_grace' && { covered: policy.graceCover === 'FULL' }),
    ...daysOf(policy, result),
    issuer: providerName,
    checked_on: today,
    checked_at: wireTime(calendar.now()),
    policy_number_last4: firstLetters(policyNumber(policy)).slice(-NUMBER_TAIL_LENGTH).join(''),
    member_initials: toInitials(member.person),
  }
}

function daysOf(policy: Policy, result: Result): { valid_from?: Day; valid_until?: Day } {
  switch (result) {
    case 'valid':
      return { valid_until: termEndsOn(policy) }
    case 'in_grace':
      return { valid_until: graceEndsOn(policy) }
    case 'not_started':
      return { valid_from: policy.coveredFrom }
    case 'expired':
    case 'not_valid':
      return {}
  }
}

type Person = { first_name?: string | null; last_name?: string | null }
type Member = {
  person: Person
  /** The last issue is for this person. */
  isCovered: boolean
  /** A later version of the person is on it, with a card of its own. */
  isNewer: boolean
}

/**
 * Returns whose card it is, as the last issue has them; undefined for anyone who is on none. Only the card of a former version of a
 * dependant costs another statement.
 */
async function findMember(db: Queryable, policy: Policy, memberId: string): Promise<Member | undefined> {
  const { issuedDependantIds: issued, userId, key } = policy
  if (issued === null) return undefined
  if (memberId === 'self') return { person: policy.member, isCovered: true, isNewer: false }
  if (issued.includes(memberId)) return asIssued(policy, memberId, { isNewer: false })
  const versions = await findLaterVersions(db, { userId, id: memberId })
  const newer = versions.find(({ id }) => issued.includes(id))
  if (newer) return asIssued(policy, newer.id, { isNewer: true })
  const [printed] = versions
  return printed && { person: unsealDependant(key, printed), isCovered: false, isNewer: false }
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
