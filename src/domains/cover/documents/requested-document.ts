import assert from 'node:assert/strict'
import { conflict, notFound } from '../../../kernel/problem-error.ts'
import type { Policy } from '../policies/records.ts'
import { type Issue, findIssued, findPendingIssue } from '../policies/states.ts'
import { DOCUMENT_KINDS, type DocumentKind, chooseIssue } from './document-urls.ts'

/** A requested document; `type` is the full type, such as `health_card/self`. */
export type RequestedDocument = { type: string; kind: DocumentKind; memberId: string | undefined }

/** Returns the document of a `document_type` that the route's schema has validated. */
export function requestedDocument(type: string): RequestedDocument {
  const [stem, ...member] = type.split('/')
  const kind = DOCUMENT_KINDS.find((one) => one.type === stem)
  assert(kind, 'the route’s schema admits only types of the table')
  return { type, kind, memberId: kind.perMember ? member.join('/') : undefined }
}

export const toHealthCard = (memberId: string): RequestedDocument => requestedDocument(`health_card/${memberId}`)

/**
 * Returns the issue of an upload: the pending one, else the last. Throws 404 for a member who is not covered, 409 for a
 * policy that will not be issued.
 */
export function findUploadIssue(document: RequestedDocument, policy: Policy): Issue {
  const issue = chooseIssue(document.kind, findPendingIssue(policy) ?? findIssued(policy))
  if (!issue) throw conflict('The policy will not be issued.', { reason: 'inactive' })
  checkCovers(issue, document)
  return issue
}

/** Throws 404 when the issue does not cover the member of the document. */
export function checkCovers({ dependantIds }: Issue, { memberId }: RequestedDocument): void {
  if (memberId !== undefined && memberId !== 'self' && !dependantIds.includes(memberId)) throw notFound()
}
