import assert from 'node:assert/strict'
import { conflict, notFound } from '../../kernel/problem-error.ts'
import type { DocumentedPolicy, Issue } from './documented-policy.ts'
import { DOCUMENT_KINDS, type DocumentKind } from './schemas.ts'

/** A document as it is asked for; `type` is the whole of it, `health_card/self`. */
export type RequestedDocument = { type: string; kind: DocumentKind; memberId: string | undefined }

/** Returns the document that a `document_type` names; the schema of the route has checked that there is such a type. */
export function requestedDocument(type: string): RequestedDocument {
  const [stem, ...member] = type.split('/')
  const kind = DOCUMENT_KINDS.find((one) => one.type === stem)
  assert(kind, 'a route lets only types of the table in')
  return { type, kind, memberId: kind.perMember ? member.join('/') : undefined }
}

const ENROLMENT: Issue = { issue: 0, dependantIds: [] }

/** Returns the issue that a document of this kind is made from; null while there is none. */
export const issueOf = ({ madeAt }: DocumentKind, { issued }: Pick<DocumentedPolicy, 'issued'>): Issue | null =>
  madeAt === 'enrolment' ? ENROLMENT : issued

/**
 * Returns the issue that an upload is for: the one that the policy awaits, else the last. Throws 404 for somebody not covered,
 * 409 for a policy that will not be issued.
 */
export function uploadIssueOf(document: RequestedDocument, { issued, awaited }: DocumentedPolicy): Issue {
  const issue = issueOf(document.kind, { issued: awaited ?? issued })
  if (!issue) throw conflict('The policy will not be issued.', { reason: 'inactive' })
  checkCovers(issue, document)
  return issue
}

/** Throws 404 when the document is for somebody whom the issue does not cover. */
export function checkCovers({ dependantIds }: Issue, { memberId }: RequestedDocument): void {
  if (memberId !== undefined && memberId !== 'self' && !dependantIds.includes(memberId)) throw notFound()
}
