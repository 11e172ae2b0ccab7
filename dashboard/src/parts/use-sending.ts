import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { whenOnline } from '../api/online.ts'
import { keepScreen } from '../api/session-end.ts'
import { notifyError } from './notices.tsx'

const CUT = 'It was on its way when you closed it, so it may be done all the same. This page shows what is stored now.'

/** Waits for the connection, or for the response. */
type SendingState = 'waiting' | 'sent'

/**
 * Sends what somebody has typed as soon as there is a connection. When its form is gone before, it is not sent; when it
 * was on its way, that is said.
 */
export function useSending() {
  const queries = useQueryClient()
  const [sending, setSending] = useState<SendingState>()
  const [error, setError] = useState<Error | null>(null)
  const ending = useRef<AbortController>(undefined)
  useEffect(() => () => ending.current?.abort(), [])
  const isSending = sending !== undefined
  useEffect(() => (isSending ? keepScreen() : undefined), [isSending])
  const start = (send: (signal: AbortSignal) => Promise<unknown>) => {
    const { signal } = (ending.current = new AbortController())
    const run = async () => {
      setSending('waiting')
      setError(null)
      await whenOnline(signal)
      setSending('sent')
      await send(signal).catch((problem: Error) => {
        if (!signal.aborted) return setError(problem)
        notifyError(new Error(CUT))
        return void queries.invalidateQueries()
      })
    }
    void run()
      .catch(() => {}) // dropped before it was sent
      .finally(() => setSending(undefined))
  }
  return { sending, error, start, setError }
}
