import { type Static, Type } from 'typebox'
import { nextVersion } from '../../../kernel/db/version.ts'
import { DayText, Lines, OneOf, OrNull, REASON_MAX, Text } from '../../../kernel/http/schemas.ts'
import { toPaise } from '../../../kernel/money.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { Money } from '../../partners/benefits/index.ts'
import type { FoundEndorsement } from './records.ts'
import { type DecidedRow, decidedRow } from './settle.ts'
import { DECISIONS } from './states.ts'

export const EndorsementStateInput = Type.Object(
  {
    state: OneOf(DECISIONS),
    on: OrNull(DayText({ description: 'Another first day than the one that was asked for' })),
    amount: OrNull(Money),
    provider_reference: OrNull(Text({ description: 'Your own number of it' })),
    reason: OrNull(Lines({ maxLength: REASON_MAX, description: 'Required with REFUSED' })),
  },
  { examples: [{ state: 'ACCEPTED', provider_reference: 'END-2026-0042' }] },
)
export type EndorsementStateInput = Static<typeof EndorsementStateInput>

/** Who wants to leave, or to end, is only dated otherwise. */
export const notRefusable = () =>
  conflict('Nobody is kept on a policy: accept it, with another day in `on`.', { reason: 'not_refusable' })

/** Returns an endorsement once it is decided, and its row. Pure. */
export function decidedBy(
  endorsement: FoundEndorsement,
  { state, on, amount, provider_reference: reference, reason }: EndorsementStateInput,
  { issue, at }: { issue: number | null; at: Date },
) {
  const amountPaise = amount ? toPaise(amount.value) : endorsement.amountPaise
  const result = {
    ...nextVersion(endorsement, at),
    state,
    on: on ?? endorsement.on,
    issue,
    providerReference: reference ?? endorsement.providerReference,
    amountPaise,
    reason: reason ?? null,
  } satisfies FoundEndorsement
  const row: DecidedRow = {
    ...decidedRow(endorsement, endorsement.id, { state, issue, at }),
    on_day: on ?? null,
    provider_reference: reference ?? null,
    amount_paise: amountPaise,
  }
  return { result, row }
}
