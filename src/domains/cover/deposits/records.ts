import { type Static, Type } from 'typebox'
import { columns, day, integer, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { DayText, Nullable, OneOf, PathId, record, Text, Timestamp, TIMES } from '../../../kernel/http/schemas.ts'
import { CURRENCIES, RUPEES_MAX, toMoney } from '../../../kernel/money.ts'
import { Money } from '../../partners/benefits/index.ts'
import { UserIdText } from '../../user-id-text.ts'

/** What a benefit provider says of the money of a sponsor, which makes the amount larger, or smaller. */
export const PAID_KINDS = ['TOP_UP', 'REVERSAL'] as const
/** Those, and what issues, endorsements and ends of policies take or give back. */
export const ENTRY_KINDS = [...PAID_KINDS, 'PREMIUM', 'ENDORSEMENT', 'END'] as const

/** What a deposit is known by. */
export const DEPOSIT_KEY = { sponsorId: text('sponsor_id'), benefitProviderId: text('benefit_provider_id') }
export type DepositKey = { sponsorId: string; benefitProviderId: string }

export const DEPOSIT = columns('d', {
  ...DEPOSIT_KEY,
  balancePaise: integer('balance_paise'),
  lowBelowPaise: nullable(integer('low_below_paise')),
  ...VERSION,
})
export type Deposit = RecordOf<typeof DEPOSIT>

export const ENTRY = columns('e', {
  id: text('entry_id'),
  kind: oneOf('kind', ENTRY_KINDS),
  amountPaise: integer('amount_paise'),
  on: day('on_day'),
  reference: nullable(text('reference')),
  userId: nullable(text('user_id')),
  policyId: nullable(text('policy_id')),
  endorsementId: nullable(text('endorsement_id')),
  createdAt: time('created_at'),
})
export type Entry = RecordOf<typeof ENTRY>

const SignedMoney = (description: string) =>
  Type.Object({ currency: OneOf(CURRENCIES), value: Type.Number({ paisePrecision: true }) }, { description })

const inr = (value: number) => ({ currency: 'INR' as const, value })

export const DepositRecord = record(
  'Deposit',
  {
    sponsor_id: Type.String(),
    benefit_provider_id: Type.String(),
    balance: SignedMoney('What is left; below zero after a reversal of money that was used'),
    low_below: Nullable(Money),
    ...TIMES,
  },
  {
    description: 'What a sponsor has paid in at a benefit provider for premiums to come',
    examples: [
      {
        sponsor_id: 'spn_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        balance: inr(487_955),
        low_below: inr(100_000),
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T10:00:00',
      },
    ],
  },
)

export const DepositEntryRecord = record(
  'DepositEntry',
  {
    id: Type.String(),
    kind: OneOf(ENTRY_KINDS),
    amount: SignedMoney('Below zero: taken from the deposit'),
    on: Type.String({ format: 'date', description: 'From which day on it counts (India)' }),
    reference: Nullable(
      Type.String({ description: 'TOP_UP and REVERSAL only: the number that the benefit provider gave' }),
    ),
    user_id: Nullable(UserIdText()),
    insurance_policy_id: Nullable(Type.String()),
    endorsement_id: Nullable(Type.String()),
    created_at: Timestamp('Time of the entry'),
  },
  {
    description:
      'An entry of a deposit: paid in, taken back, used for a premium, or given back by the benefit provider',
    examples: [
      {
        id: 'dpe_06bnv3m2r8f1s4k7q9t3v6w0y2',
        kind: 'PREMIUM',
        amount: inr(-12_045),
        on: '2026-04-01',
        reference: null,
        user_id: '012345678901',
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        endorsement_id: null,
        created_at: '2026-04-01T10:00:00',
      },
    ],
  },
)

/** An amount above zero. */
const PaidAmount = Type.Object(
  {
    currency: OneOf(CURRENCIES),
    value: Type.Number({ minimum: 0.01, maximum: RUPEES_MAX, paisePrecision: true }),
  },
  { title: 'PaidAmount', description: 'An amount above zero in major units', examples: [inr(500_000)] },
)

export const DepositEntryInput = Type.Object(
  {
    kind: OneOf(PAID_KINDS),
    amount: PaidAmount,
    paid_on: DayText({ description: 'When it was received, or taken back; today or earlier' }),
    reference: Text({ description: 'Your number of it, unique in this deposit' }),
  },
  { examples: [{ kind: 'TOP_UP', amount: inr(500_000), paid_on: '2026-04-01', reference: 'UTR-0042' }] },
)
export type DepositEntryInput = Static<typeof DepositEntryInput>

export const DepositLowInput = Type.Object({ amount: Nullable(PaidAmount) }, { examples: [{ amount: inr(100_000) }] })

export const SponsorDepositsPath = Type.Object({ sponsor_id: PathId('The sponsor') })
export const DepositPath = Type.Object({
  ...SponsorDepositsPath.properties,
  benefit_provider_id: PathId('The benefit provider'),
})

export const presentDeposit = (deposit: Deposit): Static<typeof DepositRecord> => ({
  sponsor_id: deposit.sponsorId,
  benefit_provider_id: deposit.benefitProviderId,
  balance: toMoney(deposit.balancePaise, 'INR'),
  low_below: deposit.lowBelowPaise === null ? null : toMoney(deposit.lowBelowPaise, 'INR'),
  created_at: deposit.createdAt,
  last_modified_at: deposit.lastModifiedAt,
})

export const versionOf = (deposit: Deposit) => ({ record: presentDeposit(deposit), revision: deposit.revision })

export const presentEntry = (entry: Entry): Static<typeof DepositEntryRecord> => ({
  id: entry.id,
  kind: entry.kind,
  amount: toMoney(entry.amountPaise, 'INR'),
  on: entry.on,
  reference: entry.reference,
  user_id: entry.userId,
  insurance_policy_id: entry.policyId,
  endorsement_id: entry.endorsementId,
  created_at: entry.createdAt,
})

export const tags = ['Deposits']
