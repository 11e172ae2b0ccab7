import {
  ConnectionError,
  errorOf,
  RateLimitError,
  RedirectError,
  type ResponseError,
  UnavailableError,
} from './errors.ts'
import type { Operation } from './operation.ts'
import type { PreparedRequest } from './request.ts'
import { resultOf } from './response.ts'
import { abortable } from './waiting.ts'

const SECOND_MS = 1_000
const NOT_MODIFIED = 304
/** Nothing was done, or nobody knows: the same request may get another response. */
const PASSING_STATUSES = [429, 502, 503, 504]

/** What came of sending a request once. */
export type Outcome = {
  response?: Response
  result?: unknown
  error?: ResponseError | ConnectionError | RedirectError
  /** The same request may succeed later, after `retryAfterMs` at least. */
  isPassing?: boolean
  retryAfterMs?: number | undefined
}

type Sending = {
  fetch: typeof fetch
  headers: Record<string, string>
  timeoutMs: number
  signal: AbortSignal | undefined
}

/** Sends the request once. Throws only what the caller did: an aborted signal. */
export async function attempt(operation: Operation, request: PreparedRequest, sending: Sending): Promise<Outcome> {
  const { signal, timeoutMs, fetch } = sending // in a page `fetch` is no method of anything else
  const init = {
    method: operation.method,
    headers: sending.headers,
    body: request.body as NonNullable<RequestInit['body']>,
  }
  // The body is read within the attempt: a response that breaks off is a lost one.
  const run = async (inTime: AbortSignal): Promise<Outcome> => {
    // A redirect that is followed takes the body and the credentials along.
    const response = await fetch(request.url, { ...init, redirect: 'manual', signal: inTime })
    if (isElsewhere(operation, response)) return await redirectOutcome(request, response)
    if (response.status < 400) return { response, result: await resultOf(operation, response) }
    return errorOutcome(response, await response.text())
  }
  try {
    return await abortable(run, { signal, timeoutMs, keepsSignal: operation.returns === 'pdf' })
  } catch (cause) {
    signal?.throwIfAborted()
    return { error: new ConnectionError('No response came', { cause }), isPassing: true }
  }
}

/** A page gets no status of a redirect, only that there was one. */
const isElsewhere = ({ returns }: Operation, { status, type }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== NOT_MODIFIED && returns !== 'redirect')

async function redirectOutcome({ url }: PreparedRequest, response: Response): Promise<Outcome> {
  await response.body?.cancel()
  return { response, error: new RedirectError({ location: response.headers.get('location'), url }) }
}

function errorOutcome(response: Response, text: string): Outcome {
  const { status, headers } = response
  const error = errorOf(response, text)
  const retryAfterMs = durationIn(headers.get('retry-after'))
  if (error instanceof RateLimitError || error instanceof UnavailableError) error.retryAfterMs = retryAfterMs
  // The first attempt was lost on its way back, and is still running.
  const isPassing = PASSING_STATUSES.includes(status) || error.code === 'idempotency_in_progress'
  return { response, error, isPassing, retryAfterMs }
}

/** `Retry-After` is seconds, or a date that a proxy writes. */
function durationIn(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
