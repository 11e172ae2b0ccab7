import { type Static, Type } from 'typebox'
import type { ErasureSettings } from '../../../settings/read-erasure.ts'
import type { Session } from '../../../access/user-sessions.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { columns, day, decoded, flag, instant, nullable, type RecordOf, time } from '../../../kernel/db/columns.ts'
import { Nullable, OneOf, record, ref, Timestamp } from '../../../kernel/http/schemas.ts'
import { EVENT_RETENTION_DAYS } from '../../../record/index.ts'
import { AccessActor, AccessEntry, describeActor } from '../../administration/audit/index.ts'
import { ConsultationSchema, MessageSchema } from '../../care/consultations/index.ts'
import type { Upload } from '../../cover/documents/index.ts'
import { InsurancePolicyEndSchema, InsurancePolicySchema } from '../../cover/policies/index.ts'
import { ConsentSchema } from '../consents/index.ts'
import { RightsRequestSchema } from '../../people/rights-requests/index.ts'
import { EndorsementSchema } from '../../cover/endorsements/index.ts'
import { AccountSchema } from '../../money/accounts/index.ts'
import { WalletTransactionSchema } from '../../money/ledger/index.ts'
import { WalletSchema } from '../../money/wallets/index.ts'
import { DependantSchema } from '../../people/dependants/index.ts'
import { BankDetails, Gender, Title, UserSchema } from '../../people/users/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import type { ErasureOutcome, ErasurePreview } from './decide-erasure.ts'
import type { FieldErasure, Ground } from './field-erasure.ts'

export const ERASURES = columns('e', {
  userId: decoded('user_id', decodeUserId),
  askedAt: instant('asked_at'),
  erasedAt: nullable(instant('erased_at')),
  ledgerUntil: nullable(day('ledger_until')),
  policiesUntil: nullable(day('policies_until')),
})

/** A scheduled or executed erasure. */
export type Erasure = RecordOf<typeof ERASURES> & {
  /** The last day of the hold; null when nothing is held. */
  heldUntil: Day | null
}

export const SCHEDULED_ERASURES = columns('e', {
  askedAt: time('asked_at'),
  dueAt: time('next_at'),
  endsPolicies: flag('ends_policies'),
})

/** An erasure whose notice is not over, or that is about to be executed. */
export type ScheduledErasure = RecordOf<typeof SCHEDULED_ERASURES>

const ErasedField = Type.Object(
  {
    field: Type.String({ description: 'The kind of data', examples: ['wallet_transactions'] }),
    outcome: OneOf(['erased', 'retained'], {
      description:
        'Whether it is erased. Retained data no longer identifies the person: ids, amounts, numbers, days; or, in a hold, it is sealed under a key that no server has',
    }),
    law: Type.Optional(
      Type.String({ description: 'The law that requires it', examples: ['Companies Act, 2013, section 128(5)'] }),
    ),
    until: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The last day of retention; left out where there is none',
        examples: ['2035-03-31'],
      }),
    ),
  },
  { title: 'ErasedField', description: 'The outcome for a field' },
)

export const ErasureRecord = record(
  'Erasure',
  {
    user_id: UserIdText(),
    erased_at: Timestamp('When the user is erased; in the future during a notice period'),
    fields: Type.Array(ErasedField, { description: 'The outcome for each field of the person' }),
  },
  {
    description: 'The erasure of a user, field by field',
    examples: [
      {
        user_id: '012345678901',
        erased_at: '2026-11-22T09:30:00',
        fields: [
          { field: 'profile', outcome: 'erased' },
          {
            field: 'wallet_transactions',
            outcome: 'retained',
            law: 'Companies Act, 2013, section 128(5)',
            until: '2035-03-31',
          },
        ],
      },
    ],
  },
)

export const ErasurePreviewRecord = record(
  'ErasurePreview',
  {
    user_id: UserIdText(),
    erased_at: Timestamp('When the user would be erased, or will be if that is scheduled'),
    is_scheduled: Type.Boolean({ description: 'Whether the erasure was requested and its notice period runs' }),
    holds_money: Type.Boolean({ description: 'Whether the wallet holds money, which prevents the erasure' }),
    policies_in_force: Type.Array(Type.String(), {
      description: 'Policies that cover somebody; they prevent the erasure unless `end_policies=true` is sent with it',
      examples: [['pol_06bnv3m2r8f1s4k7q9t3v6w0y2']],
    }),
    fields: Type.Array(ErasedField, { description: 'What would become of each field of the person' }),
  },
  {
    description: 'What the erasure of a user would do',
    examples: [
      {
        user_id: '012345678901',
        erased_at: '2026-11-22T09:30:00',
        is_scheduled: false,
        holds_money: false,
        policies_in_force: ['pol_06bnv3m2r8f1s4k7q9t3v6w0y2'],
        fields: [{ field: 'profile', outcome: 'erased' }],
      },
    ],
  },
)

export const CancelledErasureRecord = record(
  'CancelledErasure',
  {
    user_id: UserIdText(),
    cancelled: Type.Boolean({ description: 'Whether there was an erasure to cancel' }),
  },
  { description: 'The result of cancelling an erasure', examples: [{ user_id: '012345678901', cancelled: true }] },
)

const StatusChange = Type.Object(
  {
    id: Type.String({ description: 'What changed', examples: ['pol_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    from: Nullable(Type.String({ description: 'The status before; `null` for a new record', examples: ['APPROVED'] })),
    to: Type.String({ description: 'The status after', examples: ['ISSUED'] }),
    reason: Nullable(Type.String({ description: 'The reason given for the change', examples: ['All is well'] })),
    at: Timestamp('Time of the change'),
  },
  { title: 'ExportedStatusChange', description: 'A change of a status' },
)

const ExportedProvider = Type.Object(
  {
    id: Type.String({ examples: ['bpr_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    name: Type.String({ examples: ['Suraksha General'] }),
  },
  { title: 'ExportedBenefitProvider', description: 'A benefit provider with access to the user' },
)

const ExportedUpload = Type.Object(
  {
    insurance_policy_id: Type.String({ examples: ['pol_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    document_type: Type.String({ examples: ['policy_certificate'] }),
    size_bytes: Type.Integer({ examples: [48_213] }),
    sha256: Type.String({
      description: 'SHA-256 of the file, in hexadecimal',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    uploaded_by: AccessActor,
    uploaded_at: Timestamp('Time of the upload'),
    replaced_at: Nullable(Timestamp('When it was replaced or removed')),
  },
  { title: 'ExportedUpload', description: 'A document of a policy that was uploaded' },
)

const ExportedSession = Type.Object(
  {
    begun_at: Timestamp('When the user signed in'),
    last_used_at: Timestamp('When its tokens were last renewed'),
    expires_at: Timestamp('When it ends at the latest'),
    ended_at: Nullable(Timestamp('When it was ended early')),
  },
  { title: 'ExportedSession', description: 'A session of the wallet' },
)

const ScheduledErasure = Type.Object(
  {
    requested_at: Timestamp('When the erasure was requested'),
    erased_at: Timestamp('When the user will be erased'),
    end_policies: Type.Boolean({ description: 'Whether policies that are in force are ended' }),
  },
  { title: 'ScheduledErasure', description: 'The erasure that will be executed; `null` without one' },
)

export const UserExport = record(
  'UserExport',
  {
    schema: Type.String({
      format: 'uri',
      description: 'URL of the JSON Schema of this document',
      examples: ['https://api.example.com/openapi.json#/components/schemas/UserExport'],
    }),
    exported_at: Timestamp('Time of the export'),
    user: ref(UserSchema),
    gender: Nullable(Gender),
    title: Nullable(Title),
    bank_details: Nullable(BankDetails),
    id_proof_last4: Nullable(
      Type.String({
        description: 'The last four characters of the id proof; no more of it is kept',
        examples: ['4567'],
      }),
    ),
    employee_number: Nullable(Type.String({ examples: ['EMP-004711'] })),
    dependants: Type.Array(ref(DependantSchema), { description: 'Every version of each' }),
    insurance_policies: Type.Array(ref(InsurancePolicySchema), { description: 'Every policy, whatever its status' }),
    endorsements: Type.Array(ref(EndorsementSchema), {
      description: 'Changes of issued policies, whatever their state',
    }),
    insurance_policy_ends: Type.Array(ref(InsurancePolicyEndSchema), {
      description: 'Every end of a policy that was set, newest first',
    }),
    accounts: Type.Array(ref(AccountSchema), { description: 'Every account, whatever its status' }),
    consultations: Type.Array(
      Type.Object(
        { consultation: ref(ConsultationSchema), messages: Type.Array(ref(MessageSchema)) },
        { title: 'ExportedConsultation', description: 'A conversation with all its messages' },
      ),
      { description: 'Every conversation, newest first' },
    ),
    wallet: Nullable(
      Type.Unsafe<Static<typeof WalletSchema>>({ ...ref(WalletSchema), description: 'The wallet; `null` without one' }),
    ),
    wallet_transactions: Type.Array(ref(WalletTransactionSchema), { description: 'Every booking, newest first' }),
    consents: Type.Array(ref(ConsentSchema), { description: 'Every consent, also those that were withdrawn' }),
    rights_requests: Type.Array(ref(RightsRequestSchema), {
      description: 'What the person asked of the platform by law',
    }),
    benefit_providers: Type.Array(ExportedProvider, { description: 'Every benefit provider with access to the user' }),
    uploaded_documents: Type.Array(ExportedUpload, { description: 'Every upload for a policy, newest first' }),
    sessions: Type.Array(ExportedSession, {
      description: 'Every session of the wallet until it expires, newest first',
    }),
    scheduled_erasure: Nullable(ScheduledErasure),
    status_changes: Type.Array(StatusChange, { description: 'Every status change of these records, oldest first' }),
    access_log: Type.Array(AccessEntry, { description: 'Who read or changed the data, newest first' }),
  },
  { description: 'Everything that is stored about a person' },
)

/** Access logs are retained under these terms; without the person they identify nobody. */
const LAW_OF_LOGS = 'Digital Personal Data Protection Rules, 2025, rules 6(1)(e) and 8(3)'

/** What could be read of the person can be read by the holder of a private key alone. */
const LAW_OF_HOLD = 'Digital Personal Data Protection Rules, 2025, rule 8(3)'

type Field = Static<typeof ErasureRecord>['fields'][number]
type Context = { fieldErasures: readonly FieldErasure[]; erasure: ErasureSettings }

/** Returns an erasure with the outcome for each field of the person. */
export function presentErasure(
  { fieldErasures, erasure }: Context,
  outcome: ErasureOutcome,
): Static<typeof ErasureRecord> {
  return {
    user_id: outcome.userId,
    erased_at: outcome.erasedAt,
    fields: fieldErasures.map(({ field, ground, hold }) =>
      hold && outcome.until.hold !== null
        ? { field, outcome: 'retained', law: LAW_OF_HOLD, until: outcome.until.hold }
        : presentField(field, { ground, erasure, outcome }),
    ),
  }
}

export function presentPreview(context: Context, preview: ErasurePreview): Static<typeof ErasurePreviewRecord> {
  const { user_id, erased_at, fields } = presentErasure(context, preview)
  return {
    user_id,
    erased_at,
    is_scheduled: preview.isScheduled,
    holds_money: preview.heldMoney,
    policies_in_force: [...preview.inForce],
    fields,
  }
}

type FieldContext = { ground: Ground | undefined; erasure: ErasureSettings; outcome: ErasureOutcome }

/** Fields without data are not retained. */
function presentField(field: string, { ground, erasure, outcome }: FieldContext): Field {
  const erased: Field = { field, outcome: 'erased' }
  switch (ground) {
    case undefined:
      return erased
    case 'log':
      return { field, outcome: 'retained', law: LAW_OF_LOGS }
    case 'events':
      return { field, outcome: 'retained', until: addDays(outcome.erasedAt.slice(0, 10), EVENT_RETENTION_DAYS) }
    case 'ledger':
    case 'policies': {
      const until = outcome.until[ground]
      return until === null ? erased : { field, outcome: 'retained', law: erasure.terms[ground].law, until }
    }
  }
}

type Export = Static<typeof UserExport>

export const presentUpload = (upload: Upload): Export['uploaded_documents'][number] => ({
  insurance_policy_id: upload.policyId,
  document_type: upload.documentType,
  size_bytes: upload.byteLength,
  sha256: upload.sha256,
  uploaded_by: describeActor(upload.actor, upload.uploader),
  uploaded_at: upload.createdAt,
  replaced_at: upload.replacedAt,
})

export const presentSession = (session: Session): Export['sessions'][number] => ({
  begun_at: session.begunAt,
  last_used_at: session.lastUsedAt,
  expires_at: session.expiresAt,
  ended_at: session.endedAt,
})

export const presentScheduled = (scheduled: ScheduledErasure | undefined): Export['scheduled_erasure'] =>
  scheduled
    ? { requested_at: scheduled.askedAt, erased_at: scheduled.dueAt, end_policies: scheduled.endsPolicies }
    : null

export const tags = ['Personal data']
