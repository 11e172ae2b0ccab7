import {
  type Endorsement,
  type EndorsementId,
  type ListedEndorsement,
  plainDate,
  PreconditionFailedError,
  type SetEndorsementStateRequest,
} from '@banyan/client'
import type { ListEndorsementsQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { type PolicyRef, termsQuery } from './policies.ts'
import { CHANGED } from './problem.ts'

const PAGE = 50
/** Times are in seconds. */
const BEFORE_MS = 1_000

/** Those that wait, the earliest due day first: every day is before this one. */
export const WAITING_ENDORSEMENTS = { due_before: plainDate('2999-12-31') } as const satisfies ListEndorsementsQuery

/** The endorsements of all people, by page; `after` is the cursor of one. */
export const endorsementsQuery = (filter: ListEndorsementsQuery, after?: string) =>
  queryOptions({
    queryKey: ['endorsements', filter, after],
    queryFn: ({ signal }) => readEndorsements(filter, { after, signal }),
    placeholderData: keepPreviousData,
  })

export const readEndorsements = (
  filter: ListEndorsementsQuery,
  { after, signal }: { after?: string | undefined; signal: AbortSignal },
) => banyan.endorsements.list({ ...filter, after, limit: PAGE }, { signal })

/** So many that wait are looked through for those of one policy. */
export const OPEN_READ_MAX = 2_000

/** Those of one policy that wait. The list has no such filter, but an issue leaves none: they are younger than the last one. */
export const openEndorsementsQuery = (at: PolicyRef) =>
  queryOptions({
    queryKey: ['endorsements', 'of-policy', at.id],
    queryFn: async ({ signal, client }) => {
      const terms = await client.fetchQuery(termsQuery(at))
      const issues = terms.flatMap(({ issues: ofTerm }) => ofTerm.map(({ issued_at }) => issued_at.getTime()))
      if (issues.length === 0) return { data: [], isAll: true }
      const since = new Date(Math.max(...issues) - BEFORE_MS).toISOString()
      const filter = { state: ['REQUESTED'], changed_after: since, limit: 100 } as const
      const read = await banyan.endorsements.list(filter, { signal }).all(OPEN_READ_MAX)
      const data = read.filter(({ insurance_policy_id: policy }) => policy === at.id)
      return {
        data: data.toSorted((one, other) => (one.due_on < other.due_on ? -1 : 1)),
        isAll: read.length < OPEN_READ_MAX,
      }
    },
  })

/** One, with the reason of its decision. */
export const endorsementQuery = (id: EndorsementId) =>
  queryOptions({
    queryKey: ['endorsements', id],
    queryFn: ({ signal }) => banyan.endorsements.read(id, { signal }),
  })

/** `seen`: the record that it was decided upon, so that nobody else’s decision is taken for one’s own. */
export const decideEndorsement = (
  seen: Endorsement,
  body: SetEndorsementStateRequest,
  { signal }: { signal?: AbortSignal } = {},
) => banyan.endorsements.setState(seen.id, body, { ifMatch: seen, ...(signal && { signal }) })

/** Accepts what a list shows, and throws when somebody has decided it since. */
export async function acceptListed({ id, state, last_modified_at: at }: ListedEndorsement): Promise<void> {
  // A list has no versions, so the record is read, and compared with the list.
  const seen = await banyan.endorsements.read(id)
  if (seen.state !== state || seen.last_modified_at > at) throw new Error(CHANGED)
  await decideEndorsement(seen, { state: 'ACCEPTED' }).catch((error: Error) => {
    throw error instanceof PreconditionFailedError ? new Error(CHANGED) : error
  })
}
