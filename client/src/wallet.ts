import type { Connection } from './connection.ts'
import { WalletOperations } from './generated/groups.ts'
import type { OtpChallenge, RequestOtpRequest, TokenPair } from './generated/schemas.ts'
import { lifetimeIn, TokenCache, tokenIn } from './token-cache.ts'
import { type WaitOptions, waitFor } from './waiting-for.ts'

const SECOND_MS = 1_000
const DONE = 'COMPLETED'
const FAILED = 'FAILED'

export type SessionOptions = {
  /**
   * Called with each new pair, and awaited before anything is sent with it: a refresh token works once, so store the new
   * one. If that fails, so does the call, and the next one hands the same pair over again.
   */
  onTokens?: ((tokens: TokenPair) => void | Promise<void>) | undefined
}

export class Wallet extends WalletOperations {
  /** Sends a one-time code to the phone. The response is the same for a phone that has no user. */
  async signIn(person: RequestOtpRequest): Promise<Challenge> {
    return new Challenge(this.connection, await this.requestOtp(person))
  }

  /** Goes on with a session that was stored: by its refresh token, which is used at once. */
  async resume(refresh_token: string, options: SessionOptions = {}): Promise<WalletSession> {
    return handedOver(this.connection, await this.refreshToken({ refresh_token }), options)
  }
}

/** A code that was sent and not used yet. */
export class Challenge {
  readonly #connection: Connection
  /** When the code ends, and when another can be sent. */
  readonly sent: OtpChallenge

  constructor(connection: Connection, sent: OtpChallenge) {
    this.#connection = connection
    this.sent = sent
  }

  /** Signs the user in with the code. */
  async verify(otp: string, options: SessionOptions = {}): Promise<WalletSession> {
    const { challenge_id } = this.sent
    const tokens = await new WalletOperations(this.#connection).verifyOtp({ challenge_id, otp })
    return handedOver(this.#connection, tokens, options)
  }
}

/** A user's wallet, for as long as the session lasts. It refreshes itself, and once for all calls that wait for it. */
export class WalletSession extends WalletOperations {
  #tokens: TokenPair

  constructor(connection: Connection, tokens: TokenPair, { onTokens }: SessionOptions = {}) {
    let isHandedOver = true
    const cache = new TokenCache(async () => {
      const { refresh_token } = this.#tokens
      if (isHandedOver) this.#tokens = await new WalletOperations(connection).refreshToken({ refresh_token })
      const found = issued(this.#tokens)
      isHandedOver = false
      await onTokens?.(this.#tokens)
      isHandedOver = true
      return found
    }, issued(tokens))
    super(connection.with({ walletToken: (refused) => cache.get(refused) }))
    this.#tokens = tokens
  }

  /** The tokens as they are now. */
  get tokens(): TokenPair {
    return this.#tokens
  }

  /** Waits until the operator has provided the wallet. Throws a `WaitError` when it was rejected. */
  async waitUntilReady(options: WaitOptions = {}): Promise<void> {
    await waitFor(
      (how) => this.read(how),
      { isReached: (wallet) => wallet.wallet_status === DONE, isFinal: (wallet) => wallet.wallet_status === FAILED },
      options,
    )
  }

  /** Ends the session, here and for whoever has its tokens. */
  async signOut(): Promise<void> {
    await this.logOut({ refresh_token: this.#tokens.refresh_token })
  }
}

async function handedOver(connection: Connection, tokens: TokenPair, options: SessionOptions): Promise<WalletSession> {
  const session = new WalletSession(connection, tokens, options)
  await options.onTokens?.(tokens)
  return session
}

const issued = (tokens: TokenPair) => ({
  token: tokenIn(tokens),
  lifetimeMs: lifetimeIn(tokens.access_token) ?? tokens.access_token_expires_at * SECOND_MS - Date.now(),
})
