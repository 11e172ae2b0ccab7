import type { ConsultationId, Message, UserId } from '@banyan/client'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { banyan } from './banyan.ts'

export type ConsultationRef = { userId: UserId; id: ConsultationId }

/** The messages that are shown first, and that each step back adds; the most that the service gives at once. */
export const THREAD_PAGE = 100

const NEWS_MS = 4_000
const NEWS = ['consultation.message_created', 'consultation.status_changed'] as const

export const consultationQuery = ({ userId, id }: ConsultationRef) =>
  queryOptions({
    queryKey: ['consultation', id],
    queryFn: ({ signal }) => banyan.user(userId).consultations.read(id, { signal }),
  })

export type Thread = { messages: readonly Message[]; earlier: number }

/** The newest messages, oldest first. Each reading stands in the person’s access log, so nothing is read again unasked. */
export const threadQuery = (at: ConsultationRef, { shown, purpose }: { shown: number; purpose?: string | undefined }) =>
  queryOptions({
    queryKey: ['consultation', at.id, 'thread', shown],
    queryFn: async ({ signal }): Promise<Thread> => {
      const { consultations } = banyan.user(at.userId)
      const read = async (offset: number) =>
        consultations.listMessages(at.id, { offset, limit: THREAD_PAGE }, { signal, purpose })
      const { total, data } = await read(0)
      if (total <= THREAD_PAGE) return { messages: data.messages, earlier: 0 }
      const earlier = Math.max(0, total - shown)
      const messages: Message[] = []
      for (let offset = earlier; offset < total; offset += THREAD_PAGE)
        messages.push(...(await read(offset)).data.messages)
      return { messages, earlier }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  })

/**
 * Asks for news by the events, which show nothing of the person, and has the thread read again when there are some.
 * True when it has begun, so that no message falls between the first reading and the first question.
 */
export function useNews({ id }: ConsultationRef): boolean {
  const queries = useQueryClient()
  const after = useRef<string | undefined>('latest')
  const { isFetched } = useQuery({
    queryKey: ['news', id],
    queryFn: async ({ signal }) => {
      const { data, next } = await banyan.events.list({ subject: id, type: NEWS, after: after.current }, { signal })
      after.current = next ?? undefined // none has happened yet
      if (data.length > 0) await queries.invalidateQueries({ queryKey: ['consultation', id] })
      return data.length
    },
    refetchInterval: NEWS_MS,
    gcTime: 0,
  })
  return isFetched
}

export const writeMessage = ({ userId, id }: ConsultationRef, content: string) =>
  banyan.user(userId).consultations.createMessage(id, { body: { content, message_type: 'TEXT' } })

export const closeConsultation = ({ userId, id }: ConsultationRef, options: { signal: AbortSignal }) =>
  banyan.user(userId).consultations.setStatus(id, { status: 'CLOSED' }, options)
