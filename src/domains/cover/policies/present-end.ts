import { type Static, Type } from 'typebox'
import { columns, day, integer, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { DayText, Lines, Nullable, OneOf, OrNull, record, REASON_MAX, Timestamp } from '../../../kernel/http/schemas.ts'
import { toMoney } from '../../../kernel/money.ts'
import { Money } from '../../partners/benefits/index.ts'
import { END_CODES } from './decide-end.ts'
import type { Policy } from './records.ts'

/** The end of a policy that holds, as it was set last; the reason is sealed. */
export const END = columns('e', {
  id: text('end_id'),
  endsOn: day('ends_on'),
  code: oneOf('code', END_CODES),
  reason: nullable(text('sealed_reason')),
  refundDays: integer('refund_days'),
  refundEstimatePaise: integer('refund_estimate_paise'),
  amountPaise: nullable(integer('amount_paise')),
  setAt: time('at'),
})
export type StoredEnd = RecordOf<typeof END>

const on = { description: 'The last covered day, in India' }

export const EndInputSchema = Type.Object(
  {
    on: DayText(on),
    code: OneOf(END_CODES, { description: 'Why it ends' }),
    reason: OrNull(
      Lines({ maxLength: REASON_MAX, description: 'Kept in the timeline; required of a day that is long over' }),
    ),
    amount: OrNull(Money),
  },
  { examples: [{ on: '2026-08-12', code: 'LEFT', reason: 'Left the company' }] },
)

const Refund = Type.Object(
  {
    days: Type.Integer({ description: 'Days that are paid for and not covered' }),
    estimate: Money,
    amount: Nullable(Money),
  },
  {
    description:
      'What is to be paid back; no wallet is moved by it. `estimate` is annual premium × days not covered ÷ days of the year that begins with the term, for information: before ' +
      'claims, tax and short-period scales. `amount` is the word of the benefit provider, `null` until it is given',
  },
)

export const InsurancePolicyEndRecord = record(
  'InsurancePolicyEnd',
  {
    insurance_policy_id: Type.String(),
    on: Nullable(Type.String({ format: 'date', ...on })),
    code: Nullable(OneOf(END_CODES, { description: 'Why it ends' })),
    reason: Nullable(Type.String({ description: 'The reason in words, if one was given' })),
    set_at: Nullable(Timestamp('When the end was set')),
    refund: Nullable(Refund),
  },
  {
    description: 'The day on which a policy ends before its term; every member but the id is `null` while none is set',
    examples: [
      {
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        on: '2026-08-12',
        code: 'LEFT',
        reason: 'Left the company',
        set_at: '2026-08-01T09:30:00',
        refund: { days: 231, estimate: { currency: 'INR', value: 7_623 }, amount: null },
      },
    ],
  },
)

export type ShownEnd = Omit<StoredEnd, 'id'>

export function presentEnd(
  policy: Pick<Policy, 'id' | 'currency'>,
  end: ShownEnd | null,
): Static<typeof InsurancePolicyEndRecord> {
  const none = { on: null, code: null, reason: null, set_at: null, refund: null }
  if (end === null) return { insurance_policy_id: policy.id, ...none }
  const { currency } = policy
  return {
    insurance_policy_id: policy.id,
    on: end.endsOn,
    code: end.code,
    reason: end.reason,
    set_at: end.setAt,
    refund: {
      days: end.refundDays,
      estimate: toMoney(end.refundEstimatePaise, currency),
      amount: end.amountPaise === null ? null : toMoney(end.amountPaise, currency),
    },
  }
}
