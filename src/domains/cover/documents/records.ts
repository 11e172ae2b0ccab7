import { type Static, Type } from 'typebox'
import { PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { type ApiDeps, operationIn } from '../../../record/index.ts'
import { type Policy, PolicyPath } from '../policies/records.ts'
import { DOCUMENT_KINDS, policyExample, createUrl } from './document-urls.ts'
import type { DocumentFile, PolicyKey } from './store.ts'

const DOCUMENT_TYPES = DOCUMENT_KINDS.flatMap(({ type, perMember }) =>
  perMember ? [`${type}/self`, `${type}/{dependant_id}`] : [type],
)

export const PolicyDocumentRecord = record(
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
        address: createUrl(policyExample, 'policy_certificate'),
        size_bytes: 48_213,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        created_at: '2026-04-01T09:40:00',
      },
    ],
  },
)

export const presentFile = (policy: PolicyKey, file: DocumentFile): Static<typeof PolicyDocumentRecord> => ({
  insurance_policy_id: policy.id,
  document_type: file.documentType,
  address: createUrl(policy, file.documentType),
  size_bytes: file.byteLength,
  sha256: file.sha256,
  created_at: file.createdAt,
})

export const DocumentPath = Type.Object({
  ...PolicyPath.properties,
  document_type: Type.Unsafe<string>({
    type: 'string',
    maxLength: 200,
    token: DOCUMENT_TYPES,
    description: `One of ${DOCUMENT_TYPES.map((type) => `\`${type}\``).join(', ')}. The slash may be sent unencoded`,
    examples: ['policy_certificate'],
  }),
})

export const CardPath = Type.Object({
  ...PolicyPath.properties,
  member_id: PathId('`self`, or the id of a covered dependant'),
})

export const IssueQuery = Type.Object(
  {
    issue: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today, else of ' +
          'the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue: 404 with one',
      }),
    ),
  },
  { additionalProperties: false },
)

export const tags = ['Insurance policy documents']

export const PDF = 'application/pdf'
export const DOCUMENTS_PATH = '/users/:user_id/insurance_policies/:insurance_policy_id/documents'

/** Defines an operation that may generate a document: it prints URLs of this origin. */
export const documentOperation = operationIn<ApiDeps>()

export const documentEvent = (policy: Policy, documentType: string) => ({
  platformId: policy.platformId,
  data: {
    user_id: policy.userId,
    insurance_policy_id: policy.id,
    benefit_provider_id: policy.benefitProviderId,
    document_type: documentType,
  },
})
