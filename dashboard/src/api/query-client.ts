import { QueryClient } from '@tanstack/react-query'

const FRESH_MS = 15_000

/** The client itself repeats what may be repeated, so nothing is repeated here. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: FRESH_MS },
    mutations: { retry: false },
  },
})
