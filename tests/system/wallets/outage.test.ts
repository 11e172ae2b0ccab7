import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Operator } from '../../../src/domains/money/wallets/operator.ts'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { walletEvents, walletHistory } from '../../support/wallets.ts'
import { listenForCallbacks, createCompany, createWorker, untilStatus } from '../../wallets/company.ts'

const MANY = 200
/** The number of jobs that a worker takes from one queue at a time. */
const CALLS_AT_ONCE = 10
const ONE_WITHIN_MS = 60_000
const ALL_WITHIN_MS = 120_000
const OPENS_AFTER = 5
/** So that the test is short; the tests of the operator check how long a circuit really stays open. */
const OPEN_MS = 1_000
/** Few enough that they begin nearly in order, and enough that they share statements. */
const SCENES_AT_ONCE = 5

const t = await openTestApp({ own: true })
const company = await createCompany({ mode: 'ok' }, { open_ms: OPEN_MS })
const operatorCallbackUrl = await listenForCallbacks(t)

let running = 0
let maxConcurrent = 0
let asked = 0
const counted =
  <Asked, TestResponse>(call: (asked: Asked) => Promise<TestResponse>) =>
  async (question: Asked): Promise<TestResponse> => {
    asked++
    maxConcurrent = Math.max(maxConcurrent, ++running)
    return call(question).finally(() => running--)
  }
const operator: Operator = {
  ...company.operator,
  createWallet: counted(company.operator.createWallet),
  findWallet: counted(company.operator.findWallet),
}

let stopWorker: () => Promise<void>
before(async () => {
  stopWorker = await createWorker(t, { operator, operatorCallbackUrl })
})
after(() => stopWorker())

type Scene = { id: string; userId: string; token: string }

const platform = await t.platform()

async function scene(): Promise<Scene> {
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  return { id, userId: user.id, token }
}

const DEFER = `update pgboss.job set start_after = now() + interval '1 hour'
                where name = 'provision-wallet' and state = 'retry' and start_after < now() + interval '30 minutes'
            returning 1`
const DEFERRED = `select 1 from pgboss.job
                   where name = 'provision-wallet' and state = 'retry' and start_after > now() + interval '30 minutes'`
const SETTLED_MS = 1_000

/** The operator is down, its circuit open, and every job waits an hour, as after many attempts. */
async function inOutage(count: number): Promise<Scene[]> {
  await company.behave({ mode: 'error' })
  const wallets: Scene[] = []
  while (wallets.length < count) {
    const some = Math.min(SCENES_AT_ONCE, count - wallets.length)
    wallets.push(...(await Promise.all(Array.from({ length: some }, scene))))
  }
  // Until nothing has changed for a while: the worker sets the delay of a failed job in a second statement.
  let settledSince = performance.now()
  await within(ALL_WITHIN_MS, async () => {
    const hasChanged = (await t.sql(DEFER)).length > 0
    if (hasChanged) settledSince = performance.now()
    return performance.now() - settledSince > SETTLED_MS && (await t.sql(DEFERRED)).length === count
  })
  for (let call = 0; call < OPENS_AFTER; call++) await company.operator.findWallet('wal_none').catch(() => {})
  return wallets
}

const completed = async () =>
  (await t.sql<{ id: string }>(`select partner_wallet_id as id from wallets where wallet_status = 'COMPLETED'`)).length

describe('when the operator recovers from an outage', () => {
  it('a single pending wallet is provisioned long before its next attempt, which the outage did not use up', async () => {
    const [wallet] = (await inOutage(1)) as [Scene]
    const before = await walletHistory(t, wallet.userId)
    const triesOf = async () => (await t.sql('select tries from wallets where user_id = $1', [wallet.userId]))[0]
    const tries = await triesOf()
    const askedBefore = asked
    await within(ALL_WITHIN_MS, async () => asked > askedBefore)
    assert.deepEqual(await triesOf(), tries)
    assert.deepEqual(await walletHistory(t, wallet.userId), before)

    await company.behave({ mode: 'ok' })
    await untilStatus(t, wallet, { is: 'COMPLETED', deadline_ms: ONE_WITHIN_MS })
    assert.equal((await walletHistory(t, wallet.userId)).wallet, `${before.wallet} IN_PROGRESS COMPLETED`)
    assert.equal((await walletEvents(t, wallet.id)).length, before.wallet.split(' ').length + 2)
  })

  it(`all ${MANY} pending ones are provisioned with one call each, oldest first, ten at a time`, async () => {
    const wallets = await inOutage(MANY)
    const madeBefore = await completed()
    maxConcurrent = 0
    await company.behave({ mode: 'ok' })
    await within(ALL_WITHIN_MS, async () => (await completed()) - madeBefore === MANY)
    assert(
      maxConcurrent <= CALLS_AT_ONCE + 1,
      `${maxConcurrent} calls at once, with the one that asks whether it is back`,
    )

    const { wallets: held } = await company.known()
    const own = wallets.map(({ id }) => id)
    const order = held.map(({ reference }) => own.indexOf(reference)).filter((index) => index >= 0)
    assert.equal(order.length, MANY, 'one wallet each')
    const youngest = Math.max(...order.slice(1, MANY / 4)) // the first may be the one that was probed
    assert(youngest < MANY / 2, `among the first quarter is number ${youngest}`)
  })
})
