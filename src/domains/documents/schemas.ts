import { Type } from 'typebox'
import { PdfBody, pdfResponse } from '../../kernel/http/pdf-body.ts'
import { Nullable, OneOf, PathId, record, ref, Timestamp } from '../../kernel/http/schemas.ts'
import { UserPath } from '../users/index.ts'

export type DocumentKind = {
  /** As addresses and the record of the policy say it; for a document of a member without what follows the slash. */
  type: string
  madeAt: 'enrolment' | 'issue'
  perMember: boolean
  /** The file in templates/, without its ending. */
  template: string
}

/** Every document of a policy (completion 6), in the order of the policy's record. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  { type: 'health_card', madeAt: 'issue', perMember: true, template: 'health_card' },
  { type: 'customer_information_sheet', madeAt: 'issue', perMember: false, template: 'customer_information_sheet' },
  { type: 'enrollment_form', madeAt: 'enrolment', perMember: false, template: 'enrollment_form' },
  { type: 'policy_certificate', madeAt: 'issue', perMember: false, template: 'policy_certificate' },
]

/** What the record of a policy calls the documents of a kind. */
export const fieldOf = ({ type, perMember }: DocumentKind) => (perMember ? `${type}s` : type)

const Address = Type.String({ format: 'uri-reference' })
const HERE_EXAMPLE =
  '/v1/users/012345678901/insurance_policies/pol_06bnv3m2r8f1s4k7q9t3v6w0y2/documents/enrollment_form'

/** The documents in the record of a policy: an address, `null` before there is one, and by member for those of members. */
export const DocumentAddresses = Type.Object(
  Object.fromEntries(
    DOCUMENT_KINDS.map((kind) => [
      fieldOf(kind),
      kind.perMember ? Type.Record(Type.String(), Address) : Nullable(Address),
    ]),
  ),
  {
    title: 'PolicyDocuments',
    description: 'Where each document can be downloaded',
    examples: [
      {
        health_cards: {},
        customer_information_sheet: null,
        enrollment_form: HERE_EXAMPLE,
        policy_certificate: null,
      },
    ],
  },
)

const DOCUMENT_TYPES = DOCUMENT_KINDS.flatMap(({ type, perMember }) =>
  perMember ? [`${type}/self`, `${type}/{dependant_id}`] : [type],
)

const PolicyDocument = record(
  'InsurancePolicyDocument',
  {
    insurance_policy_id: Type.String(),
    document_type: Type.String(),
    address: Type.String({ format: 'uri-reference', description: 'Where it can be downloaded' }),
    size_bytes: Type.Integer(),
    sha256: Type.String({ description: 'Of the file as it was received, in hexadecimal' }),
    created_at: Timestamp('When it was uploaded'),
  },
  {
    description: 'An uploaded document',
    examples: [
      {
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        document_type: 'policy_certificate',
        address:
          '/v1/users/012345678901/insurance_policies/pol_06bnv3m2r8f1s4k7q9t3v6w0y2/documents/policy_certificate',
        size_bytes: 48_213,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        created_at: '2026-04-01T09:40:00',
      },
    ],
  },
)

export const records = [PolicyDocument]

const PolicyPath = { ...UserPath.properties, insurance_policy_id: PathId('The policy') }

const DocumentPath = Type.Object({
  ...PolicyPath,
  document_type: Type.Unsafe<string>({
    type: 'string',
    maxLength: 200,
    token: DOCUMENT_TYPES,
    description: `One of ${DOCUMENT_TYPES.map((type) => `\`${type}\``).join(', ')}; health cards also without the slash encoded`,
    examples: ['policy_certificate'],
  }),
})

const CardPath = Type.Object({
  ...PolicyPath,
  member_id: PathId('`self`, or a dependant whom the policy covers'),
})

const tags = ['Insurance policy documents']

const downloading = `Made from the policy as it was last issued (the enrolment form: as it was enrolled), or the file that the benefit
provider uploaded in its place. Before it can be had: 404 with a detail that says so. Send the \`ETag\` as \`If-None-Match\`
to learn whether it is still the same.`

const uploading = `Takes the place of the document that would be made: of the issue that the policy awaits, else of the last one; a later
issue has its own again. A PDF of at most 10 MiB, sent within 15 seconds, that viewers need not repair. 422 when it is
encrypted, has scripts, starts programs, sends forms, opens anything by itself, holds other files, or has more than 100 MiB
when unpacked.`

const deleting = `Takes away what an upload would replace now: of the issue that the policy awaits, else of the last one. The document that
is made is handed out again. Answers with the upload that was taken away, 404 when there is none.`

export const downloadDocumentSchema = {
  tags,
  summary: 'Download a document of an insurance policy',
  description: downloading,
  params: DocumentPath,
  response: { 200: pdfResponse('The document') },
}

export const downloadHealthCardSchema = {
  tags,
  summary: 'Download the health card of a member',
  description: `${downloading} The code on a card leads to a public page that says whether it is valid.`,
  params: CardPath,
  response: { 200: pdfResponse('The health card') },
}

export const uploadDocumentSchema = {
  tags,
  summary: 'Upload a document of an insurance policy',
  description: uploading,
  params: DocumentPath,
  body: PdfBody,
  response: { 200: ref(PolicyDocument) },
}

export const uploadHealthCardSchema = {
  tags,
  summary: 'Upload the health card of a member',
  description: uploading,
  params: CardPath,
  body: PdfBody,
  response: { 200: ref(PolicyDocument) },
}

export const deleteUploadSchema = {
  tags,
  summary: 'Delete the upload of a document of an insurance policy',
  description: deleting,
  params: DocumentPath,
  response: { 200: ref(PolicyDocument) },
}

export const deleteHealthCardUploadSchema = {
  tags,
  summary: 'Delete the upload of the health card of a member',
  description: deleting,
  params: CardPath,
  response: { 200: ref(PolicyDocument) },
}

const CARD_RESULTS = ['valid', 'in_grace', 'expired', 'not_valid'] as const

const Check = {
  checked_on: Type.String({ format: 'date' }),
  policy_number_last4: Type.String(),
  member_initials: Type.String(),
}

/** Anybody may ask, with any query: messengers put parameters of their own behind an address. */
export const checkCardSchema = {
  operationId: 'checkHealthCard',
  tags,
  summary: 'Check a health card',
  description:
    'What the code on a health card leads to: how the cover stands today, as JSON or as a page. A card that is not ours is only `not_valid`, with none of the other members.',
  params: Type.Object({ token: Type.String({ description: 'As the code on the card says' }) }),
  querystring: Type.Object({}, { additionalProperties: true }),
  response: {
    200: {
      description: 'How the cover stands',
      content: {
        'application/json': {
          schema: Type.Object(
            { result: OneOf(CARD_RESULTS), ...Type.Partial(Type.Object(Check)).properties },
            {
              examples: [
                { result: 'valid', checked_on: '2026-06-01', policy_number_last4: '0123', member_initials: 'A. E.' },
              ],
            },
          ),
        },
        'text/html': { schema: Type.String() },
      },
    },
  },
}
