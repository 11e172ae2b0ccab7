import type { CompletedCall } from '../metrics.ts'
import { inSpan, traceHeaders } from '../tracing.ts'

/** The response of an external company, read within limits. `body` is undefined when it was not JSON. */
export type OutboundResponse = { status: number; body: unknown }

type OutboundCall = {
  /** Name of the company in metrics and traces. */
  company: string
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON, or form-encoded when it is URLSearchParams. */
  body?: unknown
  timeout_ms: number
  /** Aborts the call early. */
  signal?: AbortSignal
}

const RESPONSE_BYTES_MAX = 64 * 1024

const listeners = new Set<(call: CompletedCall) => void>()

/** Reports every finished call to a listener. The returned function removes it. */
export function onCallDone(listener: (call: CompletedCall) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Calls an external company with a timeout and a limit on the response size; does not follow redirects. Throws when
 * there is no response.
 */
export async function callJson({ company, ...call }: OutboundCall): Promise<OutboundResponse> {
  const startedAt = performance.now()
  const report = (outcome: string) => {
    for (const listener of listeners) listener({ company, outcome, duration_ms: performance.now() - startedAt })
  }
  try {
    const response = await sendInSpan(company, call)
    report(`${Math.trunc(response.status / 100)}xx`)
    return response
  } catch (error) {
    report((error as Error).name === 'TimeoutError' ? 'timeout' : 'no_response')
    throw error
  }
}

type Call = Omit<OutboundCall, 'company'>

const sendInSpan = (company: string, call: Call): Promise<OutboundResponse> => {
  const attributes = { 'http.request.method': call.method }
  return inSpan({ name: `${call.method} ${company}`, kind: 'client', attributes }, async (span) => {
    const response = await send(call)
    span?.set({ 'http.response.status_code': response.status })
    return response
  })
}

async function send({ method, url, headers = {}, body, timeout_ms, signal }: Call): Promise<OutboundResponse> {
  const isFormEncoded = body instanceof URLSearchParams
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...traceHeaders(),
      ...(body !== undefined && !isFormEncoded && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isFormEncoded ? body : JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(timeout_ms), ...(signal ? [signal] : [])]),
  })
  return { status: response.status, body: parse(await readBounded(response)) }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > RESPONSE_BYTES_MAX) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
