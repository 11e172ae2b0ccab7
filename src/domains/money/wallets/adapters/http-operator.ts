import { createHmac } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { type Clock, unixSeconds } from '../../../../kernel/clock.ts'
import { sameSecret } from '../../../../kernel/crypto/secrets.ts'
import { parseJsonObject } from '../../../../kernel/http/json.ts'
import { callJson } from '../../../../kernel/outbound/call-json.ts'
import { IndefiniteResponse, MistakenResponse } from '../../../../kernel/outbound/measured-call.ts'
import { createCircuitBreaker } from '../../../../kernel/outbound/circuit-breaker.ts'
import { responseCheck } from '../../../../kernel/outbound/response-check.ts'
import { ProblemError } from '../../../../kernel/problem-error.ts'
import { type Operator, type OperatorEvents, type OperatorWallet, WrongAddressError } from '../operator.ts'

const TIMEOUT_MS = 3_000
/** Consecutive failures that open the circuit for `OPEN_MS`; then a single call probes the operator. */
const CONSECUTIVE_FAILURES_MAX = 5
const OPEN_MS = 5_000
/** Maximum difference between the operator's clock and ours; anything older is a replay. */
const TOLERANCE_SECONDS = 300

/** Permanent rejections. Any other error, such as an invalid key, can be fixed and is retried. */
const REFUSED_STATUSES = new Set([400, 409, 422])

/** `reference` is optional; a different one means somebody else's wallet. */
const WalletResponse = Type.Object({
  reference: Type.Optional(Type.Unknown()),
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('BLOCKED')]),
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
const isWalletResponse = responseCheck(WalletResponse)

/** `secret` is the operator's signing key for events. */
type Settings = { url: string; apiKey: string; secret: string; clock: Clock }

/**
 * Opens an operator that speaks JSON over HTTP: `POST {url}/wallets`, `GET {url}/wallets/{reference}`, and events with a header
 * `operator-signature: t=<Unix seconds>,v1=<HMAC-SHA256 of "<t>.<body>" in hex>`.
 */
export function createOperator(
  { url, apiKey, secret, clock }: Settings,
  { open_ms = OPEN_MS }: { open_ms?: number } = {},
): Operator & OperatorEvents {
  const circuit = createCircuitBreaker({
    company: 'the operator',
    failuresInARow: CONSECUTIVE_FAILURES_MAX,
    open_ms,
  })
  const headers = { authorization: `Bearer ${apiKey}` }

  type Request = { method: 'GET' | 'POST'; path: string; reference: string; body?: unknown; isFixed?: boolean }

  /** Whatever is no definite response counts as a failure, a wallet that is none too; other 4xx responses do not. */
  const call = ({ path, reference, ...request }: Request) =>
    circuit.run(async () => {
      const target = { company: 'operator', url: `${url}${path}`, headers, timeout_ms: TIMEOUT_MS }
      const check = (response: { status: number; body: unknown }) => void parseWallet(response, reference)
      const response = await callJson({ ...request, ...target, check })
      if (response.status === 429 || response.status >= 500)
        throw new Error(`the operator responded ${response.status}`)
      return response
    })

  return {
    isCircuitOpen: circuit.isCircuitOpen,
    isHalfOpen: circuit.isHalfOpen,

    async createWallet(request) {
      const { reference } = request
      const response = await call({ method: 'POST', path: '/wallets', reference, body: request, isFixed: true })
      const { status } = response
      if (status < 300) return { outcome: 'held', wallet: parseWallet(response, reference) }
      if (REFUSED_STATUSES.has(status))
        return {
          outcome: 'refused',
          reason: `The operator responded ${status}.`,
          ...(status === 409 && { mayBeHeld: true }),
        }
      if (status === 404)
        throw new WrongAddressError('the operator has no POST /wallets (404): OPERATOR_URL is not its base URL')
      throw new Error(`the operator responded ${status}`)
    },

    async findWallet(reference) {
      const path = `/wallets/${encodeURIComponent(reference)}`
      const response = await call({ method: 'GET', path, reference })
      if (response.status === 404) return undefined
      if (response.status < 300) return parseWallet(response, reference)
      throw new Error(`the operator responded ${response.status}`)
    },

    parseEvent(headers, bytes) {
      checkSignature(String(headers['operator-signature']), bytes, { secret, now_s: unixSeconds(clock) })
      return bytes.length === 0 ? undefined : parseJsonObject(bytes)
    },
  }
}

function parseWallet(response: { status: number; body: unknown }, expected: string): OperatorWallet {
  if (response.status > 201) throw new IndefiniteResponse(`the operator responded ${response.status}`)
  if (!isWalletResponse(response.body))
    throw new IndefiniteResponse('the operator’s response does not match its schema')
  const { reference = expected, status, sequence }: Static<typeof WalletResponse> = response.body
  if (reference !== expected) throw new MistakenResponse('the operator responded with a different wallet')
  return { status, sequence }
}

/** Throws 401 unless the operator signed exactly these bytes within the tolerance. */
function checkSignature(header: string, bytes: Buffer, { secret, now_s }: { secret: string; now_s: number }): void {
  const [, time, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (time === undefined || signature === undefined) throw invalidSignature()
  if (Math.abs(now_s - Number(time)) > TOLERANCE_SECONDS) throw invalidSignature()
  const expected = createHmac('sha256', secret).update(`${time}.`).update(bytes).digest('hex')
  if (!sameSecret(expected, signature)) throw invalidSignature()
}

const invalidSignature = () =>
  new ProblemError('unauthenticated', 'The signature is missing, invalid or too old.', {
    headers: { 'www-authenticate': 'Operator-Signature' },
  })
