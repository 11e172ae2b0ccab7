import type { Deps } from '../../../deps.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { CardCheck } from './card-page.ts'
import { cardHashOf } from './card-of-member.ts'
import type { FindCover } from './documented-policy.ts'
import { findCardHolder } from './store.ts'

const NUMBER_TAIL_LENGTH = 4

type Context = Pick<Deps, 'db' | 'calendar' | 'cards'> & { findCover: FindCover }

const NOT_VALID: CardCheck = { result: 'not_valid' }

/** Returns what anyone may know about a health card: its cover today. An unknown card is only `not_valid`. */
export async function checkCard({ db, calendar, cards, findCover }: Context, token: string): Promise<CardCheck> {
  const id = cards.read(token)
  const holder = id === undefined ? undefined : await findCardHolder(db, cardHashOf(id))
  if (!holder) return NOT_VALID
  const today = todayIn(calendar)
  const cover = await findCover(holder, today)
  if (!cover) return NOT_VALID
  const { result, policyNumber, person } = cover
  return {
    result,
    checked_on: today,
    policy_number_last4: lettersOf(policyNumber).slice(-NUMBER_TAIL_LENGTH).join(''),
    member_initials: initialsOf(person),
  }
}

let graphemes: Intl.Segmenter | undefined // made at first use, as in kernel/money.ts

/** Returns the first letter of each name as readers perceive it, in any script: `A. E.`, `आ. उ.` */
function initialsOf({ first_name, last_name }: { first_name: string | null; last_name: string | null }): string {
  return [first_name, last_name]
    .flatMap((name) => lettersOf(name?.trim() ?? '').slice(0, 1))
    .map((letter) => `${letter}.`)
    .join(' ')
}

/** Splits a text into letters as readers count them: a letter of an Indian script can be several characters. */
function lettersOf(text: string): string[] {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}
