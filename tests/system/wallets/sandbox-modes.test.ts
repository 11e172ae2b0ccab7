import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AccountProviderClient } from '../../../src/domains/money/accounts/index.ts'
import type { Operator, OperatorRequest } from '../../../src/domains/money/wallets/operator.ts'
import { openTestApp, type TestPlatform } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { provisioningJobs, walletEvents, walletHistory } from '../../support/wallets.ts'
import { type Behaviour, type Company, listenForCallbacks, createCompany, createWorker } from '../../wallets/company.ts'

const DEADLINE_MS = 120_000
const DEAD_WALLETS = 15
/** The number of jobs that a worker takes from one queue at a time. */
const CALLS_AT_ONCE = 10
const OPEN_MS = 5_000

const t = await openTestApp({ own: true })
const platform = await t.platform()
const operatorCallbackUrl = await listenForCallbacks(t)

/** Each test has a company of its own, found by the phone of its user, so that all modes run in parallel. */
type Target = { company: Company; asked: string[] }
const targets = new Map<string, Target>()

function targetOf(key: string): Target {
  const target = targets.get(key)
  assert(target, 'a wallet is asked for where its user belongs')
  return target
}

const operator: Operator = {
  createWallet: (request) => {
    const target = targetOf(request.phone)
    targets.set(request.reference, target)
    target.asked.push('create')
    return target.company.operator.createWallet(request)
  },
  isCircuitOpen: () => false,
  isHalfOpen: () => false, // one object represents many here; each company's circuit opens by itself when it is called
  findWallet: (reference) => {
    const target = targetOf(reference)
    target.asked.push('find')
    return target.company.operator.findWallet(reference)
  },
}

const sent: string[] = []
const accountProvider: AccountProviderClient = {
  openAccount: async ({ reference }) => ({
    outcome: 'opened',
    external_account_id: `EXT-${reference}`,
    ifsc_code: 'BNYN0000001',
  }),
}
const sms = { send: async ({ to }: { to: string }) => void sent.push(to) }
const open = () => createWorker(t, { operator, operatorCallbackUrl, accountProvider, sms })

let stopWorker: () => Promise<void>
before(async () => {
  stopWorker = await open()
})
after(() => stopWorker())

type Wallet = { id: string; userId: string; token: string }

async function newWallet(of: TestPlatform, target: Target): Promise<Wallet> {
  const user = await t.user(of)
  targets.set(`+91${user.phone}`, target)
  const token = await t.walletToken(of, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  return { id, userId: user.id, token }
}

async function scene(behaviour: Behaviour) {
  const target: Target = { company: await createCompany(behaviour), asked: [] }
  return { ...target, wallet: await newWallet(platform, target), target }
}

/** Polls until both statuses are these; at every poll the operator's view is UNKNOWN exactly while not COMPLETED. */
async function follow({ token }: Wallet, is: string): Promise<void> {
  await within(DEADLINE_MS, async () => {
    const { wallet_status, wallet_status_partner } = await t.made('GET', '/wallet/v1/wallet', { token })
    assert.equal(wallet_status_partner === 'UNKNOWN', wallet_status !== 'COMPLETED')
    return `${wallet_status} ${wallet_status_partner}` === is
  })
}

/** Ends the pauses before the next tries; returns true when there will be no more. */
async function retriedNow(wallets: Wallet[]): Promise<boolean> {
  const users = wallets.map(({ userId }) => userId)
  const ofThem = `name = 'provision-wallet' and data->>'user_id' = any ($1)`
  await t.sql(`update pgboss.job set start_after = now() where state = 'retry' and ${ofThem}`, [users])
  const completed = await t.sql(`select 1 from pgboss.job where state = 'completed' and ${ofThem}`, [users])
  return completed.length === wallets.length
}

/**
 * Asserts this many wallets under this reference at the operator, this path through the table, one event per
 * transition.
 */
async function assertEnd({ company, wallet }: { company: Company; wallet: Wallet }, path: string, held = 1) {
  const { wallets } = await company.known()
  assert.deepEqual(
    wallets.map(({ reference }) => reference),
    Array(held).fill(wallet.id),
  )
  assert.equal((await walletHistory(t, wallet.userId)).wallet, path)
  assert.equal((await walletEvents(t, wallet.id)).length, path.split(' ').length)
}

const DIRECT_PATH = 'CREATED PENDING IN_PROGRESS COMPLETED'
const ONCE_AGAIN = 'CREATED PENDING IN_PROGRESS RETRYING IN_PROGRESS COMPLETED'

describe('the sandbox operator', { concurrency: true }, () => {
  it('ok: COMPLETED and ACTIVE, one call, one wallet', async () => {
    const { company, asked, wallet } = await scene({ mode: 'ok' })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, DIRECT_PATH)
    assert.deepEqual(asked, ['create'])
    await within(DEADLINE_MS, async () => (await provisioningJobs(t, wallet.userId))[0]?.state === 'completed')
  })

  it('ok, without callbacks: the response to the call is sufficient', async () => {
    const { company, wallet } = await scene({ mode: 'ok', callbacks: false })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, DIRECT_PATH)
  })

  it('slow: IN_PROGRESS meanwhile, one call, one wallet', async () => {
    const { company, asked, wallet } = await scene({ mode: 'slow', slow_ms: 1_000 })
    await follow(wallet, 'IN_PROGRESS UNKNOWN')
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, DIRECT_PATH)
    assert.deepEqual(asked, ['create'])
  })

  it('slower than the timeout: it is looked up before it is created again, and there is one wallet', async () => {
    const { company, asked, wallet } = await scene({ mode: 'slow', slow_ms: 3_300 })
    await follow(wallet, 'RETRYING UNKNOWN')
    await company.behave({ mode: 'ok' })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, ONCE_AGAIN)
    assert.deepEqual(asked.slice(0, 2), ['create', 'find'])
  })

  it('error, then ok: RETRYING, a lookup, one wallet', async () => {
    const { company, asked, wallet } = await scene({ mode: 'error' })
    await follow(wallet, 'RETRYING UNKNOWN')
    assert.deepEqual((await company.known()).wallets, [])
    await company.behave({ mode: 'ok' })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, ONCE_AGAIN)
    assert.deepEqual(asked, ['create', 'find', 'create'])
  })

  it('timeout, then ok: RETRYING, a lookup before the second call, one wallet', async () => {
    const { company, asked, wallet } = await scene({ mode: 'timeout' })
    await follow(wallet, 'RETRYING UNKNOWN')
    const { wallets, calls } = await company.known()
    assert.deepEqual([wallets, calls], [[], 1])
    await company.behave({ mode: 'ok' })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, ONCE_AGAIN)
    assert.deepEqual(asked, ['create', 'find', 'create'])
    assert.equal((await company.known()).calls, 2)
  })

  it('lost_answer: the lookup finds the wallet, nothing is created a second time', async () => {
    for (const callbacks of [true, false]) {
      const { company, asked, wallet } = await scene({ mode: 'lost_answer', callbacks })
      await follow(wallet, 'COMPLETED ACTIVE')
      await assertEnd({ company, wallet }, ONCE_AGAIN)
      assert.deepEqual(asked, ['create', 'find'])
      assert.equal((await company.known()).calls, 1)
    }
  })

  it('reject: FAILED and no wallet; created again once the operator accepts, it gets one', async () => {
    const { company, asked, wallet } = await scene({ mode: 'reject' })
    await follow(wallet, 'FAILED UNKNOWN')
    await assertEnd({ company, wallet }, 'CREATED PENDING IN_PROGRESS FAILED', 0)
    await within(DEADLINE_MS, async () => (await provisioningJobs(t, wallet.userId))[0]?.state === 'completed')
    assert.deepEqual(asked, ['create'])

    await company.behave({ mode: 'ok' })
    await t.made('POST', '/wallet/v1/wallet', { token: wallet.token })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, 'CREATED PENDING IN_PROGRESS FAILED PENDING IN_PROGRESS COMPLETED')
  })

  it('block: COMPLETED and BLOCKED; later statuses of the operator are followed', async () => {
    const { company, wallet } = await scene({ mode: 'block' })
    await follow(wallet, 'COMPLETED BLOCKED')
    await assertEnd({ company, wallet }, DIRECT_PATH)
    await company.set(wallet.id, 'ACTIVE')
    await follow(wallet, 'COMPLETED ACTIVE')
    await company.set(wallet.id, 'BLOCKED')
    await follow(wallet, 'COMPLETED BLOCKED')
    const { wallet: path, partner } = await walletHistory(t, wallet.userId)
    assert.deepEqual([path, partner], [DIRECT_PATH, 'BLOCKED ACTIVE BLOCKED'])
  })

  it('flaky: RETRYING once, one wallet', async () => {
    const { company, asked, wallet } = await scene({ mode: 'flaky' })
    await follow(wallet, 'COMPLETED ACTIVE')
    await assertEnd({ company, wallet }, ONCE_AGAIN)
    assert.deepEqual(asked, ['create', 'find', 'create'])
  })

  it('flaky with three concurrent calls: a wallet for each, and no two for one', async () => {
    const { company, wallet, target } = await scene({ mode: 'flaky' })
    const others = await Promise.all([1, 2].map(() => newWallet(platform, target)))
    const all = [wallet, ...others]
    const followed = Promise.all(all.map((each) => follow(each, 'COMPLETED ACTIVE')))
    await within(DEADLINE_MS, () => retriedNow(all)) // each failure doubles the pause, and these have several
    await followed
    const { wallets } = await company.known()
    assert.deepEqual(wallets.map(({ reference }) => reference).toSorted(), all.map(({ id }) => id).toSorted())
    for (const { userId } of all) await walletHistory(t, userId) // every row is a transition of the table
  })
})

describe('a dead operator', () => {
  it('delays no other work, and is not called', async () => {
    const company = await createCompany({ mode: 'timeout' })
    const gate = Promise.withResolvers<void>()
    const { createWallet } = company.operator
    const stuck = {
      ...company.operator,
      createWallet: (request: OperatorRequest) => gate.promise.then(() => createWallet(request)),
    }
    const target: Target = { company: { ...company, operator: stuck }, asked: [] }
    await stopWorker() // so that the next one finds them all together
    const wallets = await Promise.all(Array.from({ length: DEAD_WALLETS }, () => newWallet(platform, target)))
    stopWorker = await open()
    await within(DEADLINE_MS, async () => target.asked.length === CALLS_AT_ONCE)

    const user = await t.onboardedUser(platform)
    const [phone_country_code, phone_number] = ['+91', user.phone]
    const body = { platform_id: platform.id, phone_country_code, phone_number }
    await t.made('POST', '/wallet/v1/auth/otp', { body })
    await within(DEADLINE_MS, async () => {
      const { data } = await t.made('GET', `/v1/users/${user.id}/accounts?status=ACTIVE`, { token: user.token })
      return data.length === 1 && sent.includes(`+91${user.phone}`)
    })
    assert.equal(target.asked.length, CALLS_AT_ONCE, 'all this while the calls hung')

    // From here on nothing succeeds: a lookup that did, after a rest, would close the circuit.
    await company.behave({ mode: 'error' })
    const from = performance.now()
    gate.resolve()
    await Promise.all(wallets.map((wallet) => follow(wallet, 'RETRYING UNKNOWN')))
    const { calls } = await company.known()
    const rests = Math.ceil((performance.now() - from) / OPEN_MS)
    assert(calls <= CALLS_AT_ONCE + rests, `${calls} calls: those that hung, then one a rest`)
  })
})
