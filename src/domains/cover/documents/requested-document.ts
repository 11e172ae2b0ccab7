import assert from 'node:assert/strict'
import { conflict, notFound, ProblemError } from '../../../kernel/problem-error.ts'
import type { Policy } from '../policies/records.ts'
import { type Issue, findIssued, findPendingIssue } from '../policies/states.ts'
import { DOCUMENT_KINDS, type DocumentKind, chooseIssue } from './document-urls.ts'

/** A requested document; `type` is the full type, such as `health_card/self`. Without an `issue`, that of today. */
export type RequestedDocument = {
  type: string
  kind: DocumentKind
  memberId: string | undefined
  issue: number | undefined
}

/** Returns the document of a `document_type` that the route's schema has validated. */
export function requestedDocument(type: string, { issue }: { issue?: number } = {}): RequestedDocument {
  const [stem, ...member] = type.split('/')
  const kind = DOCUMENT_KINDS.find((one) => one.type === stem)
  assert(kind, 'the route’s schema admits only types of the table')
  return { type, kind, memberId: kind.perMember ? member.join('/') : undefined, issue }
}

export const toHealthCard = (memberId: string, query?: { issue?: number }): RequestedDocument =>
  requestedDocument(`health_card/${memberId}`, query)

/**
 * Returns the issue of an upload: the one that was asked for, else the pending one, else the last. Throws 404 for one that
 * does not exist and for a member that the pending or last one does not cover, 409 for a policy that will not be issued.
 */
export function findUploadIssue(document: RequestedDocument, policy: Policy): Issue['issue'] {
  const newest = chooseIssue(document.kind, findPendingIssue(policy) ?? findIssued(policy))
  if (!newest) throw conflict('The policy will not be issued.', { reason: 'inactive' })
  const asked = document.issue ?? newest.issue
  if (asked > newest.issue) throw noSuchIssue()
  if (asked === newest.issue) checkCovers(newest, document)
  return asked
}

export const noSuchIssue = () => new ProblemError('not_found', 'The policy has no such issue.')

/** Throws 404 when the issue does not cover the member of the document. */
export function checkCovers({ dependantIds }: Issue, { memberId }: RequestedDocument): void {
  if (memberId !== undefined && memberId !== 'self' && !dependantIds.includes(memberId)) throw notFound()
}
