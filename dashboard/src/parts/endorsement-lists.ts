import { plainDate } from '@banyan/client'
import type { ListEndorsementsQuery } from '@banyan/client/operations'
import { WAITING_ENDORSEMENTS } from '../api/endorsements.ts'
import type { NamedList } from './list-tabs.tsx'
import { today } from './texts.ts'
import { textIn, type UrlState } from './url-search.ts'

type List = NamedList<ListEndorsementsQuery>

/** Those that wait come by the day on which they are due, the others by their last change. */
export const endorsementLists = (): readonly [List, ...List[]] => [
  { id: '', title: 'Waiting', filter: WAITING_ENDORSEMENTS },
  { id: 'overdue', title: 'Overdue', filter: { due_before: plainDate(today()) } },
  { id: 'accepted', title: 'Accepted', filter: { state: ['ACCEPTED'] } },
  { id: 'refused', title: 'Refused', filter: { state: ['REFUSED'] } },
  { id: 'withdrawn', title: 'Withdrawn', filter: { state: ['WITHDRAWN'] } },
  { id: 'all', title: 'All', filter: {} },
]

/** What an address of the list of endorsements asks for. */
export function endorsementFilterIn({ list }: UrlState): ListEndorsementsQuery {
  const lists = endorsementLists()
  return (lists.find(({ id }) => id === (textIn(list) ?? '')) ?? lists[0]).filter
}
