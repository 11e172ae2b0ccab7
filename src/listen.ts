import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from './kernel/clock.ts'
import { signWebhook } from './kernel/crypto/sign-webhook.ts'
import { callJson, type OutboundResponse } from './kernel/outbound/call-json.ts'

const TIMEOUT_MS = 15_000
const POLL_MS = 1_000
const PAUSE_MS_MAX = 30_000
/** Answers are read up to 64 KiB, and an event about fifty dependants has more than one. */
const EVENTS_AT_ONCE = 20

/** Said to whoever listens, without a stack: trying again would not help. */
export class ListenError extends Error {
  readonly code = 'LISTEN'
}

type Event = { id: string; type: string }
type EventsPage = { data: Event[]; next: string | null; has_more: boolean }
type Problem = { code?: string; detail?: string; errors?: { pointer: string; code: string; detail: string }[] }

export type ListenSettings = {
  /** Where the API is, without a path. */
  url: string
  /** Gets an access token; asked again when the last one is not valid any more. */
  getToken: () => Promise<string>
  types: readonly string[]
  /** The id of an event, or undefined: from now on. */
  after: string | undefined
  forward: { url: string; secret: string } | undefined
  /** Takes each event, as a line of JSON. */
  print: (line: string) => void
  /** Takes what is said about it. */
  tell: (sentence: string) => void
  signal: AbortSignal
  poll_ms?: number
}

/**
 * Shows events as they happen, and forwards each, until `signal` ends it. What comes and goes is tried again; throws
 * `ListenError` for what stays, such as a token that is refused.
 */
export async function listen(settings: ListenSettings): Promise<void> {
  const { signal, tell, poll_ms = POLL_MS } = settings
  const pauses = openPauses(settings, poll_ms)
  const log = openLog(settings)
  while (!signal.aborted) {
    try {
      const { data, hasMore } = await log.read()
      pauses.reset()
      for (const event of data) if (!signal.aborted) await show(settings, event)
      if (hasMore) continue
      await sleep(poll_ms, undefined, { signal })
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof ListenError) throw error
      await pauses.wait(error)
    }
  }
  if (log.after() !== undefined) tell(`Resume with --after ${log.after()}`)
}

/** The log of events as it is read: where we are in it, and with which token. */
function openLog({ url, getToken, types, after: from = 'latest', signal, tell }: ListenSettings) {
  let after: string | undefined = from
  let token: string | undefined

  async function ask(): Promise<OutboundResponse> {
    const query = new URLSearchParams({ limit: String(EVENTS_AT_ONCE), ...(after !== undefined && { after }) })
    for (const type of types) query.append('type', type)
    const wasHeld = token !== undefined
    token ??= await getToken()
    const headers = { authorization: `Bearer ${token}` }
    const answer = await callJson({
      method: 'GET',
      url: `${url}/v1/events?${query.toString()}`,
      headers,
      timeout_ms: TIMEOUT_MS,
      signal,
    })
    if (answer.status !== 401) return answer
    token = undefined
    if (wasHeld) return ask()
    throw new ListenError(`The credentials were rejected: ${wordsOf(answer)}`)
  }

  return {
    after: () => (after === 'latest' ? undefined : after),
    async read(): Promise<{ data: Event[]; hasMore: boolean }> {
      const answer = await ask()
      if (answer.status === 200) {
        const { data, next, has_more: hasMore } = answer.body as EventsPage
        after = next ?? undefined
        return { data, hasMore }
      }
      if (isPassing(answer)) throw new Error(`it returns ${answer.status}`)
      if (!isExpired(answer)) throw new ListenError(wordsOf(answer))
      tell('The last event seen has expired; starting again with the oldest.')
      after = undefined
      return { data: [], hasMore: true }
    },
  }
}

const isPassing = ({ status, body }: OutboundResponse) =>
  status >= 500 || status === 429 || status === 408 || !isObject(body)

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null

const isExpired = ({ body }: OutboundResponse) =>
  (body as Problem).errors?.some(({ code }) => code === 'expired') ?? false

function wordsOf({ status, body }: OutboundResponse): string {
  const { detail = `the response is ${status}`, errors = [] } = (isObject(body) ? body : {}) as Problem
  return errors.length === 0 ? detail : errors.map((error) => `${error.pointer}: ${error.detail}`).join(' ')
}

async function show({ forward, print, tell, signal }: ListenSettings, event: Event): Promise<void> {
  print(JSON.stringify(event))
  if (!forward) return
  const headers = signWebhook([forward.secret], { id: event.id, at: systemClock.now(), body: JSON.stringify(event) })
  const call = { method: 'POST' as const, url: forward.url, headers, body: event, timeout_ms: TIMEOUT_MS, signal }
  const outcome = await callJson(call).then(
    ({ status }) => String(status),
    (error: unknown) => reasonOf(error),
  )
  if (!signal.aborted) tell(`${event.type} ${event.id} forwarded: ${outcome}`)
}

/** The pauses of an outage: longer each time, told at its beginning and its end. */
function openPauses({ url, tell, signal }: ListenSettings, first_ms: number) {
  let pause_ms = 0
  return {
    reset(): void {
      if (pause_ms > 0) tell(`${url} is reachable again.`)
      pause_ms = 0
    },
    async wait(error: unknown): Promise<void> {
      if (pause_ms === 0) tell(`No events from ${url} (${reasonOf(error)}); retrying.`)
      pause_ms = Math.min(Math.max(first_ms, pause_ms * 2), PAUSE_MS_MAX)
      await sleep(pause_ms, undefined, { signal }).catch(() => {})
    },
  }
}

/** What `fetch` says is behind it in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message
}

type Exchange = { url: string; basicToken: string; signal: AbortSignal }

/** Exchanges a `basic_token` for an access token. Throws `ListenError` when it is refused. */
export async function exchangeBasicToken({ url, basicToken, signal }: Exchange): Promise<string> {
  const answer = await callJson({
    method: 'POST',
    url: `${url}/v1/oauth/token`,
    headers: { authorization: `Basic ${basicToken}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    timeout_ms: TIMEOUT_MS,
    signal,
  })
  if (answer.status === 200) return (answer.body as { access_token: string }).access_token
  if (isPassing(answer)) throw new Error(`it returns ${answer.status}`)
  throw new ListenError(`The basic token was rejected: ${wordsOf(answer)}`)
}
