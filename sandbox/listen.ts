import { setTimeout as sleep } from 'node:timers/promises'
import { AuthenticationError, Banyan, type Event, ResponseError } from '../client/src/index.ts'
import { Connection, exchangeCredential, listEvents, type ListEventsQuery } from '../client/src/operations.ts'

const TIMEOUT_MS = 15_000
const POLL_MS = 1_000
const BACKOFF_MS_MAX = 30_000
const PAGE_SIZE = 20

/** The listener reports an outage, so it retries itself. */
const ONCE = { timeout: TIMEOUT_MS, attemptTimeout: TIMEOUT_MS, maxRetries: 0 }
/** Events are shown as they are sent. */
const LIST_AS_SENT = { ...listEvents, returns: 'json' } as const

/** An error shown without a stack; retrying would not help. */
export class ListenError extends Error {
  readonly code = 'LISTEN'
}

export type ListenSettings = {
  /** The URL of the API, without a path. */
  url: string
  /** Gets an access token; called again when the last one is no longer valid. */
  getToken: () => Promise<string>
  types: readonly string[]
  /** The id of the event to start after; undefined: from now on. */
  after: string | undefined
  forward: { url: string; secret: string } | undefined
  /** Receives each event as a line of JSON. */
  print: (line: string) => void
  /** Receives progress messages. */
  report: (sentence: string) => void
  signal: AbortSignal
  poll_ms?: number
}

/**
 * Shows events as they happen, and forwards each, until `signal` is aborted. Retries temporary errors; throws
 * `ListenError` for permanent ones, such as a rejected token.
 */
export async function listen(settings: ListenSettings): Promise<void> {
  const { signal, report, poll_ms = POLL_MS } = settings
  const backoff = createBackoff(settings, poll_ms)
  const log = createLog(settings)
  while (!signal.aborted) {
    try {
      const { data, has_more: hasMore } = await log.read()
      backoff.reset()
      for (const event of data) if (!signal.aborted) await show(settings, event)
      if (hasMore) continue
      await sleep(poll_ms, undefined, { signal })
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof ListenError) throw error
      await backoff.wait(error)
    }
  }
  if (log.after() !== undefined) report(`Resume with --after ${log.after()}`)
}

/** The state of reading the event log: its position and token. */
function createLog({ url, getToken, types, after: from = 'latest', signal, report }: ListenSettings) {
  let after: string | undefined = from
  let token: string | undefined
  const accessToken = async (refused?: string) =>
    (token = token === undefined || token === refused ? await getToken() : token)
  const connection = new Connection({ ...ONCE, baseUrl: url, accessToken })
  const type = types as ListEventsQuery['type']

  return {
    after: () => (after === 'latest' ? undefined : after),
    async read(): Promise<{ data: readonly Event[]; has_more: boolean }> {
      try {
        const page = await connection.call(LIST_AS_SENT, { query: { type, after, limit: PAGE_SIZE } }, { signal })
        after = page.next ?? undefined
        return page
      } catch (error) {
        if (!isExpired(error))
          throw permanent(error, error instanceof AuthenticationError ? 'The credentials were rejected: ' : '')
        report('The last event seen has expired; starting again with the oldest.')
        after = undefined
        return { data: [], has_more: true }
      }
    },
  }
}

const isExpired = (error: unknown) =>
  error instanceof ResponseError && error.problem.errors?.some(({ code }) => code === 'expired')

/** Returns the `ListenError` for a response that stays the same, any other error as it is. */
export function permanent(error: unknown, prefix: string): unknown {
  if (!(error instanceof ResponseError) || isTemporary(error)) return error
  const { detail = `the response is ${error.status}`, errors = [] } = error.problem
  const words = errors.length === 0 ? detail : errors.map((one) => `${one.pointer}: ${one.detail}`).join(' ')
  return new ListenError(prefix + words)
}

/** A response without members is one of a proxy. */
const isTemporary = ({ status, problem }: ResponseError) =>
  status >= 500 || status === 429 || status === 408 || Object.keys(problem).length === 0

async function show({ forward, print, report, signal }: ListenSettings, event: Event): Promise<void> {
  print(JSON.stringify(event))
  if (!forward) return
  const signed = await Banyan.webhooks.sign(event, forward.secret)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const outcome = await fetch(forward.url, { ...signed, method: 'POST', redirect: 'manual', signal: inTime })
    .then(async ({ status, body }) => {
      await body?.cancel()
      return String(status)
    })
    .catch(reasonOf)
  if (!signal.aborted) report(`${event.type} ${event.id} forwarded: ${outcome}`)
}

/** The backoff during an outage: reports its beginning and its end. */
function createBackoff({ url, report, signal }: ListenSettings, first_ms: number) {
  let delay_ms = 0
  return {
    reset(): void {
      if (delay_ms > 0) report(`${url} is reachable again.`)
      delay_ms = 0
    },
    async wait(error: unknown): Promise<void> {
      if (delay_ms === 0) report(`No events from ${url} (${reasonOf(error)}); retrying.`)
      delay_ms = Math.min(Math.max(first_ms, delay_ms * 2), BACKOFF_MS_MAX)
      await sleep(delay_ms, undefined, { signal }).catch(() => {})
    },
  }
}

/** Returns the reason of an error, which is in the last of its causes. */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseError) return `it returns ${error.status}`
  const { message, cause, code } = error as NodeJS.ErrnoException
  if (cause instanceof Error) return reasonOf(cause)
  return typeof code === 'string' ? code : message
}

type Exchange = { url: string; basicToken: string; signal: AbortSignal }

/** Exchanges a `basic_token` for an access token. Throws `ListenError` when it is rejected. */
export async function exchangeBasicToken({ url, basicToken, signal }: Exchange): Promise<string> {
  const connection = new Connection({ ...ONCE, baseUrl: url, basicToken })
  try {
    const body = { grant_type: 'client_credentials' } as const
    return (await connection.call(exchangeCredential, { body }, { signal })).access_token
  } catch (error) {
    throw permanent(error, 'The basic token was rejected: ')
  }
}
