import assert from 'node:assert/strict'
import { ask, type Request } from '../ask.ts'
import { CONNECTIONS, repeating, type PlannedRequest, type Source } from '../drive.ts'
import { userInputOf } from '../families.ts'
import { createWallet, refreshing, walletStatus } from '../wallet-requests.ts'
import {
  dependantsRequest,
  TRANSITIONS,
  transitionRequest,
  type Population,
  tokenRequest,
  type User,
} from './population.ts'
import type { Side } from './side.ts'
import { supplyOf } from './supply.ts'
import type { Wallets } from './wallets.ts'

const DEPENDANTS = Array.from({ length: 10 }, (_, position) => ({
  first_name: `Child ${position + 1}`,
  last_name: 'Example',
  date_of_birth: `20${10 + position}-08-02`,
}))
const SAMPLES = 20
const BOOKED_PAISE = 50_000
const AMPLE_PAISE = 100_000_000_000_000

/** An operation on one side. */
export type Operation = {
  source: Source
  /** Creates the records that this many requests use up; absent when they use none. */
  prepare?(requests: number): Promise<void>
  /** Checks after the last round that the effects match the responses, where the responses do not show it. */
  check?(): Promise<void>
}

export type BenchContext = { side: Side; population: Population; wallets: Wallets }

export type Kind = { name: string; open(context: BenchContext): Promise<Operation> }

/** In this order: the last one leaves pending wallets, which a worker would start on. */
export const KINDS: Kind[] = [
  { name: 'list policies', open: listPolicies },
  { name: 'issue token known', open: issueTokenKnown },
  { name: 'issue token changed', open: issueTokenChanged },
  { name: 'issue token new', open: issueTokenNew },
  { name: 'ten dependants', open: tenDependants },
  { name: 'enrol', open: enrol },
  { name: 'policy status', open: policyStatus },
  { name: 'consultation message', open: consultationMessage },
  {
    name: 'refresh wallet tokens',
    open: async ({ wallets }) => ({ source: refreshing(await wallets.refreshTokens()) }),
  },
  { name: 'credit', open: credit },
  { name: 'debit', open: debit },
  { name: 'create wallet again', open: createWalletAgain },
  { name: 'wallet status', open: readWalletStatus },
  { name: 'create wallet new', open: createWalletNew },
]

async function listPolicies({ side, population }: BenchContext): Promise<Operation> {
  const requests = (await population.insured()).map(({ id }) => ({
    method: 'GET',
    path: `/v1/users/${id}/insurance_policies`,
    headers: side.platform,
  }))
  return { source: repeating(requests) }
}

async function issueTokenKnown({ side, population }: BenchContext): Promise<Operation> {
  return { source: repeating((await population.insured()).map(({ input }) => tokenRequest(side, input))) }
}

/** Every request changes its user's address. */
async function issueTokenChanged({ side, population }: BenchContext): Promise<Operation> {
  const members = await population.members()
  const addresses = new Map<User, string>()
  let sent = 0
  return {
    source() {
      const user = members[sent % members.length] as User
      const line1 = `${++sent} Moved Street`
      addresses.set(user, line1)
      const input = { ...user.input, address: { ...user.input.address, line1 } }
      return { request: tokenRequest(side, input), status: 200 }
    },
    async check() {
      for (const [{ id }, line1] of [...addresses].slice(0, SAMPLES)) {
        assert.equal((await readUser(side, id)).address.line1, line1, 'the last address that was sent')
      }
    },
  }
}

async function issueTokenNew({ side }: BenchContext): Promise<Operation> {
  const made = new Map<string, string>()
  const source = (): PlannedRequest => {
    const input = userInputOf(side.nextNumber())
    const remember = (text: string) => made.set((JSON.parse(text) as { user_id: string }).user_id, input.phone_number)
    return { request: tokenRequest(side, input), status: 200, ...(made.size < SAMPLES && { onResponse: remember }) }
  }
  return {
    source,
    async check() {
      for (const [id, phone] of made) assert.equal((await readUser(side, id)).phone_number, phone)
    },
  }
}

async function readUser({ stage, platform }: Side, id: string) {
  const { text } = await ask(stage.productUrl, { method: 'GET', path: `/v1/users/${id}`, headers: platform })
  return JSON.parse(text) as { phone_number: string; address: { line1: string } }
}

async function tenDependants({ side, population }: BenchContext): Promise<Operation> {
  const users = supplyOf(population.makeUsers)
  return {
    prepare: users.ensure,
    source() {
      const user = users.take()
      return user && { request: dependantsRequest(side, user.id, DEPENDANTS), status: 201 }
    },
  }
}

async function enrol({ population: { enrolments } }: BenchContext): Promise<Operation> {
  return {
    prepare: enrolments.ensure,
    source() {
      const request = enrolments.take()
      return request && { request, status: 201 }
    },
  }
}

/** A connection takes each policy through all its transitions, so that each transition has a third of the requests. */
async function policyStatus({ side, population }: BenchContext): Promise<Operation> {
  const policies = supplyOf(population.makePolicies)
  const inProgress = Array.from({ length: CONNECTIONS }, () => ({ policy: '', left: [] as object[] }))
  return {
    prepare: (requests) => policies.ensure(Math.ceil(requests / TRANSITIONS.length) + CONNECTIONS),
    source(connection) {
      const current = inProgress[connection] as (typeof inProgress)[number]
      if (current.left.length === 0) {
        const policy = policies.take()
        if (policy === undefined) return undefined
        Object.assign(current, { policy, left: [...TRANSITIONS] })
      }
      return { request: transitionRequest(side, current.policy, current.left.shift() as object), status: 200 }
    },
  }
}

async function consultationMessage({ side, population }: BenchContext): Promise<Operation> {
  const { platform, catalogue } = side
  const users = await population.members()
  const opening = JSON.stringify({ benefit_provider_id: catalogue.benefitProviderId })
  const pathOf = ({ id }: User) => `/v1/users/${id}/consultations`
  const opened = await side.sendAll<{ id: string }>(
    users.map((user) => ({
      request: { method: 'POST', path: pathOf(user), headers: platform, body: opening },
      status: 201,
    })),
  )
  const body = JSON.stringify({
    body: { content: 'I have had a fever since Monday, and a headache that does not go away.', message_type: 'TEXT' },
  })
  const requests = users.map((user, position) => ({
    method: 'POST',
    path: `${pathOf(user)}/${opened[position]?.id}/messages`,
    headers: platform,
    body,
  }))
  return { source: repeating(requests, 201) }
}

async function credit({ side, wallets }: BenchContext): Promise<Operation> {
  return { source: await bookings(side, wallets, 'credits') }
}

/** Every wallet is credited with enough for two thousand million of them first. */
async function debit({ side, wallets }: BenchContext): Promise<Operation> {
  const credits = (await wallets.holders()).map((holder) => bookingRequest(side, holder, 'credits', AMPLE_PAISE))
  await side.sendAll(credits.map((request) => ({ request, status: 201 })))
  return { source: await bookings(side, wallets, 'debits') }
}

async function bookings(side: Side, wallets: Wallets, kind: BookingKind): Promise<Source> {
  const holders = await wallets.holders()
  let sent = 0
  return () => ({
    request: bookingRequest(side, holders[sent++ % holders.length] as User, kind, BOOKED_PAISE),
    status: 201,
  })
}

type BookingKind = 'credits' | 'debits'

function bookingRequest(side: Side, { id }: User, kind: BookingKind, amount: number): Request {
  const reference = `payroll-${side.nextNumber()}`
  return {
    method: 'POST',
    path: `/v1/users/${id}/wallet/${kind}`,
    headers: { ...side.platform, 'idempotency-key': `bench-${reference}` },
    body: JSON.stringify({ amount, reference, description: 'Wellness allowance' }),
  }
}

async function createWalletAgain({ wallets }: BenchContext): Promise<Operation> {
  const headersFor = await wallets.headersFor()
  const holders = await wallets.holders()
  return { source: repeating(holders.map(({ id }) => createWallet(headersFor(id)))) }
}

async function readWalletStatus({ wallets }: BenchContext): Promise<Operation> {
  const headersFor = await wallets.headersFor()
  const holders = await wallets.holders()
  return { source: repeating(holders.map(({ id, walletId }) => walletStatus(walletId, headersFor(id)))) }
}

async function createWalletNew({ wallets, population }: BenchContext): Promise<Operation> {
  const headersFor = await wallets.headersFor()
  const callers = supplyOf(async (count) => (await population.makeUsers(count)).map(({ id }) => headersFor(id)))
  return {
    prepare: callers.ensure,
    source() {
      const headers = callers.take()
      return headers && { request: createWallet(headers), status: 201 }
    },
  }
}
