import { createHmac } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Clock, unixSeconds } from '../../../kernel/clock.ts'
import { sameSecret } from '../../../kernel/crypto/secrets.ts'
import { parseJsonObject } from '../../../kernel/http/json.ts'
import { callJson } from '../../../kernel/outbound/call-json.ts'
import { openCircuitBreaker } from '../../../kernel/outbound/circuit-breaker.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import type { Operator, OperatorEvents, OperatorWallet } from '../operator.ts'

const TIMEOUT_MS = 3_000
/** After so many failures in a row the operator is not called for a while. */
const FAILURES_IN_A_ROW = 5
const OPEN_MS = 5_000
/** How far the operator's clock may be from ours; an older event is a replay. */
const TOLERANCE_SECONDS = 300

/** Anything else, a key of ours that was not taken among it, can be put right and is tried again. */
const REFUSED_STATUSES = new Set([400, 409, 422])

/** `reference` may be left out; another than the one asked about is somebody else's wallet. */
const Held = Type.Object({
  reference: Type.Optional(Type.Unknown()),
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('BLOCKED')]),
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})

/** `secret` signs the events that the operator sends. */
type Settings = { url: string; apiKey: string; secret: string; clock: Clock }

/**
 * An operator that speaks JSON over HTTP: `POST {url}/wallets`, `GET {url}/wallets/{reference}`, and events with a header
 * `operator-signature: t=<Unix seconds>,v1=<HMAC-SHA256 of "<t>.<body>" in hex>`.
 */
export function openOperator({ url, apiKey, secret, clock }: Settings): Operator & OperatorEvents {
  const circuit = openCircuitBreaker({ company: 'the operator', failuresInARow: FAILURES_IN_A_ROW, open_ms: OPEN_MS })
  const headers = { authorization: `Bearer ${apiKey}` }

  /** 4xx is a response; time-outs, lost connections, 429 and 5xx are failures. */
  const call = (request: { method: 'GET' | 'POST'; path: string; body?: unknown }) =>
    circuit.run(async () => {
      const response = await callJson({ ...request, url: `${url}${request.path}`, headers, timeout_ms: TIMEOUT_MS })
      if (response.status === 429 || response.status >= 500) throw new Error(`the operator answered ${response.status}`)
      return response
    })

  return {
    isCircuitOpen: circuit.isCircuitOpen,
    isHalfOpen: circuit.isHalfOpen,

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

    parseEvent(headers, bytes) {
      checkSignature(String(headers['operator-signature']), bytes, { secret, now_s: unixSeconds(clock) })
      return bytes.length === 0 ? undefined : parseJsonObject(bytes)
    },
  }
}

function checked(body: unknown, asked: string): OperatorWallet {
  if (!Value.Check(Held, body)) throw new Error('the operator answered in a form that is not agreed')
  const { reference = asked, status, sequence }: Static<typeof Held> = body
  if (reference !== asked) throw new Error('the operator answered about another wallet than the one it was asked about')
  return { status, sequence }
}

/** Throws 401 `unauthenticated` for what the operator did not sign over just these bytes and just now. */
function checkSignature(header: string, bytes: Buffer, { secret, now_s }: { secret: string; now_s: number }): void {
  const [, time, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (time === undefined || signature === undefined) throw notSigned()
  if (Math.abs(now_s - Number(time)) > TOLERANCE_SECONDS) throw notSigned()
  const expected = createHmac('sha256', secret).update(`${time}.`).update(bytes).digest('hex')
  if (!sameSecret(expected, signature)) throw notSigned()
}

const notSigned = () =>
  new ProblemError('unauthenticated', 'The signature is missing, not valid or too old.', {
    headers: { 'www-authenticate': 'Operator-Signature' },
  })
