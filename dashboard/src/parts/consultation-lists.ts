import type { ListAllConsultationsQuery } from '@banyan/client/operations'
import type { ListedConsultation } from '@banyan/client'
import { orderIn } from './order-select.tsx'
import { places } from './places.ts'
import type { UrlState } from './url-search.ts'

export const CONSULTATION_LISTS = [
  { id: '', title: 'Waiting for a reply', filter: { unanswered_by: 'provider' } },
  { id: 'open', title: 'Open', filter: { status: ['OPEN'] } },
  { id: 'closed', title: 'Closed', filter: { status: ['CLOSED'] } },
  { id: 'all', title: 'All', filter: {} },
] as const satisfies readonly { id: string; title: string; filter: ListAllConsultationsQuery }[]

export const placeOfConsultation = ({ user_id, id }: ListedConsultation): string => places.consultation(user_id, id)

/** What an address of the list of consultations asks for. */
export function consultationFilterIn(state: UrlState): ListAllConsultationsQuery {
  const { filter } = CONSULTATION_LISTS.find(({ id }) => id === (state['list'] ?? '')) ?? CONSULTATION_LISTS[0]
  return { ...filter, ...orderIn(state) }
}
