import { attempt, type Outcome } from './attempt.ts'
import { authorize, sourceOf } from './authorization.ts'
import { type BanyanError, ConnectionError, TimeoutError } from './errors.ts'
import { exchangeCredential, refreshWalletToken } from './generated/operations.ts'
import { list, type List } from './list.ts'
import type { CallShape, DocumentStream, Operation } from './operation.ts'
import { type CallOptions, type PreparedRequest, prepare } from './request.ts'
import type { Credentials, RequestReport, ResponseReport, Settings, TokenSource } from './settings.ts'
import { isPage, userAgent } from './runtime.ts'
import { TokenCache, tokenIn } from './token-cache.ts'
import { Limit, OUT_OF_TIME, sleep } from './waiting.ts'

const BASE_URL = 'http://localhost:8080'
const TIMEOUT_MS = 60_000
const ATTEMPT_TIMEOUT_MS = 20_000
const MAX_RETRIES = 4
const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 8_000
const SECOND_MS = 1_000
/**
 * A refresh token works once, and for ten seconds more, so that a refresh whose response was lost can be repeated: later,
 * a repetition ends the session. So every attempt has to begin within them.
 */
const REFRESH = { timeout: 9_000, attemptTimeout: 3_000 }

/** Sends the operations of the API: credentials, attempts, deadlines. Its secrets are in no property that is printed. */
export class Connection {
  readonly #settings: Settings
  readonly #at: { baseUrl: string; walletBaseUrl: string }
  readonly #bearer: TokenSource | undefined
  readonly #wallet: TokenSource | undefined

  constructor(settings: Settings) {
    const { baseUrl = BASE_URL, walletBaseUrl, basicToken, accessToken, walletToken } = settings
    if (basicToken !== undefined && isPage)
      throw new TypeError('A basicToken is a secret of your server: give a page the access token of its user')
    const origin = addressOf('baseUrl', baseUrl).replace(/\/v1$/, '')
    this.#settings = settings
    this.#at = {
      baseUrl: origin,
      walletBaseUrl: walletBaseUrl === undefined ? `${origin}/wallet/v1` : addressOf('walletBaseUrl', walletBaseUrl),
    }
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
    return list(operation, call, {
      page: (page) => this.call(operation, page, options),
      csv: (whole) =>
        this.call({ ...operation, returns: 'csv' } as Operation<CallShape, DocumentStream>, whole, options),
    })
  }

  /** Calls an operation, as often as it takes and as it may be. */
  async call<Call extends CallShape, Result>(
    operation: Operation<Call, Result>,
    call: Call,
    options: CallOptions = {},
  ): Promise<Result> {
    const { timeout, attemptTimeout } = this.#timesOf(operation, options)
    const request = prepare(operation, this.#isByCookie(operation) ? withBody(call) : call, options, this.#at)
    const limit = new Limit({ outer: options.signal, ms: timeout })
    try {
      return (await this.#repeat(operation, request, {
        limit,
        attemptTimeout,
        end: performance.now() + timeout,
      })) as Result
    } finally {
      if (!limit.isKept) limit.close()
    }
  }

  #timesOf({ id }: Operation, options: CallOptions) {
    const { timeout = this.#settings.timeout ?? TIMEOUT_MS } = options
    const { attemptTimeout = ATTEMPT_TIMEOUT_MS } = this.#settings
    if (id !== refreshWalletToken.id) return { timeout, attemptTimeout }
    return {
      timeout: Math.min(timeout, REFRESH.timeout),
      attemptTimeout: Math.min(attemptTimeout, REFRESH.attemptTimeout),
    }
  }

  async #repeat(operation: Operation, request: PreparedRequest, times: Times): Promise<unknown> {
    const { id, method, path } = operation
    const { maxRetries = MAX_RETRIES } = this.#settings
    // A write that was sent without a key is not sent again: the service might do it twice.
    const mayRepeat = method === 'GET' || operation.keyed === true || operation.repeatable === true
    let refused: string | undefined
    let cause: BanyanError | undefined
    for (let count = 1; ; count++) {
      const report = { operation: id, method, path, attempt: count }
      const begun = performance.now()
      const { outcome, token } = await this.#attempt(operation, request, { ...times, report, refused, cause })
      const { error, isPassing, retryAfterMs } = outcome
      if (error === undefined) {
        this.#report(report, begun, outcome)
        return outcome.result
      }
      const isRefused = outcome.response?.status === 401 && token !== undefined && refused === undefined
      const waitMs = isRefused ? 0 : backoff(count) + (retryAfterMs ?? 0)
      const isEnough = !isRefused && !(isPassing && mayRepeat && count <= maxRetries)
      const isLate = performance.now() + waitMs >= times.end
      this.#report(report, begun, outcome, isEnough || isLate ? undefined : waitMs)
      if (isEnough || isLate) {
        const isOutOfTime = isLate && !isEnough && error instanceof ConnectionError
        const last = isOutOfTime ? tooLong(error) : error
        last.idempotencyKey = request.headers['idempotency-key']
        throw last
      }
      if (isRefused) refused = token
      cause = error
      // When the call ends here, the next attempt says so.
      await times.limit.race(sleep(waitMs)).catch(() => {})
    }
  }

  /** A write that its browser authenticates, which the service accepts as JSON only: other sites cannot send that. */
  #isByCookie({ auth = 'bearer', method, sends }: Operation): boolean {
    const isOfSession = auth === 'session' || (auth === 'bearer' && this.#settings.session === true)
    return isOfSession && sends === undefined && ['POST', 'PUT', 'PATCH'].includes(method)
  }

  /** `refused`: the token of the former attempt, if that was a 401. */
  async #attempt(operation: Operation, request: PreparedRequest, context: AttemptContext): Promise<Attempted> {
    const { limit, attemptTimeout, report, refused, cause } = context
    const { fetch = globalThis.fetch } = this.#settings
    const sources = { credentials: this.#settings, bearer: this.#bearer, wallet: this.#wallet }
    try {
      const { headers, token } = await limit.race(() => authorize(operation, sources, { body: request.body, refused }))
      const own = { ...userAgent(this.#settings.userAgent), ...this.#hook(() => this.#settings.onRequest?.(report)) }
      const sent = sendable({ ...own, ...request.headers, ...headers })
      const outcome = await attempt(operation, request, { fetch, headers: sent, timeoutMs: attemptTimeout, limit })
      return { token, outcome }
    } catch (error) {
      if (error !== OUT_OF_TIME) throw error
      return { token: undefined, outcome: { error: tooLong(cause) } }
    }
  }

  #report(report: RequestReport, begun: number, { response, error }: Outcome, retryInMs?: number): void {
    const { onResponse } = this.#settings
    if (onResponse === undefined) return
    const seen: ResponseReport = {
      ...report,
      status: response?.status,
      requestId: response?.headers.get('x-request-id') ?? undefined,
      durationMs: Math.round(performance.now() - begun),
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
      const issued = await this.call(exchangeCredential, { body: { grant_type: 'client_credentials' } })
      return { token: tokenIn(issued), lifetimeMs: issued.expires_in * SECOND_MS }
    })
    return (refused) => tokens.get(refused)
  }
}

/** `end`: when the call is over, by the clock of `performance`, which nobody sets. */
type Times = { limit: Limit; attemptTimeout: number; end: number }
type AttemptContext = Times & { report: RequestReport; refused: string | undefined; cause: BanyanError | undefined }
type Attempted = { token: string | undefined; outcome: Outcome }

const tooLong = (cause: unknown) => new TimeoutError('The call took longer than its timeout', { cause })

function addressOf(setting: string, address: string): string {
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i.test(address))
    throw new TypeError(`${setting} is an address such as https://api.example.com, not '${address}'`)
  return address.replace(/\/+$/, '')
}

/** A header with another character would fail in `fetch`, and look like a lost connection. */
function sendable(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers))
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw new TypeError(`${name} has a character that no header can have`)
  return headers
}

const withBody = (call: CallShape): CallShape => ({ ...call, body: call.body ?? {} })

/** Twice as long each time, and never together with others that failed at the same moment. */
const backoff = (count: number): number =>
  Math.min(BACKOFF_MS * 2 ** (count - 1), BACKOFF_MS_MAX) * (0.5 + Math.random() / 2)
