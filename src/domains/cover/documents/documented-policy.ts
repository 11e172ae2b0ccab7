import type { UserScope } from '../../../access/scope.ts'
import type { Day } from '../../../kernel/date.ts'
import type { CardHolder, DocumentFile, PolicyKey } from './store.ts'

/** The number of an issue, counted from 1, and the dependants it covers besides the member. */
export type Issue = { issue: number; dependantIds: string[] }

/**
 * The fields of a policy that documents need. Policies depend on documents, so src/app.ts injects how it is found.
 * `issued` is the last issue, null before the first; `pending` is the next issue, null when none is pending.
 */
export type DocumentedPolicy = PolicyKey & {
  platformId: string
  benefitProviderId: string
  issued: Issue | null
  pending: Issue | null
}

/** Computes the dates on a certificate, with the rules of the policy calendar. */
export type PolicyDates = {
  windowOpensOn: (term: { endDate: Day; renewalWindowDays: number }) => Day
  lastDayOfGrace: (term: { endDate: Day; graceDays: number }) => Day
}

/** Returns a policy. Throws 404 when it is not in scope. */
export type FindDocumentedPolicy = (scope: UserScope, policyId: string) => Promise<DocumentedPolicy>

/** A policy and the uploads that replace one of its documents, at most one an issue. */
export type UploadTarget = { policy: DocumentedPolicy; uploads: readonly DocumentFile[] }

/** Returns the target of an upload or its deletion. Throws 404 when the policy is not in scope. */
export type FindUploadTarget = (
  scope: UserScope,
  document: { policyId: string; documentType: string },
) => Promise<UploadTarget>

type Person = { first_name: string | null; last_name: string | null }

/** A member's cover on a day. */
export type Cover = { result: 'valid' | 'in_grace' | 'expired'; policyNumber: string; person: Person }

/** Returns undefined when the policy does not cover the member, or not yet. */
export type FindCover = (holder: CardHolder, today: Day) => Promise<Cover | undefined>
