import { attempt, type Outcome } from './attempt.ts'
import { authorize, sourceOf } from './authorization.ts'
import { ConnectionError, TimeoutError } from './errors.ts'
import { exchangeCredential } from './generated/operations.ts'
import { list, type List } from './list.ts'
import type { CallShape, Operation } from './operation.ts'
import { type CallOptions, type PreparedRequest, prepare } from './request.ts'
import type { Credentials, RequestReport, ResponseReport, Settings, TokenSource } from './settings.ts'
import { TokenCache } from './token-cache.ts'
import { userAgent } from './user-agent.ts'
import { abortable, pause } from './waiting.ts'

const BASE_URL = 'http://localhost:8080'
const TIMEOUT_MS = 60_000
const ATTEMPT_TIMEOUT_MS = 20_000
const MAX_RETRIES = 4
const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 8_000
const SECOND_MS = 1_000

/** Sends the operations of the API: credentials, attempts, deadlines. Its secrets are in no property that is printed. */
export class Connection {
  readonly #settings: Settings
  readonly #at: { baseUrl: string; walletBaseUrl: string }
  readonly #bearer: TokenSource | undefined
  readonly #wallet: TokenSource | undefined

  constructor(settings: Settings) {
    const { baseUrl = BASE_URL, walletBaseUrl, basicToken, accessToken, walletToken } = settings
    if (basicToken !== undefined && 'document' in globalThis)
      throw new TypeError('A basicToken is a secret of your server: give a page the access token of its user')
    const origin = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')
    this.#settings = settings
    this.#at = { baseUrl: origin, walletBaseUrl: walletBaseUrl?.replace(/\/+$/, '') ?? `${origin}/wallet/v1` }
    this.#bearer = sourceOf(accessToken) ?? (basicToken === undefined ? undefined : this.#exchanged())
    this.#wallet = sourceOf(walletToken)
  }

  /** The same service for another caller. */
  with(credentials: Credentials): Connection {
    const none: Credentials = { basicToken: undefined, accessToken: undefined, walletToken: undefined }
    return new Connection({ ...this.#settings, ...none, session: undefined, adminApiKey: undefined, ...credentials })
  }

  /** Reads a list: its first page when awaited, all entries when iterated. */
  list<Call extends CallShape, Result, Item>(
    operation: Operation<Call, Result, Item>,
    call: Call,
    options?: CallOptions,
  ): List<Item, Result> {
    return list(operation, call, (page) => this.call(operation, page, options))
  }

  /** Calls an operation, as often as it takes and as it may be. */
  async call<Call extends CallShape, Result>(
    operation: Operation<Call, Result>,
    call: Call,
    options: CallOptions = {},
  ): Promise<Result> {
    const { maxRetries = MAX_RETRIES } = this.#settings
    const { timeout = this.#settings.timeout ?? TIMEOUT_MS, signal } = options
    const request = prepare(operation, this.#isByCookie(operation) ? withBody(call) : call, options, this.#at)
    const deadline = Date.now() + timeout
    // A write that was sent without a key is not sent again: the service might do it twice.
    const mayRepeat = operation.method === 'GET' || operation.keyed === true || operation.repeatable === true
    let refused: string | undefined
    for (let count = 1; ; count++) {
      const report = { operation: operation.id, method: operation.method, path: operation.path, attempt: count }
      const begun = Date.now()
      const { outcome, token } = await this.#attempt(operation, request, { deadline, signal, report, refused })
      const { error, isPassing, retryAfterMs } = outcome
      if (error === undefined) {
        this.#report(report, begun, outcome)
        return outcome.result as Result
      }
      const isRefused = outcome.response?.status === 401 && token !== undefined && refused === undefined
      const waitMs = isRefused ? 0 : backoff(count) + (retryAfterMs ?? 0)
      const isEnough = !isRefused && !(isPassing && mayRepeat && count <= maxRetries)
      const isLate = Date.now() + waitMs >= deadline
      this.#report(report, begun, outcome, isEnough || isLate ? undefined : waitMs)
      if (isEnough || isLate) {
        const isOutOfTime = isLate && !isEnough && error instanceof ConnectionError
        const last = isOutOfTime ? new TimeoutError('The call took longer than its timeout', { cause: error }) : error
        last.idempotencyKey = request.headers['idempotency-key']
        throw last
      }
      if (isRefused) refused = token
      await pause(waitMs, signal)
    }
  }

  /** A write that its browser authenticates, which the service accepts as JSON only: other sites cannot send that. */
  #isByCookie({ auth = 'bearer', method, sends }: Operation): boolean {
    const isOfSession = auth === 'session' || (auth === 'bearer' && this.#settings.session === true)
    return isOfSession && sends === undefined && ['POST', 'PUT', 'PATCH'].includes(method)
  }

  /** `refused`: the token of the former attempt, if that was a 401. */
  async #attempt(operation: Operation, request: PreparedRequest, context: AttemptContext) {
    const { deadline, signal, report, refused } = context
    const { attemptTimeout = ATTEMPT_TIMEOUT_MS, fetch = globalThis.fetch } = this.#settings
    const sources = { credentials: this.#settings, bearer: this.#bearer, wallet: this.#wallet }
    const { headers, token } = await abortable(() => authorize(operation, sources, { body: request.body, refused }), {
      signal,
    })
    const timeoutMs = Math.min(attemptTimeout, deadline - Date.now())
    if (timeoutMs <= 0) throw new TimeoutError('The call took longer than its timeout')
    const own = { ...userAgent(this.#settings.userAgent), ...this.#hook(() => this.#settings.onRequest?.(report)) }
    const sent = { ...own, ...request.headers, ...headers }
    return { token, outcome: await attempt(operation, request, { fetch, headers: sent, timeoutMs, signal }) }
  }

  #report(report: RequestReport, begun: number, { response, error }: Outcome, retryInMs?: number): void {
    const { onResponse } = this.#settings
    if (onResponse === undefined) return
    const seen: ResponseReport = {
      ...report,
      status: response?.status,
      requestId: response?.headers.get('x-request-id') ?? undefined,
      durationMs: Date.now() - begun,
      error: error?.code,
      retryInMs,
    }
    this.#hook(() => onResponse(seen))
  }

  #hook<T>(hook: () => T): T | undefined {
    try {
      return hook()
    } catch {
      return undefined // A log that fails must not fail a call that has been made.
    }
  }

  #exchanged(): TokenSource {
    const tokens = new TokenCache(async () => {
      const { access_token: token, expires_in } = await this.call(exchangeCredential, {
        body: { grant_type: 'client_credentials' },
      })
      return { token, lifetimeMs: expires_in * SECOND_MS }
    })
    return (refused) => tokens.get(refused)
  }
}

type AttemptContext = {
  deadline: number
  signal: AbortSignal | undefined
  report: RequestReport
  refused: string | undefined
}

const withBody = (call: CallShape): CallShape => ({ ...call, body: call.body ?? {} })

/** Twice as long each time, and never together with others that failed at the same moment. */
const backoff = (count: number): number =>
  Math.min(BACKOFF_MS * 2 ** (count - 1), BACKOFF_MS_MAX) * (0.5 + Math.random() / 2)
