import type { Event } from '@banyan/client'
import { useEffect, useState } from 'react'
import { type EventFilter, followEvents } from '../../api/events.ts'

/** So many are shown; what is older is in the list that goes back in time. */
const SHOWN_MAX = 200

type Live = { events: readonly Event[]; isFollowing: boolean; error: Error | null }

/** The events since the screen was opened, newest first. */
export function useLive({ type, subject }: EventFilter): Live {
  const [events, setEvents] = useState<readonly Event[]>([])
  const [isFollowing, setFollowing] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const types = type?.join()
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    setEvents([])
    setFollowing(false)
    setError(null)
    const started = () => setFollowing(true)
    const report = (event: Event) => setEvents((before) => [event, ...before].slice(0, SHOWN_MAX))
    const filter: EventFilter = {
      subject,
      ...(types && { type: types.split(',') as NonNullable<EventFilter['type']> }),
    }
    followEvents(filter, { signal, started, report }).catch((problem: Error) => signal.aborted || setError(problem))
    return () => ending.abort()
  }, [types, subject])
  return { events, isFollowing, error }
}
