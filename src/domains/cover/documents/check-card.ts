import { type Static, type TObject, Type } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import type { Deps } from '../../../record/index.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { Timestamp } from '../../../kernel/http/schemas.ts'
import { foundOrUndefined, unavailable } from '../../../kernel/problem-error.ts'
import { findLaterVersions, unsealDependant } from '../../people/dependants/index.ts'
import { ALWAYS, type Coverage, coverageOn, type PersonTime } from '../policies/coverage-on.ts'
import type { Policy } from '../policies/records.ts'
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
  const coverage = coverageOn({ ...policy, enrolledOn: today }, member.times, { day: today, today })
  const result = RESULT_OF[coverage.reason]
  const { covered, from, to } = coverage
  return {
    result,
    ...(member.isNewer && (result === 'valid' || result === 'in_grace') && { newer_card: true }),
    ...(result === 'in_grace' && { covered: covered === true }),
    ...(result === 'not_started' && from && { valid_from: from }),
    ...((result === 'valid' || result === 'in_grace') && to && { valid_until: to }),
    issuer: providerName,
    checked_on: today,
    checked_at: wireTime(calendar.now()),
    policy_number_last4: firstLetters(policyNumber(policy)).slice(-NUMBER_TAIL_LENGTH).join(''),
    member_initials: toInitials(member.person),
  }
}

/** A card exists of an issued policy only, and was printed of who was on it. */
export const RESULT_OF: Record<Coverage['reason'], Exclude<Result, 'not_valid'>> = {
  in_force: 'valid',
  in_grace: 'in_grace',
  not_started: 'not_started',
  expired: 'expired',
  awaiting_issue: 'not_started',
  not_named: 'expired',
  unknown: 'not_started',
}

type Person = { first_name?: string | null; last_name?: string | null }
type Member = {
  person: Person
  times: readonly PersonTime[]
  /** A later version of the person is on the last issue, with a card of its own. */
  isNewer: boolean
}

/**
 * Returns whose card it is, as the last issue has them, or as their own days say; undefined for anyone who is on none. Only the card of a
 * former version of a dependant, or of a policy on which people have days of their own, costs another statement.
 */
async function findMember(db: Queryable, policy: Policy, memberId: string): Promise<Member | undefined> {
  const { issuedDependantIds: issued, memberDays, userId, key } = policy
  if (issued === null) return undefined
  if (memberId === 'self') return { person: policy.member, times: ALWAYS, isNewer: false }
  if (memberDays === null && issued.includes(memberId)) return asIssued(policy, memberId)
  const versions = await findLaterVersions(db, { userId, id: memberId })
  const [printed] = versions
  if (!printed) return undefined
  const { newest, times } = timesOfCard(
    policy,
    versions.map(({ id }) => id),
  )
  const isNewer = newest !== undefined && newest !== memberId
  const person = (newest === undefined ? undefined : policy.dependant(newest)) ?? unsealDependant(key, printed)
  return { person, times, isNewer }
}

/** Returns the version of a dependant that the last issue has, and the times of the person on the policy. Pure. */
export function timesOfCard(
  { issuedDependantIds, memberDays }: Pick<Policy, 'issuedDependantIds' | 'memberDays'>,
  versions: readonly string[],
): { newest: string | undefined; times: readonly PersonTime[] } {
  const newest = versions.findLast((id) => issuedDependantIds?.includes(id))
  const own = (memberDays ?? []).filter(({ id }) => versions.includes(id))
  return { newest, times: own.length > 0 ? own : newest ? ALWAYS : [] }
}

function asIssued(policy: Policy, id: string): Member | undefined {
  const person = policy.dependant(id)
  return person && { person, times: ALWAYS, isNewer: false }
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
