import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { callJson } from '../../../kernel/outbound/call-json.ts'
import { CircuitOpenError } from '../errors.ts'
import type { Operator, OperatorWallet } from '../operator.ts'

const TIMEOUT_MS = 3_000
/** Consecutive failures that open the circuit for `OPEN_MS`; then a single call probes the operator. */
const FAILURES_IN_A_ROW = 5
const OPEN_MS = 5_000

/** Permanent rejections. Any other error, such as an invalid key, can be fixed and is retried. */
const REFUSED_STATUSES = new Set([400, 409, 422])

/** `reference` is optional; a different one means somebody else's wallet. */
const WalletResponse = Type.Object({
  reference: Type.Optional(Type.Unknown()),
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('BLOCKED')]),
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})

/** Opens an operator that speaks JSON over HTTP: `POST {url}/wallets`, `GET {url}/wallets/{reference}`. */
export function openOperator({ url, apiKey }: { url: string; apiKey: string }): Operator {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  })
  // The breaker reports "open" until the next call, and nobody calls while the circuit is open.
  let isCircuitOpen = false
  breaker.onBreak(() => {
    isCircuitOpen = true
    setTimeout(() => (isCircuitOpen = false), OPEN_MS).unref()
  })
  const headers = { authorization: `Bearer ${apiKey}` }

  /** Timeouts, lost connections, 429 and 5xx count as failures; other 4xx responses do not. */
  async function call(request: { method: 'GET' | 'POST'; path: string; body?: unknown }) {
    try {
      return await breaker.execute(async () => {
        const response = await callJson({ ...request, url: `${url}${request.path}`, headers, timeout_ms: TIMEOUT_MS })
        if (response.status === 429 || response.status >= 500)
          throw new Error(`the operator responded ${response.status}`)
        return response
      })
    } catch (error) {
      throw error instanceof BrokenCircuitError ? new CircuitOpenError() : error
    }
  }

  return {
    isCircuitOpen: () => isCircuitOpen,
    isHalfOpen: () => !isCircuitOpen && breaker.state !== CircuitState.Closed,

    async createWallet(request) {
      const { status, body } = await call({ method: 'POST', path: '/wallets', body: request })
      if (status === 200 || status === 201) return { outcome: 'held', wallet: parseWallet(body, request.reference) }
      if (REFUSED_STATUSES.has(status)) return { outcome: 'refused', reason: `The operator responded ${status}.` }
      throw new Error(`the operator responded ${status}`)
    },

    async findWallet(reference) {
      const { status, body } = await call({ method: 'GET', path: `/wallets/${encodeURIComponent(reference)}` })
      if (status === 404) return undefined
      if (status === 200) return parseWallet(body, reference)
      throw new Error(`the operator responded ${status}`)
    },
  }
}

function parseWallet(body: unknown, expected: string): OperatorWallet {
  if (!Value.Check(WalletResponse, body)) throw new Error('the operator’s response does not match its schema')
  const { reference = expected, status, sequence }: Static<typeof WalletResponse> = body
  if (reference !== expected) throw new Error('the operator responded with a different wallet')
  return { status, sequence }
}
