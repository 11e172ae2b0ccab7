import type { IncomingHttpHeaders } from 'node:http'

/** The operator's view of a wallet. `sequence` grows with every change, so that stale messages can be ignored. */
export type OperatorWallet = { status: 'ACTIVE' | 'BLOCKED'; sequence: number }

export type OperatorRequest = { reference: string; phone: string; callback_url: string }

/** The wallet, or a permanent rejection. Ambiguous responses throw: the wallet may have been created or not. */
export type OperatorResponse = { outcome: 'held'; wallet: OperatorWallet } | Rejection

/** `mayBeHeld`: the reference is taken, which is right after a call whose response was lost. */
type Rejection = { outcome: 'refused'; reason: string; mayBeHeld?: boolean }

/** The operator does not know the address where wallets are created: the setting with its address is wrong. */
export class WrongAddressError extends Error {
  override name = 'WrongAddressError'
}

/** The company that holds the wallets. It deduplicates on `reference`, our `partner_wallet_id`. */
export type Operator = {
  /** True while calls throw `CircuitOpenError` because the last ones failed. */
  isCircuitOpen(): boolean
  /** True after that period, until a call succeeds or fails. */
  isHalfOpen(): boolean
  createWallet(request: OperatorRequest): Promise<OperatorResponse>
  findWallet(reference: string): Promise<OperatorWallet | undefined>
}

/** The operator's events, parsed by the same adapter as its responses. */
export type OperatorEvents = {
  /**
   * Returns the event in the field names of `receiveOperatorEvent`, whose schema is checked next; undefined for an empty body.
   * Throws 401 `unauthenticated` unless the operator signed these bytes, 400 `malformed_json`.
   */
  parseEvent(headers: IncomingHttpHeaders, bytes: Buffer): Record<string, unknown> | undefined
}
