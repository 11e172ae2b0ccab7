import { queryOptions } from '@tanstack/react-query'
import { distinct } from '../parts/distinct.ts'
import { banyan } from './banyan.ts'
import { may } from './rights.ts'
import type { Role } from './roles.ts'

const FRESH_MS = 60_000
const PAGE = { limit: 100 } as const
/** So many of each kind; what is beyond them is shown by its id. */
const NAMES_MAX = 1_000

export const NAMES_KEY = ['names'] as const

/** The names of partners, benefits and administrators that the role may list, by id, the newest first: one lookup for every screen. */
export const namesQuery = (role: Role) =>
  queryOptions({
    queryKey: NAMES_KEY,
    queryFn: async ({ signal }) => {
      const lists: readonly (readonly { id: string; name: string | null }[])[] = await Promise.all([
        may(role, 'listPlatforms') ? banyan.platforms.list(PAGE, { signal }).all(NAMES_MAX) : [],
        banyan.benefitProviders.list(PAGE, { signal }).all(NAMES_MAX),
        banyan.benefits.list(PAGE, { signal }).all(NAMES_MAX),
        may(role, 'listAdministrators') ? banyan.administrators.list(PAGE, { signal }).all(NAMES_MAX) : [],
      ])
      // Two of a kind with one name are told apart by the ends of their ids.
      const named = lists.map((list) => distinct(list.map(({ id, name }) => ({ value: id, label: name ?? id }))))
      return new Map<string, string>(named.flat().map(({ value, label }) => [value, label]))
    },
    staleTime: FRESH_MS,
  })

/** The kinds of records with names, as their ids begin. */
export type NamedKind = 'plt' | 'bpr' | 'spn' | 'bnf' | 'adm'

/** Those of a kind, to choose from. */
export const namesIn = (names: ReadonlyMap<string, string> | undefined, kind: NamedKind) =>
  [...(names ?? [])].filter(([id]) => id.startsWith(`${kind}_`)).map(([value, label]) => ({ value, label }))
