import { Type } from 'typebox'
import { PdfBody, pdfResponse } from '../../../kernel/http/pdf-body.ts'
import { Nullable, OneOf, PathId, record, ref, Timestamp } from '../../../kernel/http/schemas.ts'
import { UserPath } from '../../people/users/index.ts'

export type DocumentKind = {
  /** As in URLs and in the policy record; for a document of a member, the part before the slash. */
  type: string
  madeAt: 'enrolment' | 'issue'
  perMember: boolean
  /** The file in templates/, without its extension. */
  template: string
}

/** Every document of a policy (completion 6), in the order of the policy record. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  { type: 'health_card', madeAt: 'issue', perMember: true, template: 'health_card' },
  { type: 'customer_information_sheet', madeAt: 'issue', perMember: false, template: 'customer_information_sheet' },
  { type: 'enrollment_form', madeAt: 'enrolment', perMember: false, template: 'enrollment_form' },
  { type: 'policy_certificate', madeAt: 'issue', perMember: false, template: 'policy_certificate' },
]

/** Returns the field of the policy record for documents of a kind. */
export const fieldOf = ({ type, perMember }: DocumentKind) => (perMember ? `${type}s` : type)

const Url = Type.String({ format: 'uri-reference' })
const URL_EXAMPLE = '/v1/users/012345678901/insurance_policies/pol_06bnv3m2r8f1s4k7q9t3v6w0y2/documents/enrollment_form'

/** The documents in the policy record: a URL or `null` each, and URLs by member for documents of members. */
export const DocumentUrls = Type.Object(
  Object.fromEntries(
    DOCUMENT_KINDS.map((kind) => [fieldOf(kind), kind.perMember ? Type.Record(Type.String(), Url) : Nullable(Url)]),
  ),
  {
    title: 'PolicyDocuments',
    description: 'Download URLs of the policy’s documents',
    examples: [
      {
        health_cards: {},
        customer_information_sheet: null,
        enrollment_form: URL_EXAMPLE,
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
    address: Type.String({ format: 'uri-reference', description: 'Download URL' }),
    size_bytes: Type.Integer(),
    sha256: Type.String({ description: 'SHA-256 of the received file, in hexadecimal' }),
    created_at: Timestamp('Time of the upload'),
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
    description: `One of ${DOCUMENT_TYPES.map((type) => `\`${type}\``).join(', ')}. The slash may be sent unencoded`,
    examples: ['policy_certificate'],
  }),
})

const CardPath = Type.Object({
  ...PolicyPath,
  member_id: PathId('`self`, or the id of a covered dependant'),
})

const tags = ['Insurance policy documents']

const downloading = `Generated from the last issue of the policy (the enrolment form: from the enrolment), unless the
benefit provider has uploaded a file instead. Returns 404 with a detail until the document exists. Send the \`ETag\` as
\`If-None-Match\` to check whether it has changed.`

const uploading = `Replaces the generated document of the pending issue, else of the last one; later issues have their
own documents. The file must be an intact PDF of at most 10 MiB, sent within 15 seconds. Returns 422 when it is
encrypted, contains scripts or embedded files, launches programs, submits forms, opens anything automatically, or
exceeds 100 MiB when unpacked.`

const deleting = `Deletes the upload for the pending issue, else for the last one. The generated document is served
again. Returns the deleted upload, or 404 when there is none.`

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
  description: `${downloading} The code on a card opens a public page that shows whether the card is valid.`,
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

/** Public, with any query: messengers append parameters to URLs. */
export const checkCardSchema = {
  operationId: 'checkHealthCard',
  tags,
  summary: 'Check a health card',
  description:
    'Target of the code on a health card. Returns the cover today, as JSON or as an HTML page. For an unknown ' +
    'card the result is `not_valid`, without the other fields.',
  params: Type.Object({ token: Type.String({ description: 'The token in the code on the card' }) }),
  querystring: Type.Object({}, { additionalProperties: true }),
  response: {
    200: {
      description: 'The cover today',
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
