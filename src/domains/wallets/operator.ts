/** A wallet as the operator knows it. `sequence` grows with every change, so that what comes out of order is recognised. */
export type OperatorWallet = { status: 'ACTIVE' | 'BLOCKED'; sequence: number }

export type OperatorRequest = { reference: string; phone: string; callback_url: string }

/** The wallet, or a refusal that no second try will change. No clear response is thrown: it may have been done or not. */
export type OperatorResponse = { outcome: 'held'; wallet: OperatorWallet } | { outcome: 'refused'; reason: string }

/** The company that holds the wallets. It de-duplicates on `reference`, our `partner_wallet_id`. */
export type Operator = {
  /** True while it is left alone because its last calls failed; calls would throw `OperatorRests`. */
  isCircuitOpen(): boolean
  createWallet(request: OperatorRequest): Promise<OperatorResponse>
  /** Undefined when the operator has none under this reference. */
  findWallet(reference: string): Promise<OperatorWallet | undefined>
}
