import type { ListAllAccountsQuery, ListAllConsultationsQuery, ListAllWalletsQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 50
const WALLETS_MS = 10_000
/** The wallets of all people, by page; `after` is the cursor of one. */
export const walletsQuery = (filter: ListAllWalletsQuery, after?: string) =>
  queryOptions({
    queryKey: ['wallets', filter, after],
    queryFn: ({ signal }) => banyan.wallets.list({ ...filter, after, limit: PAGE }, { signal }),
    refetchInterval: WALLETS_MS, // what is asked for again fails or succeeds within seconds
    placeholderData: keepPreviousData,
  })

export const accountsQuery = (filter: ListAllAccountsQuery, after?: string) =>
  queryOptions({
    queryKey: ['accounts', filter, after],
    queryFn: ({ signal }) => banyan.accounts.list({ ...filter, after, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  })

export const consultationsQuery = (filter: ListAllConsultationsQuery, after?: string) =>
  queryOptions({
    queryKey: ['consultations', filter, after],
    queryFn: ({ signal }) => readConsultations(filter, { after, signal }),
    placeholderData: keepPreviousData,
  })

type At = { after?: string | undefined; signal: AbortSignal }
export const readConsultations = (filter: ListAllConsultationsQuery, { after, signal }: At) =>
  banyan.consultations.list({ ...filter, after, limit: PAGE }, { signal })
