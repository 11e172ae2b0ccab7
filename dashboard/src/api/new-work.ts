import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Role } from './roles.ts'
import { type Counts, hasMore, lowered } from './new-work-counts.ts'
import { WAITING_WORK, waitingQuery, type WorkName } from './waiting-work.ts'

/** What people write or send by themselves; the rest comes by the calendar. */
const NAMED: readonly WorkName[] = ['consultations', 'applications', 'sent-back', 'reissues']

/** Whether more waits than when the person looked last, also while the tab is behind others. */
export function useNewWork(role: Role, isLooking: boolean): boolean {
  const names = WAITING_WORK.filter(({ name, who }) => NAMED.includes(name) && who.includes(role)).map(
    ({ name }) => name,
  )
  const queries = useQueries({
    queries: names.map((name) => ({ ...waitingQuery(name), refetchIntervalInBackground: true })),
  })
  const now: Counts = Object.fromEntries(
    names.flatMap((name, index) => {
      const count = queries[index]?.data?.count
      return count === undefined ? [] : [[name, count]]
    }),
  )
  const text = JSON.stringify(now)
  const [known, setKnown] = useState<Counts>({})
  useEffect(() => {
    const counts = JSON.parse(text) as Counts
    setKnown((before) => (isLooking ? counts : lowered(before, counts)))
  }, [text, isLooking])
  return !isLooking && hasMore(known, now)
}
