import { type Static, type TProperties, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import { columns, day, decoded, integer, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { toMoney } from '../../../kernel/money.ts'
import { Nullable, OneOf, PathId, record, TIMES } from '../../../kernel/http/schemas.ts'
import { Money } from '../../partners/benefits/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { ENDORSEMENT_KINDS, ENDORSEMENT_STATES } from './states.ts'

/** What happened in the life of a person who joins or leaves. */
export const LIFE_EVENTS = ['BIRTH', 'ADOPTION', 'MARRIAGE', 'DIVORCE', 'DEATH', 'AGE', 'MISSED', 'OTHER'] as const

export const ENDORSEMENT = columns('e', {
  id: text('endorsement_id'),
  userId: decoded('user_id', decodeUserId),
  policyId: text('policy_id'),
  platformId: text('platform_id'),
  benefitProviderId: text('benefit_provider_id'),
  kind: oneOf('kind', ENDORSEMENT_KINDS),
  personId: nullable(text('person_id')),
  on: day('on_day'),
  event: nullable(oneOf('event', LIFE_EVENTS)),
  eventOn: nullable(day('event_on')),
  personsVersion: integer('persons_version'),
  dueOn: day('due_on'),
  state: oneOf('state', ENDORSEMENT_STATES),
  issue: nullable(integer('issue')),
  providerReference: nullable(text('provider_reference')),
  amountPaise: nullable(integer('amount_paise')),
  refundDays: nullable(integer('refund_days')),
  refundEstimatePaise: nullable(integer('refund_estimate_paise')),
  actor: text('actor'),
  ...VERSION,
})
export type Endorsement = RecordOf<typeof ENDORSEMENT>
/** With the reason of its decision, which is in the history. */
export type FoundEndorsement = Endorsement & { reason: string | null }

const Day = (description: string) => Type.String({ format: 'date', description })

const fields = {
  id: Type.String(),
  user_id: UserIdText(),
  platform_id: Type.String(),
  insurance_policy_id: Type.String(),
  benefit_provider_id: Type.String(),
  kind: OneOf(ENDORSEMENT_KINDS),
  person_id: Nullable(
    Type.String({ description: 'The user, or the version of the dependant when it was requested; `null` of an END' }),
  ),
  on: Day('First day of it: a correction of a person holds at once, for this policy once it is accepted'),
  event: Nullable(OneOf(LIFE_EVENTS)),
  event_on: Nullable(Day('Day of that event')),
  due_on: Day('By when the benefit provider should decide'),
  state: OneOf(ENDORSEMENT_STATES),
  persons_version: Type.Integer({ description: 'Of the policy, once it was requested' }),
  issue: Nullable(Type.Integer({ description: 'Number of the issue that certifies it; `null` until there is one' })),
  provider_reference: Nullable(Type.String({ description: 'The benefit provider’s own number of it' })),
  /** What the benefit provider charges; of a LEAVE or an END what it pays back. For information. */
  amount: Nullable(Money),
  refund: Nullable(
    Type.Object(
      { days: Type.Integer({ description: 'Days that are paid for and not covered' }), estimate: Money },
      { description: 'Of a LEAVE: an equal share of the annual premium for these days, for information' },
    ),
  ),
  ...TIMES,
} satisfies TProperties

export const example = {
  id: 'edo_06bnv3m2r8f1s4k7q9t3v6w0y2',
  user_id: '012345678901',
  platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
  insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
  benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
  kind: 'CORRECTION',
  person_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2',
  on: '2026-06-01',
  event: null,
  event_on: null,
  due_on: '2026-06-08',
  state: 'REQUESTED',
  persons_version: 1,
  issue: null,
  provider_reference: null,
  amount: null,
  refund: null,
  created_at: '2026-06-01T09:30:00',
  last_modified_at: '2026-06-01T09:30:00',
}

export const ListedEndorsementRecord = record('ListedEndorsement', fields, {
  description: 'A change of an issued policy in a list of all users: no names and no births',
  examples: [example],
})

export const EndorsementRecord = record(
  'Endorsement',
  { ...fields, reason: Nullable(Type.String({ description: 'Given with its state' })) },
  {
    description: 'A change of an issued policy, which its benefit provider accepts or refuses',
    examples: [{ ...example, reason: null }],
  },
)

export const EndorsementPath = Type.Object({ endorsement_id: PathId('The endorsement') })

export const tags = ['Endorsements']

export const presentListed = (one: Endorsement): Static<typeof ListedEndorsementRecord> => ({
  id: one.id,
  user_id: one.userId,
  platform_id: one.platformId,
  insurance_policy_id: one.policyId,
  benefit_provider_id: one.benefitProviderId,
  kind: one.kind,
  person_id: one.personId,
  on: one.on,
  event: one.event,
  event_on: one.eventOn,
  due_on: one.dueOn,
  state: one.state,
  persons_version: one.personsVersion,
  issue: one.issue,
  provider_reference: one.providerReference,
  amount: one.amountPaise === null ? null : toMoney(one.amountPaise, 'INR'),
  refund:
    one.refundDays === null || one.refundEstimatePaise === null
      ? null
      : { days: one.refundDays, estimate: toMoney(one.refundEstimatePaise, 'INR') },
  created_at: one.createdAt,
  last_modified_at: one.lastModifiedAt,
})

export const presentEndorsement = (one: FoundEndorsement): Static<typeof EndorsementRecord> => ({
  ...presentListed(one),
  reason: one.reason,
})

export const versionOf = (one: FoundEndorsement) => ({
  record: presentEndorsement(one),
  revision: one.revision,
})
