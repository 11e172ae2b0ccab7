import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const REFRESH_MS = 30_000

export const statisticsQuery = queryOptions({
  queryKey: ['statistics'],
  queryFn: ({ signal }) => banyan.statistics.read({}, { signal }),
  refetchInterval: REFRESH_MS,
})

/** The endpoints of the person’s own company. */
export const ownEndpointsQuery = queryOptions({
  queryKey: ['webhook-endpoints', 'own'],
  queryFn: ({ signal }) => banyan.webhookEndpoints.list({ limit: 100 }, { signal }),
})
