import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Company } from './start-page.ts'

/**
 * The behaviour of the bank: normal, slow, failing, rejecting, failing every other time, or lying: one number for everybody
 * who has no account yet, or a number with characters that nobody sees. It remembers no lie.
 */
const MODES = ['ok', 'slow', 'error', 'reject', 'flaky', 'same_number', 'odd_number'] as const
type Mode = (typeof MODES)[number]

type Opened = { external_account_id: string; ifsc_code: string }

const LIES: Partial<Record<Mode, string>> = {
  same_number: 'EXT-000000000000',
  odd_number: 'EXT\u001b[31m\u202e 1',
}

const IFSC_CODE = 'BNYN0000001'
const SLOW_MS = 8_000 // longer than any client timeout

/** Mounts a bank that opens purpose-bound accounts, one per `reference`, however often it is called. */
export function bankRoutes(app: FastifyInstance): Company {
  const accounts = new Map<string, Opened>()
  let mode: Mode = 'ok'
  let calls = 0

  app.post<{ Body: { reference: string } }>(
    '/account_provider/accounts',
    {
      schema: {
        body: {
          type: 'object',
          required: ['reference', 'account_type', 'holder', 'origin'],
          properties: {
            reference: { type: 'string', minLength: 1 },
            account_type: { type: 'string' },
            holder: { type: 'object', required: ['first_name', 'last_name'] },
            origin: { type: 'object', required: ['account_number', 'ifsc_code'] },
          },
        },
      },
    },
    async (request, reply) => {
      calls++
      if (mode === 'slow') await sleep(SLOW_MS)
      if (mode === 'error' || (mode === 'flaky' && calls % 2 === 1))
        return reply.code(500).send({ error: 'the core banking system is down' })
      if (mode === 'reject') return reply.code(422).send({ error: 'the customer cannot have an account' })
      const { reference } = request.body
      const known = accounts.get(reference)
      if (known) return known
      const number = LIES[mode]
      if (number !== undefined) return reply.code(201).send({ external_account_id: number, ifsc_code: IFSC_CODE })
      const opened = { external_account_id: numberFor(reference), ifsc_code: IFSC_CODE }
      accounts.set(reference, opened)
      return reply.code(201).send(opened)
    },
  )

  app.get('/account_provider/accounts', () => ({
    accounts: [...accounts].map(([reference, account]) => ({ reference, ...account })),
    calls,
  }))

  app.put<{ Body: { mode: Mode } }>(
    '/account_provider/behaviour',
    { schema: { body: { type: 'object', required: ['mode'], properties: { mode: { enum: [...MODES] } } } } },
    async (request) => {
      mode = request.body.mode
      return { mode }
    },
  )

  return {
    name: 'Account provider',
    setting: 'ACCOUNT_PROVIDER_URL',
    path: '/account_provider',
    requests: ['GET /account_provider/accounts', `PUT /account_provider/behaviour {"mode": "${MODES.join('" or "')}"}`],
    state: () => ({ mode, calls, accounts: accounts.size }),
  }
}

/** Derives the number from the reference, so that a restarted sandbox still knows its accounts. */
function numberFor(reference: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(reference).digest('hex').slice(0, 15)}`).toString()
  return `EXT-${digits.slice(0, 12).padStart(12, '0')}`
}
