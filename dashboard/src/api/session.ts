import { AuthenticationError } from '@banyan/client'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { readSession } from './banyan.ts'
import { type Role, roleOf } from './roles.ts'

/** Who is logged in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    try {
      return await readSession(signal)
    } catch (error) {
      if (error instanceof AuthenticationError) return null
      throw error
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** The person who is logged in. Only for what is shown to such. */
export function useSession(): { id: string; name: string | null; role: Role; ownerId: string | null } {
  const { data } = useSuspenseQuery(sessionQuery)
  if (!data) throw new Error('nobody is logged in')
  return { id: data.administrator_id, name: data.name, role: roleOf(data), ownerId: data.owner_id }
}
