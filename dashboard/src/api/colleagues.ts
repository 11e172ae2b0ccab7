import { benefitProviderId, type PossibleAssignee } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const FRESH_MS = 60_000
const PAGE = 100
const PEOPLE_MAX = 1_000

/** Who can work on policies, those of one benefit provider if it is named, in the order of their names. */
export const colleaguesQuery = (providerId?: string) =>
  queryOptions({
    queryKey: ['colleagues', providerId],
    queryFn: async ({ signal }) => {
      const of = providerId === undefined ? {} : { benefit_provider_id: benefitProviderId(providerId) }
      const people = await banyan.policies.listAssignees({ ...of, limit: PAGE }, { signal }).all(PEOPLE_MAX)
      return people.toSorted(byName)
    },
    staleTime: FRESH_MS,
  })

const byName = (one: PossibleAssignee, other: PossibleAssignee): number =>
  (one.name ?? '').localeCompare(other.name ?? '')
