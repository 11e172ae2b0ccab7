import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const FRESH_MS = 60_000
const SHOWN = 100

/** The endpoints of all partners that fail now, or were disabled for it. */
export const failingEndpointsQuery = queryOptions({
  queryKey: ['webhooks', 'failing'],
  queryFn: ({ signal }) => banyan.webhookEndpoints.list({ failing: 'true', limit: SHOWN }, { signal }),
  staleTime: FRESH_MS,
})
