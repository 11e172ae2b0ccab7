import type { Event } from '@banyan/client'
import type { ListEventsQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 50

export type EventType = NonNullable<ListEventsQuery['type']>[number]
export type EventFilter = { type?: readonly EventType[]; subject?: string | undefined }

/** The events of the last 30 days, oldest first, by page. */
export const eventsQuery = (filter: EventFilter, after?: string) =>
  queryOptions({
    queryKey: ['events', filter, after],
    queryFn: async ({ signal }) => {
      const { data, next, has_more } = await banyan.events.list({ ...filter, after, limit: PAGE }, { signal })
      return { data, next: has_more ? next : null }
    },
    placeholderData: keepPreviousData,
  })

/** Events from now on, each once, until the signal is aborted. */
export async function followEvents(
  { type, subject }: EventFilter,
  { signal, report }: { signal: AbortSignal; report: (event: Event) => void },
): Promise<void> {
  for await (const event of banyan.events.follow({ after: 'latest', types: type, subject, signal })) report(event)
}
