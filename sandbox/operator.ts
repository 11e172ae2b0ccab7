import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Lie, LIES, lieAbout } from './operator-lies.ts'
import type { Company } from './start-page.ts'

/**
 * The behaviour of the operator on creation: normal; slow; failing with a 500; never responding and doing nothing;
 * creating and losing the response; rejecting; creating a blocked wallet; failing every other time.
 */
const MODES = ['ok', 'slow', 'error', 'timeout', 'lost_answer', 'reject', 'block', 'flaky'] as const
type Mode = (typeof MODES)[number]

type Status = 'ACTIVE' | 'BLOCKED'
type Wallet = { operator_wallet_id: string; reference: string; status: Status; sequence: number; callback_url: string }
type Callback = { event_id: string; status: Status; sequence: number }
type CreateRequest = { reference: string; phone: string; callback_url: string }
type Behaviour = { mode: Mode; slow_ms: number; callbacks: boolean; lie: Lie }

const SLOW_MS = 1_500
const TIMEOUT_MS = 60_000 // longer than any client timeout
const CALLBACK_TIMEOUT_MS = 3_000

/**
 * Mounts the company that holds wallets. It deduplicates by `reference` and reports every status with a signed
 * callback.
 */
export function operatorRoutes(app: FastifyInstance, { secret }: { secret: string }): Company {
  const wallets = new Map<string, Wallet>()
  const behaviour: Behaviour = { mode: 'ok', slow_ms: SLOW_MS, callbacks: true, lie: 'none' }
  let calls = 0

  function hold({ reference, callback_url }: CreateRequest, status: Status): Wallet {
    const known = wallets.get(reference)
    if (known) return known
    const wallet = { operator_wallet_id: randomUUID(), reference, status, sequence: 1, callback_url }
    wallets.set(reference, wallet)
    if (behaviour.callbacks) void sendCallback(wallet, secret)
    return wallet
  }

  app.post<{ Body: CreateRequest }>('/operator/wallets', { schema: { body: createSchema } }, async (request, reply) => {
    const call = ++calls
    switch (behaviour.mode) {
      case 'slow':
        await sleep(behaviour.slow_ms)
        break
      case 'timeout':
        await sleep(TIMEOUT_MS, undefined, { ref: false })
        return reply.code(504).send()
      case 'error':
        return fail(reply)
      case 'flaky':
        if (call % 2 === 1) return fail(reply)
        break
      case 'reject':
        return reply.code(422).send({ error: 'this customer cannot have a wallet' })
      case 'lost_answer':
        hold(request.body, 'ACTIVE')
        request.raw.socket.destroy()
        return reply.hijack()
      case 'ok':
      case 'block':
        break
    }
    const isNew = !wallets.has(request.body.reference)
    return reply.code(isNew ? 201 : 200).send(hold(request.body, behaviour.mode === 'block' ? 'BLOCKED' : 'ACTIVE'))
  })

  app.get<{ Params: { reference: string } }>('/operator/wallets/:reference', (request, reply) => {
    if (behaviour.mode === 'error') return fail(reply)
    const wallet = wallets.get(request.params.reference)
    if (!wallet) return reply.code(404).send({ error: 'no such wallet' })
    return reply.send(lieAbout(wallet, [...wallets.values()], behaviour.lie))
  })

  app.get('/operator/wallets', () => ({ wallets: [...wallets.values()], calls }))

  app.put<{ Params: { reference: string }; Body: { status: Status } }>(
    '/operator/wallets/:reference/status',
    {
      schema: {
        body: { type: 'object', required: ['status'], properties: { status: { enum: ['ACTIVE', 'BLOCKED'] } } },
      },
    },
    async (request, reply) => {
      const wallet = wallets.get(request.params.reference)
      if (!wallet) return reply.code(404).send({ error: 'no such wallet' })
      Object.assign(wallet, { status: request.body.status, sequence: wallet.sequence + 1 })
      if (behaviour.callbacks) await sendCallback(wallet, secret)
      return wallet
    },
  )

  /** A callback that says what is asked for and not what is true: by default the present status, as a new event. */
  app.put<{ Params: { reference: string }; Body: Partial<Callback> }>(
    '/operator/wallets/:reference/callback',
    { schema: { body: callbackSchema } },
    async (request, reply) => {
      const wallet = wallets.get(request.params.reference)
      if (!wallet) return reply.code(404).send({ error: 'no such wallet' })
      return { response_status: (await sendCallback({ ...wallet, ...request.body }, secret)) ?? null }
    },
  )

  app.put<{ Body: Partial<Behaviour> & { mode: Mode } }>(
    '/operator/behaviour',
    { schema: { body: behaviourSchema } },
    (request) => Object.assign(behaviour, request.body),
  )

  return {
    name: 'Wallet operator',
    setting: 'OPERATOR_URL',
    path: '/operator',
    requests: [
      'GET /operator/wallets',
      `PUT /operator/behaviour {"mode": "${MODES.join('" or "')}", "callbacks": true or false, "lie": "${LIES.join('" or "')}"}`,
      'PUT /operator/wallets/{reference}/status {"status": "ACTIVE" or "BLOCKED"}',
      'PUT /operator/wallets/{reference}/callback {"status": …, "sequence": …, "event_id": …}',
    ],
    state: () => ({ mode: behaviour.mode, lie: behaviour.lie, calls, wallets: wallets.size }),
  }
}

const createSchema = {
  type: 'object',
  required: ['reference', 'phone', 'callback_url'],
  properties: {
    reference: { type: 'string', minLength: 1 },
    phone: { type: 'string' },
    callback_url: { type: 'string' },
  },
}

const callbackSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    event_id: { type: 'string', minLength: 1 },
    status: { enum: ['ACTIVE', 'BLOCKED'] },
    sequence: { type: 'integer' },
  },
}

const behaviourSchema = {
  type: 'object',
  required: ['mode'],
  additionalProperties: false,
  properties: {
    mode: { enum: [...MODES] },
    slow_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
    callbacks: { type: 'boolean' },
    lie: { enum: [...LIES] },
  },
}

const fail = (reply: FastifyReply) => reply.code(500).send({ error: 'the operator is down' })

/** Sends a signed callback and returns the status of the response. An unreachable receiver can still look the status up. */
async function sendCallback(
  { reference, status, sequence, callback_url, event_id = randomUUID() }: Wallet & Partial<Callback>,
  secret: string,
): Promise<number | undefined> {
  const body = JSON.stringify({ event_id, reference, status, sequence })
  const time = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  const response = await fetch(callback_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'operator-signature': `t=${time},v1=${signature}` },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
  }).catch(() => undefined)
  return response?.status
}
