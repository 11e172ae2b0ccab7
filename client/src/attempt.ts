import {
  type BanyanError,
  ConnectionError,
  errorOf,
  RateLimitError,
  RedirectError,
  UnavailableError,
  UnreadableError,
} from './errors.ts'
import type { Operation } from './operation.ts'
import type { PreparedRequest } from './request.ts'
import { resultOf } from './response.ts'
import { type Limit, limited } from './waiting.ts'

const SECOND_MS = 1_000
const NOT_MODIFIED = 304
/** Nothing was done, or nobody knows: the same request may get another response. */
const PASSING_STATUSES = [429, 500, 502, 503, 504]

/** What came of sending a request once. */
export type Outcome = {
  response?: Response | undefined
  result?: unknown
  error?: BanyanError
  /** The same request may succeed later, after `retryAfterMs` at least. */
  isPassing?: boolean
  retryAfterMs?: number | undefined
}

type Sending = {
  fetch: typeof fetch
  headers: Record<string, string>
  timeoutMs: number
  /** Of the whole call, which goes on while a document is read. */
  limit: Limit
}

/** Sends the request once. Throws why the call is over, if it is. */
export async function attempt(operation: Operation, request: PreparedRequest, sending: Sending): Promise<Outcome> {
  const { limit, timeoutMs, fetch, headers } = sending // in a page `fetch` is no method of anything else
  const body = request.body as NonNullable<RequestInit['body']>
  let response: Response | undefined
  // The body is read within the attempt: a response that breaks off is a lost one.
  const run = async (signal: AbortSignal): Promise<Outcome> => {
    // A redirect that is followed takes the body and the credentials along.
    response = await fetch(request.url, { method: operation.method, headers, body, redirect: 'manual', signal })
    if (isElsewhere(operation, response)) return await redirectOutcome(request, response)
    if (response.status < 400) return { response, result: await resultOf(operation, response, limit) }
    return errorOutcome(response, await response.text())
  }
  try {
    return await limited({ outer: limit.signal, ms: timeoutMs }, run)
  } catch (cause) {
    limit.throwIfOver()
    if (cause instanceof UnreadableError) return { response, error: cause }
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
  const retryAfterMs = durationIn(headers.get('retry-after'), headers.get('date'))
  if (error instanceof RateLimitError || error instanceof UnavailableError) error.retryAfterMs = retryAfterMs
  // The first attempt was lost on its way back, and is still running.
  const isPassing = PASSING_STATUSES.includes(status) || error.code === 'idempotency_in_progress'
  return { response, error, isPassing, retryAfterMs }
}

/** `Retry-After` is seconds, or a date that a proxy writes. */
function durationIn(header: string | null, date: string | null): number | undefined {
  if (header === null) return undefined
  // By the clock that wrote it, where that is known.
  const ms = /^\d+$/.test(header)
    ? Number(header) * SECOND_MS
    : Date.parse(header) - (Date.parse(date ?? '') || Date.now())
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
