import type { CompletedCall } from '../metrics.ts'
import { inSpan, traceHeaders } from '../tracing.ts'
import { readBounded } from './read-bounded.ts'

/** `company` is its name in metrics and traces. */
type Call = {
  company: string
  method: string
  /** The address is a fixed one of the company: a 404 means that its base URL is wrong. */
  isFixed?: boolean | undefined
}

/**
 * A response that says as little as none: not what was agreed, a redirect, or that our key is wrong. A company that is
 * down behind a gateway or a login page responds like this.
 */
export class IndefiniteResponse extends Error {}

/** A response about another record than the one that was asked for. */
export class MistakenResponse extends IndefiniteResponse {}

const listeners = new Set<(call: CompletedCall) => void>()

/** Reports every finished call to a listener. The returned function removes it. */
export function onCallDone(listener: (call: CompletedCall) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Sends one request to an external company, measured and in a span. Throws what `send` throws, without a response. */
export async function measuredCall<Response extends { status: number }>(
  { company, method, isFixed = false }: Call,
  send: () => Promise<Response>,
): Promise<Response> {
  const startedAt = performance.now()
  const report = (outcome: string) => {
    for (const listener of listeners) listener({ company, outcome, duration_ms: performance.now() - startedAt })
  }
  const notes = { name: `${method} ${company}`, kind: 'client', attributes: { 'http.request.method': method } } as const
  try {
    const response = await inSpan(notes, async (span) => {
      const response = await send()
      span?.set({ 'http.response.status_code': response.status })
      return response
    })
    report(isFixed && response.status === 404 ? 'wrong_address' : `${Math.trunc(response.status / 100)}xx`)
    return response
  } catch (error) {
    const isTimeout = /^(Timeout|Abort)Error$/.test((error as Error).name) // a deadline over several tries aborts
    report(error instanceof IndefiniteResponse ? 'invalid' : isTimeout ? 'timeout' : 'no_response')
    throw error
  }
}

type FetchOptions = {
  method: string
  headers: Record<string, string>
  body: RequestInit['body'] | undefined
  redirect: 'manual'
  signal?: AbortSignal
}

/** Returns a `fetch` for a library, whose responses are read within a limit. */
export const measuredFetch =
  (company: string, bytesMax: number) =>
  (url: string, { body = null, headers, ...options }: FetchOptions): Promise<Response> =>
    measuredCall({ company, method: options.method }, async () => {
      const response = await fetch(url, { ...options, body, headers: { ...headers, ...traceHeaders() } })
      const text = await readBounded(response, bytesMax)
      return new Response(text === '' ? null : text, response)
    })
