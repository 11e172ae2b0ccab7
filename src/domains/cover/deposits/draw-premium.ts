import type { Day } from '../../../kernel/date.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Author } from '../../../record/index.ts'
import { type Benefit, premiumGateOf } from '../../partners/benefits/index.ts'
import { checkHeldSince, decideDraw, premiumOf } from './decide-draw.ts'
import { createEntry, type Draw, type DrawnDeposit, type EntryRow, findDepositOf } from './draw-store.ts'

type Context = { db: Queryable }
type Now = { today: Day; author: Author }
type DrawingPolicy = Record<'userId' | 'id' | 'benefitId' | 'planCode', string>

type Issued = {
  /** The policy after its transition. */
  policy: DrawingPolicy & Parameters<typeof premiumOf>[0]
  /** Which of these its transition is: the first issue, the beginning of the next term. */
  step: { isFirst: boolean; isNext: boolean }
  /** First day after the end that a return from EXPIRED takes back; null of other transitions. */
  endedFrom: Day | null
  /** Today's terms of its plan; undefined when the benefit does not have it any more. */
  plan: Benefit['plans'][number] | undefined
}

/** What an issue takes, and the first day of its cover. */
type DrawnPremium = { draw: Draw; coverFrom: Day }

/**
 * Returns what an issue or a renewal takes from the deposit: its premium, and what was given back for an end that is taken back with it; undefined
 * where its plan has no gate, without a read. Throws 409 `deposit_short`.
 */
export async function drawPremium(
  { db }: Context,
  { policy, step: { isFirst, isNext }, endedFrom, plan }: Issued,
  { today, author }: Now,
): Promise<DrawnPremium | undefined> {
  const mayCost = (isFirst || isNext) && !(plan && premiumGateOf(plan) === 'none')
  if (!mayCost && endedFrom === null) return undefined
  const begins = isFirst && policy.startDate < today ? policy.startDate : today
  const deposit = await findDepositOf(db, policy, endedFrom !== null && endedFrom < begins ? endedFrom : begins)
  const premium = mayCost && deposit.isGated ? premiumOf(policy) : 0
  const again = endedFrom === null ? 0 : Math.max(0, deposit.givenBackPaise)
  if (premium + again === 0) return undefined
  // What was given back has to have stayed there, or nobody paid for the days since.
  const paidFrom = endedFrom !== null && endedFrom < today ? endedFrom : today
  if (again > 0) checkHeldSince(deposit, again, paidFrom)
  const heldFrom = decideDraw(deposit, premium + again, begins)
  const entry = entriesOf(deposit, policy, author)
  const entries = [
    ...(again > 0 ? [entry({ kind: 'END', amount_paise: -again, on_day: paidFrom })] : []),
    ...(premium > 0 ? [entry({ kind: 'PREMIUM', amount_paise: -premium, on_day: heldFrom })] : []),
  ]
  const coverFrom = heldFrom < policy.startDate ? policy.startDate : heldFrom
  const draw = { deposit, entries, heldFrom: premium > 0 ? heldFrom : paidFrom }
  return { draw, coverFrom: isFirst ? coverFrom : policy.startDate }
}

type Decided = {
  policy: DrawingPolicy
  endorsement: { id: string; kind: string; on: Day }
  /** The word of the benefit provider: what it charges, of a LEAVE what it pays back. */
  paise: Paise
}

/**
 * Returns what an endorsement that is accepted takes from the deposit, or gives back to one that its policy has taken from; undefined where the plan has no gate.
 * Throws 409 `deposit_short` when the deposit lacks it, or held it only after the day on which a person joins.
 */
export async function drawForEndorsement(
  { db }: Context,
  { policy, endorsement, paise }: Decided,
  { today, author }: Now,
): Promise<Draw | undefined> {
  if (paise === 0) return undefined
  const { id, kind, on } = endorsement
  const heldFrom = kind === 'JOIN' && on < today ? on : today
  const deposit = await findDepositOf(db, policy, heldFrom)
  const isBack = kind === 'LEAVE'
  if (isBack ? !deposit.hasDrawn : !deposit.isGated) return undefined
  if (!isBack) checkHeldSince(deposit, paise, heldFrom)
  const amount_paise = isBack ? paise : -paise
  const on_day = isBack ? today : heldFrom
  const entry = entriesOf(deposit, policy, author)
  const entries = [entry({ kind: 'ENDORSEMENT', amount_paise, on_day, endorsement_id: id })]
  return { deposit, entries, heldFrom }
}

type Ended = {
  policy: DrawingPolicy
  /** All that is paid back for the end; null while nobody has said so. */
  paise: Paise | null
  isTakenBack: boolean
}

/**
 * Returns what the end of a policy gives back to the deposit that it has taken from, so that all of it is what the benefit provider says; another word,
 * or an end that is taken back, takes the difference. Undefined where nothing is said. Throws 409 `deposit_short`.
 */
export async function drawForEnd(
  { db }: Context,
  { policy, paise, isTakenBack }: Ended,
  { today, author }: Now,
): Promise<Draw | undefined> {
  if (paise === null && !isTakenBack) return undefined
  const deposit = await findDepositOf(db, policy, today)
  const amount_paise = (paise ?? 0) - deposit.givenBackPaise
  if (!deposit.hasDrawn || amount_paise === 0) return undefined
  if (amount_paise < 0) decideDraw(deposit, -amount_paise, today)
  const entry = entriesOf(deposit, policy, author)
  return { deposit, entries: [entry({ kind: 'END', amount_paise, on_day: today })], heldFrom: today }
}

/** Returns what makes entries of a policy. */
const entriesOf =
  (deposit: DrawnDeposit, { userId, id }: DrawingPolicy, author: Author) =>
  (entry: Omit<Parameters<typeof createEntry>[1], 'user_id' | 'policy_id'>): EntryRow =>
    createEntry(deposit, { ...entry, user_id: userId, policy_id: id }, author)
