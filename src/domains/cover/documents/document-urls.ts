import { Type } from 'typebox'
import { compileRecord } from '../../../kernel/db/compile-record.ts'
import { Nullable } from '../../../kernel/http/schemas.ts'
import { type Issue, findIssued } from '../policies/states.ts'

export type DocumentKind = {
  /** As in URLs and in the policy record; for a document of a member, the part before the slash. */
  type: string
  madeAt: 'enrolment' | 'issue'
  perMember: boolean
  /** Has a QR code that leads to the check of its member's card; a document without a member to that of the user. */
  hasCode?: true
  /** The file in templates/, without its extension. */
  template: string
}

/** Every document of a policy, in the order of the policy record. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  { type: 'health_card', madeAt: 'issue', perMember: true, template: 'health_card', hasCode: true },
  { type: 'customer_information_sheet', madeAt: 'issue', perMember: false, template: 'customer_information_sheet' },
  { type: 'enrollment_form', madeAt: 'enrolment', perMember: false, template: 'enrollment_form' },
  { type: 'policy_certificate', madeAt: 'issue', perMember: false, template: 'policy_certificate', hasCode: true },
]

/** Returns the field of the policy record for documents of a kind. */
const fieldName = ({ type, perMember }: DocumentKind) => (perMember ? `${type}s` : type)

const ENROLMENT: Issue = { issue: 0, dependantIds: [] }

/** Returns the issue that a document of this kind is made from, where `issued` is that of the policy; null without one. */
export const chooseIssue = ({ madeAt }: DocumentKind, issued: Issue | null): Issue | null =>
  madeAt === 'enrolment' ? ENROLMENT : issued

export const createUrl = ({ userId, id }: { userId: string; id: string }, type: string): string =>
  `/v1/users/${userId}/insurance_policies/${id}/documents/${type}`

/** A policy's ids and its last issue. */
type Issued = { userId: string; id: string } & Parameters<typeof findIssued>[0]

/** Returns the URL of each available document, `null` for the others. */
export const documentUrls = (policy: Issued) => makeUrls({ base: createUrl(policy, ''), issued: findIssued(policy) })

type Urls = string | null | Record<string, string>
type Source = { base: string; issued: Issue | null }

/** A literal of the fields: filling an object by name, and the names by which it is then serialised, cost 4 µs a policy. */
const makeUrls = compileRecord(
  DOCUMENT_KINDS.map((kind, at) => [fieldName(kind), `urlsOf(kinds[${at}], from)`]),
  { urlsOf, kinds: DOCUMENT_KINDS },
) as (from: Source) => Record<string, Urls>

function urlsOf(kind: DocumentKind, { base, issued }: Source): Urls {
  const issue = chooseIssue(kind, issued)
  if (!kind.perMember) return issue && base + kind.type
  // Without a prototype: with one, V8 makes a hidden class for each new id.
  const urls = Object.create(null) as Record<string, string>
  if (!issue) return urls
  for (const member of ['self', ...issue.dependantIds]) urls[member] = `${base}${kind.type}/${member}`
  return urls
}

/** A policy before its first issue. */
export const policyExample = {
  userId: '012345678901',
  id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
  issue: 0,
  issuedDependantIds: null,
}

const Url = Type.String({ format: 'uri-reference' })

/** The documents in the policy record: a URL or `null` each, and URLs by member for documents of members. */
export const DocumentUrls = Type.Object(
  Object.fromEntries(
    DOCUMENT_KINDS.map((kind) => [fieldName(kind), kind.perMember ? Type.Record(Type.String(), Url) : Nullable(Url)]),
  ),
  {
    title: 'PolicyDocuments',
    description: 'Download URLs of the policy’s documents',
    examples: [documentUrls(policyExample)],
  },
)
