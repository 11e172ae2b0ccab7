import { type Static, type TObject, Type } from 'typebox'
import { scopeOnUser } from '../../../access/scope.ts'
import type { Deps } from '../../../record/index.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import { Timestamp } from '../../../kernel/http/schemas.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import type { Policy } from '../policies/records.ts'
import { coverOn, graceEndsOn } from '../policies/states.ts'
import { findPolicyWithProvider } from '../policies/store.ts'
import { decodeCardHash } from './card-of-member.ts'
import { findCardHolder } from './store.ts'
import { policyNumber } from '../policies/policy-number.ts'

export const CARD_RESULTS = ['valid', 'in_grace', 'expired', 'not_valid'] as const

/** Everything a card reveals to a person who scans it. */
export const cardFields = {
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

/** Returns what anyone may know about a health card: its cover today. An unknown card is only `not_valid`. */
export async function checkCard(deps: Deps, token: string): Promise<CardCheck> {
  const { db, calendar, cards } = deps
  const id = cards.read(token)
  const holder = id === undefined ? undefined : await findCardHolder(db, decodeCardHash(id))
  if (!holder) return NOT_VALID
  const today = todayIn(calendar)
  const scope = scopeOnUser({ kind: 'system', job: 'card-check' }, holder.userId)
  const withProvider = await foundOrUndefined(findPolicyWithProvider(deps, scope, holder.policyId))
  if (!withProvider) return NOT_VALID
  const { policy, providerName } = withProvider
  const person = findPerson(policy, holder.memberId)
  const result = coverOn(policy, today)
  if (!person || !result) return NOT_VALID
  return {
    result,
    ...(result === 'valid' && { valid_until: policy.endDate }),
    ...(result === 'in_grace' && { valid_until: graceEndsOn(policy) }),
    issuer: providerName,
    checked_on: today,
    checked_at: wireTime(calendar.now()),
    policy_number_last4: firstLetters(policyNumber(policy)).slice(-NUMBER_TAIL_LENGTH).join(''),
    member_initials: toInitials(person),
  }
}

type Person = { first_name?: string | null; last_name?: string | null }

/** Returns a member of the last issue; undefined for anyone else. */
function findPerson(policy: Policy, memberId: string): Person | undefined {
  if (policy.issuedDependantIds === null) return undefined
  if (memberId === 'self') return policy.member
  return policy.issuedDependantIds.includes(memberId) ? policy.dependant(memberId) : undefined
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
