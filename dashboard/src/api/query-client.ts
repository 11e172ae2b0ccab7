import { QueryClient } from '@tanstack/react-query'

const FRESH_MS = 15_000

/** The client itself repeats what may be repeated, so nothing is repeated here. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Records stay the objects that the client has made, which knows their versions for `ifMatch`.
    queries: { retry: false, staleTime: FRESH_MS, structuralSharing: false },
    // What a button starts is not kept for later: it fails without a connection, and forms wait for one themselves.
    mutations: { retry: false, networkMode: 'always' },
  },
})
