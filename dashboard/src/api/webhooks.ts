import type { WebhookEndpointId } from '@banyan/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { offsetPage } from './offset-page.ts'

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED'

/** An owner has 20 at most, so one page holds them all. Without `owner`, those of the caller. */
export const endpointsQuery = (owner?: string) =>
  queryOptions({
    queryKey: ['webhooks', owner],
    queryFn: async ({ signal }) => (await banyan.webhookEndpoints.list({ owner, limit: 50 }, { signal })).data,
  })

const FOLLOWING_MS = 3_000

/** The deliveries of 30 days, newest event first; read again while one of them waits. */
export const deliveriesQuery = (id: WebhookEndpointId, status: readonly DeliveryStatus[], after?: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'deliveries', status, after],
    queryFn: ({ signal }) =>
      offsetPage(after, (page) => banyan.webhookEndpoints.listDeliveries(id, { status, ...page }, { signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.data.some((delivery) => delivery.status === 'PENDING') === true && FOLLOWING_MS,
  })
