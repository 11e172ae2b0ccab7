import type { Event } from '@banyan/client'
import type { ListEventsQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 50

export type EventType = NonNullable<ListEventsQuery['type']>[number]
export type EventFilter = { type?: readonly EventType[]; subject?: string | undefined }

/** The events of the last 30 days, newest first, by page. */
export const eventsQuery = (filter: EventFilter, after?: string) =>
  queryOptions({
    queryKey: ['events', filter, after],
    queryFn: async ({ signal }) => {
      const { data, next, has_more } = await banyan.events.list(
        { ...filter, order: 'desc', after, limit: PAGE },
        { signal },
      )
      return { data, next: has_more ? next : null }
    },
    placeholderData: keepPreviousData,
  })

type Following = { signal: AbortSignal; started: () => void; report: (event: Event) => void }

/** Events from now on, each once, until the signal is aborted. `started` is called when none can be missed any more. */
export async function followEvents(
  { type, subject }: EventFilter,
  { signal, started, report }: Following,
): Promise<void> {
  const { next } = await banyan.events.list({ after: 'latest', limit: 1 }, { signal })
  started()
  const after = next ?? undefined
  for await (const event of banyan.events.follow({ after, types: type, subject, signal })) report(event)
}
