import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const HOUR_MS = 3_600_000
const REFRESH_MS = 5 * 60_000
const PAGE = 100
/** So many of each kind are read; where there are more, the hours before the last of them are not known. */
const READ_MAX = 300

type Listed = { last_modified_at: Date }

/** When records were last changed, over so many hours. */
export type Changes = { times: readonly Date[] /** Complete from here on. */; since: Date }

/** The last changes of what an insurer lists: the service counts events for platforms and administrators only. */
export const changesQuery = (hours: number) =>
  queryOptions({
    queryKey: ['changes', hours],
    queryFn: async ({ signal }): Promise<Changes> => {
      const from = new Date(Date.now() - hours * HOUR_MS)
      const query = { changed_after: from.toISOString().slice(0, 19), limit: PAGE }
      const kinds: readonly (readonly Listed[])[] = await Promise.all([
        banyan.policies.list(query, { signal }).all(READ_MAX),
        banyan.consultations.list(query, { signal }).all(READ_MAX),
      ])
      const timesOf = (records: readonly Listed[]) => records.map(({ last_modified_at: at }) => at)
      const cut = kinds.filter(({ length }) => length === READ_MAX).flatMap((records) => timesOf(records).slice(-1))
      const since = new Date(Math.max(from.getTime(), ...cut.map((at) => at.getTime())))
      return { times: kinds.flatMap(timesOf), since }
    },
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  })
