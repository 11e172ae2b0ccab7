import { UnreadableError } from './errors.ts'
import { responseOf } from './response.ts'

export type IssuedToken = { token: string; lifetimeMs: number }

/** A token is renewed when a fifth of its life is left: callers go on with it meanwhile. */
const RENEWED_AFTER = 0.8
/** It is no longer sent when it is about to expire: a request takes its time. */
const MARGIN_MS = 10_000
const SECOND_MS = 1_000

/** Keeps one access token: fetched once however many calls wait for it, and renewed ahead of its end. */
export class TokenCache {
  readonly #issue: () => Promise<IssuedToken>
  #current: { token: string; renewAt: number; endsAt: number } | undefined
  #flight: Promise<string> | undefined

  constructor(issue: () => Promise<IssuedToken>, first?: IssuedToken) {
    this.#issue = issue
    if (first) this.#keep(first)
  }

  /** Returns a valid token. `refused`: one that the service has just refused, so it is not returned again. */
  async get(refused?: string): Promise<string> {
    const { token, renewAt, endsAt } = this.#current ?? { token: undefined, renewAt: 0, endsAt: 0 }
    const now = Date.now()
    if (token === undefined || token === refused || now >= endsAt) return this.#renewed()
    // Its failure shows when the token has ended; until then nobody waits for it.
    if (now >= renewAt) this.#renewed().catch(() => {})
    return token
  }

  /** It goes on when its callers have gone: a refresh token works once. */
  #renewed(): Promise<string> {
    this.#flight ??= this.#issue()
      .then((issued) => this.#keep(issued))
      .finally(() => {
        this.#flight = undefined
      })
    return this.#flight
  }

  #keep({ token, lifetimeMs }: IssuedToken): string {
    const now = Date.now()
    const endsAt = now + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2)
    this.#current = { token, renewAt: now + lifetimeMs * RENEWED_AFTER, endsAt }
    return token
  }
}

/** Returns the token of a response. */
export function tokenIn(issued: { access_token: string }): string {
  if (typeof issued.access_token === 'string') return issued.access_token
  throw new UnreadableError('it has no access_token', responseOf(issued))
}

/** Returns how long a token lasts, as it says itself, because the clock of a phone may be anything. */
export function lifetimeIn(token: string): number | undefined {
  try {
    const [, payload = ''] = token.split('.')
    const { iat, exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
    return typeof iat === 'number' && typeof exp === 'number' ? (exp - iat) * SECOND_MS : undefined
  } catch {
    return undefined
  }
}
