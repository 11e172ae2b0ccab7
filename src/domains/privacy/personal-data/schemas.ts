import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { Nullable, OneOf, record, ref, Timestamp } from '../../../kernel/http/schemas.ts'
import { AccountSchema } from '../../money/accounts/index.ts'
import { AccessActor, AccessEntry } from '../../administration/audit/index.ts'
import { ConsultationSchema, MessageSchema } from '../../care/consultations/index.ts'
import { DependantSchema } from '../../people/dependants/index.ts'
import { WalletTransactionSchema } from '../../money/ledger/index.ts'
import { InsurancePolicySchema } from '../../cover/policies/index.ts'
import { BankDetails, Gender, Title, UserPath, UserSchema } from '../../people/users/index.ts'
import { WalletSchema } from '../../money/wallets/index.ts'

const ErasedField = Type.Object(
  {
    field: Type.String({ description: 'The kind of data', examples: ['wallet_transactions'] }),
    outcome: OneOf(['erased', 'retained'], {
      description: 'Whether it is erased. Retained data no longer identifies the person: ids, amounts, numbers, days',
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

export const Erasure = record(
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

const CancelledErasure = record(
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
    dependants: Type.Array(ref(DependantSchema), { description: 'Every version of each' }),
    insurance_policies: Type.Array(ref(InsurancePolicySchema), { description: 'Every policy, whatever its status' }),
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

export const records = [Erasure, CancelledErasure, UserExport]

const tags = ['Personal data']

export const eraseUserSchema = {
  tags,
  summary: 'Erase a user',
  description:
    'Destroys the data key of the user, so that none of their personal data can be decrypted, and revokes every session ' +
    'and token within a second. From then on every URL of the user returns 404 and their health cards are `not_valid`; ' +
    'their phone and id proof can belong to a new user. Wallet transactions and policy numbers are retained without ' +
    'the person, as `fields` states. With a notice period (`ERASURE_NOTICE_HOURS`), `erased_at` is in the future; repeating the request returns ' +
    'the same, and `DELETE …/erasure` cancels it. External companies (benefit providers, the wallet operator, the ' +
    'account provider) are not called: inform them of what they hold.',
  params: UserPath,
  querystring: Type.Object(
    {
      end_policies: Type.Optional(
        OneOf(['true', 'false'], {
          description: '`true` ends policies that are in force. Otherwise they cause a 409.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: ref(Erasure) },
}

export const cancelErasureSchema = {
  tags,
  summary: 'Cancel the erasure of a user',
  description:
    'Possible during the notice period (`ERASURE_NOTICE_HOURS`). Without a scheduled erasure, `cancelled` is `false`. ' +
    'Returns 404 for a user who was erased.',
  params: UserPath,
  response: {
    200: ref(CancelledErasure),
  },
}

export const exportUserSchema = {
  tags,
  summary: 'Export everything about a user',
  description:
    'One JSON document with everything about the person: profile, all versions of dependants, policies, accounts, ' +
    'consultations with their messages, wallet and bookings, who has access, uploaded documents, wallet sessions, a ' +
    'scheduled erasure, status changes, and the access log. Documents of policies are downloaded from the addresses in ' +
    'them. `schema` is the address of the JSON Schema. By default, a caller may export a user ten times an hour.',
  params: UserPath,
  response: { 200: Type.Unsafe<Readable>(ref(UserExport)) },
}
