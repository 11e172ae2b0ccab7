import { type Static, Type } from 'typebox'
import { Nullable, OneOf, record, ref, Timestamp } from '../../kernel/http/schemas.ts'
import { AccountSchema } from '../accounts/index.ts'
import { AccessEntry } from '../audit/index.ts'
import { ConsultationSchema, MessageSchema } from '../consultations/index.ts'
import { DependantSchema } from '../dependants/index.ts'
import { WalletTransactionSchema } from '../ledger/index.ts'
import { InsurancePolicySchema } from '../policies/index.ts'
import { BankDetails, Gender, Title, UserPath, UserSchema } from '../users/index.ts'
import { WalletSchema } from '../wallets/index.ts'

const ErasedField = Type.Object(
  {
    field: Type.String({ description: 'What is known of a person', examples: ['wallet_transactions'] }),
    outcome: OneOf(['erased', 'retained'], {
      description: 'What becomes of it. What is retained is so without the person: ids, amounts, numbers, days',
    }),
    law: Type.Optional(
      Type.String({ description: 'Which law asks for it', examples: ['Companies Act, 2013, section 128(5)'] }),
    ),
    until: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The last day on which it has to be kept; left out where there is no such day',
        examples: ['2035-03-31'],
      }),
    ),
  },
  { title: 'ErasedField', description: 'What becomes of a field' },
)

export const Erasure = record(
  'Erasure',
  {
    user_id: Type.String(),
    erased_at: Timestamp('When the user is erased; in the future where notice is given first'),
    fields: Type.Array(ErasedField, { description: 'What becomes of each field of the person' }),
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
    user_id: Type.String(),
    cancelled: Type.Boolean({ description: 'Whether there was an erasure to call off' }),
  },
  { description: 'What became of calling off an erasure', examples: [{ user_id: '012345678901', cancelled: true }] },
)

const StatusChange = Type.Object(
  {
    id: Type.String({ description: 'What changed', examples: ['pol_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    from: Nullable(Type.String({ description: 'The status before; `null` for what is new', examples: ['APPROVED'] })),
    to: Type.String({ description: 'The status since', examples: ['ISSUED'] }),
    reason: Nullable(Type.String({ description: 'Why, as whoever changed it said', examples: ['All is well'] })),
    at: Timestamp('When'),
  },
  { title: 'ExportedStatusChange', description: 'A change of a status' },
)

export const UserExport = record(
  'UserExport',
  {
    schema: Type.String({
      format: 'uri',
      description: 'Where the JSON Schema of this document is',
      examples: ['https://api.example.com/openapi.json#/components/schemas/UserExport'],
    }),
    exported_at: Timestamp('When this was put together'),
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
        { title: 'ExportedConsultation', description: 'A conversation with all that was written in it' },
      ),
      { description: 'Every conversation, the newest first' },
    ),
    wallet: Nullable(
      Type.Unsafe<Static<typeof WalletSchema>>({ ...ref(WalletSchema), description: 'The wallet; `null` without one' }),
    ),
    wallet_transactions: Type.Array(ref(WalletTransactionSchema), { description: 'Every booking, the newest first' }),
    status_changes: Type.Array(StatusChange, { description: 'What became of all of it, the oldest first' }),
    access_log: Type.Array(AccessEntry, { description: 'Who looked at or changed it, the newest first' }),
  },
  { description: 'Everything that is known of a person' },
)

export const records = [Erasure, CancelledErasure, UserExport]

const tags = ['Personal data']

export const eraseUserSchema = {
  tags,
  summary: 'Erase a user',
  description:
    'Destroys the data key of the user, so that nothing of the person can be read any more, and ends every session and token ' +
    'within a second. From then on every address of the user is a 404, and their health cards are `not_valid`; their phone ' +
    'and id proof can become a new user. Wallet transactions and policy numbers stay without the person, for as long as `fields` says. ' +
    'Where notice is given first, `erased_at` is the time at which it happens; asked for again meanwhile, the response is ' +
    'the same, and `DELETE …/erasure` calls it off. Companies outside (benefit providers, the wallet operator, ' +
    'the account provider) answer for what they hold themselves: tell them.',
  params: UserPath,
  querystring: Type.Object(
    {
      end_policies: Type.Optional(
        OneOf(['true', 'false'], {
          description: '`true` ends policies that are in force: they expire. Otherwise they are a 409.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: ref(Erasure) },
}

export const cancelErasureSchema = {
  tags,
  summary: 'Call off the erasure of a user',
  description:
    'For as long as notice is given (`ERASURE_NOTICE_HOURS`). Nothing happens when none waits: `cancelled` is `false`. ' +
    'A user who was erased stays so, and is a 404.',
  params: UserPath,
  response: {
    200: ref(CancelledErasure),
  },
}

export const exportUserSchema = {
  tags,
  summary: 'Export everything about a user',
  description:
    'One JSON document with everything that is known of the person: profile, dependants in every version, policies, accounts, ' +
    'consultations with their messages, wallet and bookings, what became of each, and who looked. Documents of ' +
    'policies are had from the addresses in them. Where the schema is, the document says.',
  params: UserPath,
  response: { 200: ref(UserExport) },
}
