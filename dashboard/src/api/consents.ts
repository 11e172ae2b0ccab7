import type { UserId } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { byOffset, type Look, pageAt, SEALED } from './people.ts'

export const consentsQuery = (id: UserId, { purpose, after }: Look) =>
  queryOptions({
    queryKey: ['person', id, 'consents', after],
    queryFn: async ({ signal }) => byOffset(await banyan.user(id).consents.list(pageAt(after), { signal, purpose })),
    ...SEALED,
  })

export const rightsRequestsQuery = (id: UserId, { purpose, after }: Look) =>
  queryOptions({
    queryKey: ['person', id, 'rights-requests', after],
    queryFn: async ({ signal }) =>
      byOffset(await banyan.user(id).rightsRequests.list(pageAt(after), { signal, purpose })),
    ...SEALED,
  })
