import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { callJson } from '../../../kernel/outbound/call-json.ts'
import { CircuitOpenError } from '../errors.ts'
import type { Operator, OperatorWallet } from '../operator.ts'

const TIMEOUT_MS = 3_000
/** After so many failures in a row the operator is left alone for a while; then one call tries whether it is back. */
const FAILURES_IN_A_ROW = 5
const OPEN_MS = 5_000

/** Anything else, a key of ours that was not taken among it, can be put right and is tried again. */
const REFUSED_STATUSES = new Set([400, 409, 422])

/** `reference` may be left out; another than the one asked about is somebody else's wallet. */
const Held = Type.Object({
  reference: Type.Optional(Type.Unknown()),
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('BLOCKED')]),
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})

/** An operator that speaks JSON over HTTP: `POST {url}/wallets`, `GET {url}/wallets/{reference}`. */
export function openOperator({ url, apiKey }: { url: string; apiKey: string }): Operator {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  })
  // The breaker itself says "open" until somebody calls, and nobody calls while it is said to rest.
  let isCircuitOpen = false
  breaker.onBreak(() => {
    isCircuitOpen = true
    setTimeout(() => (isCircuitOpen = false), OPEN_MS).unref()
  })
  const headers = { authorization: `Bearer ${apiKey}` }

  /** 4xx answers are answers; time-outs, lost connections, 429 and 5xx are failures and open the breaker. */
  async function call(request: { method: 'GET' | 'POST'; path: string; body?: unknown }) {
    try {
      return await breaker.execute(async () => {
        const response = await callJson({ ...request, url: `${url}${request.path}`, headers, timeout_ms: TIMEOUT_MS })
        if (response.status === 429 || response.status >= 500)
          throw new Error(`the operator answered ${response.status}`)
        return response
      })
    } catch (error) {
      throw error instanceof BrokenCircuitError ? new CircuitOpenError() : error
    }
  }

  return {
    isCircuitOpen: () => isCircuitOpen,

    async createWallet(request) {
      const { status, body } = await call({ method: 'POST', path: '/wallets', body: request })
      if (status === 200 || status === 201) return { outcome: 'held', wallet: checked(body, request.reference) }
      if (REFUSED_STATUSES.has(status)) return { outcome: 'refused', reason: `The operator answered ${status}.` }
      throw new Error(`the operator answered ${status}`)
    },

    async findWallet(reference) {
      const { status, body } = await call({ method: 'GET', path: `/wallets/${encodeURIComponent(reference)}` })
      if (status === 404) return undefined
      if (status === 200) return checked(body, reference)
      throw new Error(`the operator answered ${status}`)
    },
  }
}

function checked(body: unknown, asked: string): OperatorWallet {
  if (!Value.Check(Held, body)) throw new Error('the operator answered in a form that is not agreed')
  const { reference = asked, status, sequence }: Static<typeof Held> = body
  if (reference !== asked) throw new Error('the operator answered about another wallet than the one it was asked about')
  return { status, sequence }
}
