import { type SponsorId, sponsorId } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const FRESH_MS = 5 * 60_000
/** So many ids go into one request. */
const IDS_MAX = 50
/** What is beyond them is not offered in a choice. */
export const CHOICES_MAX = 1_000

type Names = ReadonlyMap<string, string>

let ids = new Set<SponsorId>()
let names: Promise<Names> | undefined

/** Reads the names of all sponsors that a screen shows together: there are many, and few of them are on a screen. */
function nameOf(id: SponsorId): Promise<string | undefined> {
  ids.add(id)
  names ??= new Promise((resolve) => {
    setTimeout(() => {
      resolve(readNames([...ids]))
      ids = new Set()
      names = undefined
    })
  })
  return names.then((known) => known.get(id))
}

async function readNames(wanted: readonly SponsorId[]): Promise<Names> {
  const pages = Array.from({ length: Math.ceil(wanted.length / IDS_MAX) }, (_, page) =>
    banyan.sponsorNames.list({ sponsor_id: wanted.slice(page * IDS_MAX, (page + 1) * IDS_MAX), limit: IDS_MAX }),
  )
  const found = (await Promise.all(pages)).flatMap(({ data }) => data)
  return new Map(found.map(({ id, name }) => [id, name]))
}

export const sponsorNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['sponsor-name', id],
    queryFn: async () => (await nameOf(sponsorId(id))) ?? null,
    staleTime: FRESH_MS,
  })

/** Of all sponsors, the newest first, to search in. */
export const sponsorNamesQuery = queryOptions({
  queryKey: ['sponsors', 'names'],
  queryFn: async ({ signal }) =>
    (await banyan.sponsorNames.list({ limit: 100 }, { signal }).all(CHOICES_MAX)).map(
      ({ id, name }) => [id, name] as const,
    ),
  staleTime: FRESH_MS,
})

/** Those in whose benefits people can be enrolled, or soon. */
export const sponsorChoicesQuery = queryOptions({
  queryKey: ['sponsors', 'choices'],
  queryFn: ({ signal }) =>
    banyan.sponsorNames.list({ status: ['ACTIVE', 'PENDING'], limit: 100 }, { signal }).all(CHOICES_MAX),
})
