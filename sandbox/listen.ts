import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../kernel/clock.ts'
import { signWebhook } from '../kernel/crypto/sign-webhook.ts'
import { callJson, type OutboundResponse } from '../kernel/outbound/call-json.ts'

const TIMEOUT_MS = 15_000
const POLL_MS = 1_000
const BACKOFF_MS_MAX = 30_000
/** Responses are read up to 64 KiB, and an event about fifty dependants has more than one. */
const PAGE_SIZE = 20

/** An error shown without a stack; retrying would not help. */
export class ListenError extends Error {
  readonly code = 'LISTEN'
}

type Event = { id: string; type: string }
type EventsPage = { data: Event[]; next: string | null; has_more: boolean }
type Problem = { code?: string; detail?: string; errors?: { pointer: string; code: string; detail: string }[] }

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
      const { data, hasMore } = await log.read()
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

  async function request(): Promise<OutboundResponse> {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(after !== undefined && { after }) })
    for (const type of types) query.append('type', type)
    const hadToken = token !== undefined
    token ??= await getToken()
    const headers = { authorization: `Bearer ${token}` }
    const response = await callJson({
      company: 'api',
      method: 'GET',
      url: `${url}/v1/events?${query.toString()}`,
      headers,
      timeout_ms: TIMEOUT_MS,
      signal,
    })
    if (response.status !== 401) return response
    token = undefined
    if (hadToken) return request()
    throw new ListenError(`The credentials were rejected: ${wordsOf(response)}`)
  }

  return {
    after: () => (after === 'latest' ? undefined : after),
    async read(): Promise<{ data: Event[]; hasMore: boolean }> {
      const response = await request()
      if (response.status === 200) {
        const { data, next, has_more: hasMore } = response.body as EventsPage
        after = next ?? undefined
        return { data, hasMore }
      }
      if (isTemporary(response)) throw new Error(`it returns ${response.status}`)
      if (!isExpired(response)) throw new ListenError(wordsOf(response))
      report('The last event seen has expired; starting again with the oldest.')
      after = undefined
      return { data: [], hasMore: true }
    },
  }
}

const isTemporary = ({ status, body }: OutboundResponse) =>
  status >= 500 || status === 429 || status === 408 || !isObject(body)

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null

const isExpired = ({ body }: OutboundResponse) =>
  (body as Problem).errors?.some(({ code }) => code === 'expired') ?? false

function wordsOf({ status, body }: OutboundResponse): string {
  const { detail = `the response is ${status}`, errors = [] } = (isObject(body) ? body : {}) as Problem
  return errors.length === 0 ? detail : errors.map((error) => `${error.pointer}: ${error.detail}`).join(' ')
}

async function show({ forward, print, report, signal }: ListenSettings, event: Event): Promise<void> {
  print(JSON.stringify(event))
  if (!forward) return
  const headers = signWebhook([forward.secret], { id: event.id, at: systemClock.now(), body: JSON.stringify(event) })
  const call = { url: forward.url, headers, body: event, timeout_ms: TIMEOUT_MS, signal }
  const outcome = await callJson({ company: 'receiver', method: 'POST', ...call }).then(
    ({ status }) => String(status),
    (error: unknown) => reasonOf(error),
  )
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

/** Returns the reason of a `fetch` error, which is in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message
}

type Exchange = { url: string; basicToken: string; signal: AbortSignal }

/** Exchanges a `basic_token` for an access token. Throws `ListenError` when it is rejected. */
export async function exchangeBasicToken({ url, basicToken, signal }: Exchange): Promise<string> {
  const response = await callJson({
    company: 'api',
    method: 'POST',
    url: `${url}/v1/oauth/token`,
    headers: { authorization: `Basic ${basicToken}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    timeout_ms: TIMEOUT_MS,
    signal,
  })
  if (response.status === 200) return (response.body as { access_token: string }).access_token
  if (isTemporary(response)) throw new Error(`it returns ${response.status}`)
  throw new ListenError(`The basic token was rejected: ${wordsOf(response)}`)
}
