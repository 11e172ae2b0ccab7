import type { UserScope } from '../../access/scope.ts'
import type { Day } from '../../kernel/date.ts'
import type { CardHolder, PolicyKey } from './store.ts'

/** How often the policy was issued by then, and whom that issue covers beside the member. */
export type Issue = { issue: number; dependantIds: string[] }

/**
 * What documents need to know of a policy. Policies stand above documents, so src/app.ts hands in how it is found:
 * `issued` is the last issue, null before the first; `awaited` the next one while the policy is on its way to it.
 */
export type DocumentedPolicy = PolicyKey & {
  platformId: string
  benefitProviderId: string
  issued: Issue | null
  awaited: Issue | null
}

/** How the days that a certificate names follow from its term: as the policies' own calendar counts them. */
export type PolicyDates = {
  windowOpensOn: (term: { endDate: Day; renewalWindowDays: number }) => Day
  lastDayOfGrace: (term: { endDate: Day; graceDays: number }) => Day
}

/** Throws 404 when the policy is not in the scope. */
export type FindDocumentedPolicy = (scope: UserScope, policyId: string) => Promise<DocumentedPolicy>

type Person = { first_name: string | null; last_name: string | null }

/** How a member stands on a day. */
export type Cover = { result: 'valid' | 'in_grace' | 'expired'; policyNumber: string; person: Person }

/** Undefined when the policy does not cover the member, or not yet. */
export type FindCover = (holder: CardHolder, today: Day) => Promise<Cover | undefined>
