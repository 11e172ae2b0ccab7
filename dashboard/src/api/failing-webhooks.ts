import type { WebhookAttempt, WebhookEndpoint } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { companiesIn, namesQuery } from './names.ts'
import type { Role } from './roles.ts'

const FRESH_MS = 60_000
/** The newest deliveries of an endpoint, whose last attempt decides. */
const LOOKED_AT = 20
/** An owner has 20 at most. */
const ENDPOINTS_MAX = 50

export type FailingEndpoint = {
  endpoint: WebhookEndpoint
  owner: string
  /** Of the last attempt, or of the end of all attempts. */
  at: Date
  /** The last attempt; undefined for an endpoint that was disabled because it failed. */
  attempt?: WebhookAttempt
}

/**
 * The endpoints of all partners that fail now: they were disabled for it, or the last attempt did. A request for each
 * partner and endpoint, because no operation lists those of all.
 */
export const failingEndpointsQuery = (role: Role) =>
  queryOptions({
    queryKey: ['webhooks', 'failing'],
    queryFn: async ({ client, signal }): Promise<FailingEndpoint[]> => {
      const names = await client.fetchQuery(namesQuery(role))
      const owners = [...companiesIn(names, 'plt'), ...companiesIn(names, 'bpr')].map(({ value }) => value)
      const found = await Promise.all(
        owners.map(async (owner) => {
          const { data } = await banyan.webhookEndpoints.list({ owner, limit: ENDPOINTS_MAX }, { signal })
          return Promise.all(data.map((endpoint) => failureOf(endpoint, owner, signal)))
        }),
      )
      return found.flat().filter((one) => one !== undefined)
    },
    staleTime: FRESH_MS,
  })

const isSuccess = ({ status }: WebhookAttempt) => status !== null && status >= 200 && status < 300

async function failureOf(
  endpoint: WebhookEndpoint,
  owner: string,
  signal: AbortSignal,
): Promise<FailingEndpoint | undefined> {
  const { id, status, disabled_reason: reason, last_modified_at: at } = endpoint
  if (status === 'DISABLED') return reason === 'requested' ? undefined : { endpoint, owner, at }
  const { data } = await banyan.webhookEndpoints.listDeliveries(id, { limit: LOOKED_AT }, { signal })
  const [attempt] = data
    .flatMap(({ attempts }) => attempts.slice(-1))
    .toSorted((one, other) => other.at.getTime() - one.at.getTime())
  return attempt === undefined || isSuccess(attempt) ? undefined : { endpoint, owner, at: attempt.at, attempt }
}
