import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CircuitOpenError } from '../../../src/kernel/outbound/circuit-breaker.ts'
import { deleteOldOperatorEvents, requeueUnfinishedWallets } from '../../../src/domains/money/wallets/index.ts'
import { provisionWallet } from '../../../src/domains/money/wallets/provision-wallet.ts'
import type { Database } from '../../../src/kernel/db/database.ts'
import { openTestApp } from '../../support/app.ts'
import {
  HELD,
  operatorDouble,
  provision,
  provisioningJobs,
  REFUSED,
  walletEvents,
  walletHistory,
} from '../../support/wallets.ts'

const t = await openTestApp({ own: true })
const TRIES = 12
const DAY_MS = 24 * 3_600_000

/** A wallet as created; the test itself runs the job of the worker. */
async function scene() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const create = () => t.made('POST', '/wallet/v1/wallet', { token })
  const { partner_wallet_id: id } = await create()
  return { id: id as string, userId: user.id, phone: user.phone, token, create }
}

type Scene = Awaited<ReturnType<typeof scene>>

const statusesOf = async ({ token }: Scene) => {
  const { wallet_status, wallet_status_partner } = await t.made('GET', '/wallet/v1/wallet', { token })
  return `${wallet_status} ${wallet_status_partner}`
}

const pathOf = async ({ userId }: Scene) => (await walletHistory(t, userId)).wallet

/** One event for each transition, and no other. */
async function assertReported({ id, userId }: Scene): Promise<void> {
  const { wallet, partner } = await walletHistory(t, userId)
  const reported = await walletEvents(t, id)
  assert.deepEqual(
    reported.map((transitions) => transitions.split(/[> ]/)[1]),
    wallet.split(' '),
  )
  const ofPartner = reported.flatMap((transitions) => transitions.split(' ').slice(1))
  assert.deepEqual(
    ofPartner.map((transition) => transition.split('>')[1]),
    partner === '' ? [] : [partner],
  )
}

const silence = async () => {
  throw new Error('no response came')
}

/** An operator that holds the requested wallet, and responds only when released. */
function createSilentOperator() {
  const held = new Set<string>()
  let responses = false
  const double = operatorDouble({
    create: async (reference) => {
      held.add(reference)
      return responses ? HELD : silence()
    },
    find: async (reference) => (held.has(reference) ? { status: 'ACTIVE', sequence: 1 } : undefined),
  })
  return { ...double, held, response: () => (responses = true) }
}

describe('provisioning a wallet', () => {
  it('makes one call, with the phone, our reference and the callback URL, and holds no transaction open meanwhile', async () => {
    const wallet = await scene()
    const asked: object[] = []
    const operator = {
      createWallet: async (request: object) => {
        asked.push(request)
        assert.equal(await statusesOf(wallet), 'IN_PROGRESS UNKNOWN')
        await t.sql('select from wallets where user_id = $1 for update nowait', [wallet.userId])
        const open = `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in %'`
        assert.deepEqual(await t.sql(open), [])
        return HELD
      },
      findWallet: () => assert.fail('nothing was asked for before'),
      isCircuitOpen: () => false,
      isHalfOpen: () => false,
    }
    await provision(t, operator, wallet.userId)

    const callback_url = 'http://banyan.test/events'
    assert.deepEqual(asked, [{ reference: wallet.id, phone: `+91${wallet.phone}`, callback_url }])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
    assert.deepEqual(await walletHistory(t, wallet.userId), {
      wallet: 'CREATED PENDING IN_PROGRESS COMPLETED',
      partner: 'ACTIVE',
    })
    await assertReported(wallet)
  })

  it('is final once done: a second job calls nobody and changes nothing', async () => {
    const wallet = await scene()
    await provision(t, operatorDouble().operator, wallet.userId)
    const before = await walletEvents(t, wallet.id)
    const { operator, calls } = operatorDouble()
    await provision(t, operator, wallet.userId)
    assert.deepEqual([calls, await walletEvents(t, wallet.id)], [[], before])
  })

  it('ends when the operator rejects it: FAILED, no retry', async () => {
    const wallet = await scene()
    const { operator, calls } = operatorDouble({ create: async () => REFUSED })
    await provision(t, operator, wallet.userId)
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['create'])
    assert.equal(await statusesOf(wallet), 'FAILED UNKNOWN')
    assert.equal(await pathOf(wallet), 'CREATED PENDING IN_PROGRESS FAILED')
    await assertReported(wallet)
  })

  it('looks the wallet up by reference before creating it a second time, and finds that of the lost response', async () => {
    const wallet = await scene()
    const { operator, calls, held } = createSilentOperator()
    await assert.rejects(provision(t, operator, wallet.userId))
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['create', 'find'])
    assert.deepEqual([...held], [wallet.id])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
    assert.equal(await pathOf(wallet), 'CREATED PENDING IN_PROGRESS RETRYING IN_PROGRESS COMPLETED')
    await assertReported(wallet)
  })

  it('creates a second time only when the operator confirms that it has none', async () => {
    const wallet = await scene()
    let tries = 0
    const { operator, calls } = operatorDouble({ create: () => (++tries === 1 ? silence() : Promise.resolve(HELD)) })
    await assert.rejects(provision(t, operator, wallet.userId))
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['create', 'find', 'create'])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
  })

  it('creates nothing while the lookup has no response', async () => {
    const wallet = await scene()
    const { operator, calls } = operatorDouble({ create: silence, find: silence })
    for (let run = 0; run < 3; run++) await assert.rejects(provision(t, operator, wallet.userId))
    assert.deepEqual(calls, ['create', 'find', 'find'])
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
  })

  it('looks it up first when it is created again after attempts without a response', async () => {
    const wallet = await scene()
    const { operator, calls, held, response } = createSilentOperator()
    const broken = { ...operator, findWallet: silence }
    for (let run = 1; run < TRIES; run++) await assert.rejects(provision(t, broken, wallet.userId))
    await provision(t, broken, wallet.userId)
    assert.equal(await statusesOf(wallet), 'FAILED UNKNOWN')

    response()
    calls.length = 0
    await wallet.create()
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['find'])
    assert.deepEqual([...held], [wallet.id])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
  })
})

describe('giving up', () => {
  it('FAILED at the twelfth attempt, and the queue has nothing left to retry', async () => {
    const wallet = await scene()
    const { operator, calls } = operatorDouble({ create: silence })
    for (let run = 1; run < TRIES; run++) {
      await assert.rejects(provision(t, operator, wallet.userId), /no response came/)
      assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    }
    await provision(t, operator, wallet.userId) // does not throw: the job is over
    assert.equal(await statusesOf(wallet), 'FAILED UNKNOWN')
    assert.equal(calls.filter((call) => call === 'create').length, TRIES)

    calls.length = 0
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, [])
    const path = `CREATED PENDING${' IN_PROGRESS RETRYING'.repeat(TRIES)} FAILED`
    assert.equal(await pathOf(wallet), path)
    await assertReported(wallet)
  })

  it('twelve new attempts when it is created again', async () => {
    const wallet = await scene()
    const { operator, calls } = operatorDouble({ create: silence })
    for (let run = 1; run < TRIES; run++) await assert.rejects(provision(t, operator, wallet.userId))
    await provision(t, operator, wallet.userId)
    calls.length = 0
    await wallet.create()
    for (let run = 1; run < TRIES; run++) await assert.rejects(provision(t, operator, wallet.userId))
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    await provision(t, operator, wallet.userId)
    assert.equal(await statusesOf(wallet), 'FAILED UNKNOWN')
    assert.equal(calls.filter((call) => call === 'create').length, TRIES)
  })

  it('FAILED after 24 hours, without another call; not a moment before', async () => {
    const wallet = await scene()
    const [row] = await t.sql<{ queued_at: Date }>('select queued_at from wallets where user_id = $1', [wallet.userId])
    const since = row?.queued_at.getTime() ?? 0
    const { operator, calls } = operatorDouble({ create: silence })
    await assert.rejects(provision(t, operator, wallet.userId))
    t.clock.at = new Date(since + DAY_MS)
    await assert.rejects(provision(t, operator, wallet.userId))
    assert.deepEqual(calls, ['create', 'find', 'create'])

    t.clock.at = new Date(since + DAY_MS + 1)
    await provision(t, operator, wallet.userId)
    t.clock.at = undefined
    assert.equal(calls.length, 3)
    assert.equal(await statusesOf(wallet), 'FAILED UNKNOWN')
    await assertReported(wallet)
  })

  it('writes nothing while the circuit is open, however often it is tried', async () => {
    const wallet = await scene()
    const resting = { ...operatorDouble().operator, isCircuitOpen: () => true }
    for (let run = 0; run < TRIES * 2; run++)
      await assert.rejects(provision(t, resting, wallet.userId), (error) => error instanceof CircuitOpenError)
    assert.equal(await statusesOf(wallet), 'PENDING UNKNOWN')
    assert.equal(await pathOf(wallet), 'CREATED PENDING')
    await assertReported(wallet)
    await provision(t, operatorDouble().operator, wallet.userId)
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
  })

  it('does not count attempts that found the circuit open', async () => {
    const wallet = await scene()
    const rests = () => Promise.reject(new CircuitOpenError('the operator'))
    const resting = operatorDouble({ create: rests, find: rests })
    for (let run = 0; run < TRIES * 2; run++) await assert.rejects(provision(t, resting.operator, wallet.userId))
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    const [row] = await t.sql('select tries from wallets where user_id = $1', [wallet.userId])
    assert.equal(row?.['tries'], 0)

    const awake = operatorDouble()
    await provision(t, awake.operator, wallet.userId)
    assert.deepEqual(awake.calls, ['create']) // nobody was called before, so there is nothing to look up
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
    await assertReported(wallet)
  })
})

describe('a worker that died', () => {
  it('before it started: PENDING continues unaffected', async () => {
    const wallet = await scene()
    const { operator, calls } = operatorDouble()
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['create'])
  })

  it('during a call that the operator received: the lookup finds the wallet', async () => {
    const wallet = await scene()
    await leaveInProgress(wallet)
    const { operator, calls } = operatorDouble({ find: async () => ({ status: 'BLOCKED', sequence: 4 }) })
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['find'])
    assert.equal(await statusesOf(wallet), 'COMPLETED BLOCKED')
    assert.equal(await pathOf(wallet), 'CREATED PENDING IN_PROGRESS PENDING IN_PROGRESS COMPLETED')
    await assertReported(wallet)
    const jobs = (await t.startedJobs('provision-wallet')).filter(({ user_id }) => user_id === wallet.userId)
    assert.equal(jobs.length, 1, 'the job that goes on starts no second one')
  })

  it('during a call that the operator did not receive: it is looked up, then created', async () => {
    const wallet = await scene()
    await leaveInProgress(wallet)
    const { operator, calls } = operatorDouble()
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['find', 'create'])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
    await assertReported(wallet)
  })

  it('repeatedly: every death counts as an attempt', async () => {
    const wallet = await scene()
    for (let death = 0; death < TRIES; death++) await leaveInProgress(wallet)
    const { operator } = operatorDouble({ create: silence })
    await provision(t, operator, wallet.userId)
    assert.equal(await statusesOf(wallet), 'FAILED UNKNOWN')
    await assertReported(wallet)
  })

  it('after a missing response: RETRYING continues with the lookup', async () => {
    const wallet = await scene()
    const { operator, calls } = createSilentOperator()
    await assert.rejects(provision(t, operator, wallet.userId))
    await provision(t, operator, wallet.userId)
    assert.deepEqual(calls, ['create', 'find'])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
  })

  /** As a killed process leaves it: the call starts and nothing is ever written again. */
  async function leaveInProgress(wallet: Scene): Promise<void> {
    const begun = Promise.withResolvers<void>()
    const never = operatorDouble({
      create: () => (begun.resolve(), new Promise(() => {})),
      find: () => (begun.resolve(), new Promise(() => {})),
    })
    void provision(t, never.operator, wallet.userId)
    await begun.promise
  }
})

describe('the schedule', () => {
  it('queues again what was stuck for three hours midway, once however many check, and nothing else', async () => {
    const stood = async (wallet: Scene, status: string, partner: string, hours: number) =>
      t.sql(
        `update wallets set wallet_status = $2, wallet_status_partner = $3, last_modified_at = now() - $4 * interval '1 hour'
          where user_id = $1`,
        [wallet.userId, status, partner, hours],
      )
    const cases = [
      ...['PENDING', 'IN_PROGRESS', 'RETRYING'].map((status) => ({ status, partner: 'UNKNOWN', hours: 3.1, again: 1 })),
      { status: 'RETRYING', partner: 'UNKNOWN', hours: 2.9, again: 0 },
      { status: 'FAILED', partner: 'UNKNOWN', hours: 30, again: 0 },
      { status: 'COMPLETED', partner: 'ACTIVE', hours: 30, again: 0 },
    ]
    const wallets = await Promise.all(cases.map(() => scene()))
    for (const [index, { status, partner, hours }] of cases.entries())
      await stood(wallets[index] as Scene, status, partner, hours)
    const worker = { ...t.deps, queue: await t.startQueue() }
    await Promise.all([requeueUnfinishedWallets(worker), requeueUnfinishedWallets(worker)])
    await requeueUnfinishedWallets(worker)
    for (const [index, { status, again }] of cases.entries()) {
      const jobs = await provisioningJobs(t, (wallets[index] as Scene).userId)
      assert.equal(jobs.length, again, status)
    }
  })

  it('purges callback ids after a week, long after their signature is too old', async () => {
    await t.sql(`insert into operator_events (event_id, received_at)
                 values ('old', now() - interval '7 days 1 minute'), ('young', now() - interval '6 days 23 hours')`)
    await deleteOldOperatorEvents(t.db)
    assert.deepEqual(await t.sql('select event_id from operator_events'), [{ event_id: 'young' }])
  })
})

describe('other interruptions', () => {
  it('our database fails after the operator has responded: the next attempt finds the wallet', async () => {
    const wallet = await scene()
    const { operator, calls, held, response } = createSilentOperator()
    response()
    let writes = 0
    const db: Database = {
      ...t.deps.db,
      query: (step, values) => {
        const fails = step.name === 'wallets_update' && ++writes === 2
        return fails ? Promise.reject(new Error('the database went away')) : t.deps.db.query(step, values)
      },
    }
    const context = { ...t.deps, db, operator, callbackUrl: 'http://banyan.test/events' }
    await assert.rejects(provisionWallet(context, wallet.userId), /the database went away/)
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    await provisionWallet(context, wallet.userId)
    assert.deepEqual(calls, ['create', 'find'])
    assert.deepEqual([...held], [wallet.id])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
    await assertReported(wallet)
  })

  it('five workers run one job concurrently: one reference, one outcome, no transition outside the table', async () => {
    const wallet = await scene()
    const { operator, held, response } = createSilentOperator()
    response()
    await Promise.all(Array.from({ length: 5 }, () => provision(t, operator, wallet.userId)))
    assert.deepEqual([...held], [wallet.id])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
    const reported = await walletEvents(t, wallet.id)
    assert.equal(reported.filter((transitions) => transitions.includes('UNKNOWN>ACTIVE')).length, 1)
    await assertReported(wallet)
  })

  it('UNKNOWN exactly while not COMPLETED is a constraint of the table itself', async () => {
    const wallet = await scene()
    const set = (status: string, partner: string) =>
      t.sql('update wallets set wallet_status = $2, wallet_status_partner = $3 where user_id = $1', [
        wallet.userId,
        status,
        partner,
      ])
    await assert.rejects(set('COMPLETED', 'UNKNOWN'), { code: '23514' })
    for (const status of ['CREATED', 'PENDING', 'IN_PROGRESS', 'RETRYING', 'FAILED']) {
      await assert.rejects(set(status, 'ACTIVE'), { code: '23514' })
      await assert.rejects(set(status, 'BLOCKED'), { code: '23514' })
      await set(status, 'UNKNOWN')
    }
    await set('COMPLETED', 'ACTIVE')
  })
})
