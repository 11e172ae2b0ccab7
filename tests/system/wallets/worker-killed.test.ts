import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { compiledCode } from '../../../src/kernel/compiled-code.ts'
import { MONITOR_SECONDS } from '../../../src/kernel/jobs/queue.ts'
import { createOutbox } from '../../../src/record/relay.ts'
import { startJobs } from '../../../src/worker.ts'
import { JOBS } from '../../../src/record/jobs.ts'
import { openTestApp } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { VAULT_KEYS } from '../../support/keys.ts'
import { freePorts } from '../../support/server.ts'
import { operatorDouble, provision, provisioningJobs, walletEvents, walletHistory } from '../../support/wallets.ts'
import { listenForCallbacks, createCompany, createWorker, untilStatus } from '../../wallets/company.ts'

const ORPHANED_SECONDS_MAX = 90
const START_DEADLINE_MS = 120_000
const MONITOR_TEST_SECONDS = 1

const t = await openTestApp({ own: true })
const company = await createCompany()
const operatorCallbackUrl = await listenForCallbacks(t)

async function scene() {
  const platform = await t.platform()
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  return { id: id as string, userId: user.id, token }
}

type Scene = Awaited<ReturnType<typeof scene>>

const createQuickWorker = () =>
  createWorker(t, { operator: company.operator, operatorCallbackUrl }, { monitor_s: MONITOR_TEST_SECONDS })

/** Asserts one wallet at the operator, COMPLETED here, only transitions of the table, one event per transition. */
async function assertWhole({ id, userId }: Scene, path: string): Promise<void> {
  const { wallet, partner } = await walletHistory(t, userId)
  assert.deepEqual({ wallet, partner }, { wallet: path, partner: 'ACTIVE' })
  assert.equal((await walletEvents(t, id)).length, path.split(' ').length)
  const { wallets } = await company.known()
  assert.equal(wallets.filter(({ reference }) => reference === id).length, 1)
}

describe('a job whose worker died', () => {
  it('runs again within 90 seconds: the sum of expiry, two checks for it and a poll is less', async () => {
    const queues = await t.sql<{ name: string; expire_seconds: number; retry_delay: number }>(
      'select name, expire_seconds, retry_delay from pgboss.queue',
    )
    for (const { name } of JOBS) {
      const queue = queues.find((one) => one.name === name)
      assert(queue)
      // A second worker may have polled just before the first one died, so its next poll can be an interval late.
      const longest = queue.expire_seconds + 2 * MONITOR_SECONDS + queue.retry_delay + 1
      assert(longest < ORPHANED_SECONDS_MAX, `${name}: ${longest} s`)
    }
  })

  it('runs again in whatever state it was left, at its eleventh attempt as at its first', async () => {
    const pending = await scene()
    const [inProgress, heard, retrying] = [await scene(), await scene(), await scene()]
    await leaveInProgress(inProgress)
    await leaveInProgress(heard)
    await company.operator.createWallet({
      reference: heard.id,
      phone: '+919800000001',
      callback_url: operatorCallbackUrl,
    })
    const failing = operatorDouble({ create: () => Promise.reject(new Error('no response came')) })
    await assert.rejects(provision(t, failing.operator, retrying.userId))
    const all = [pending, inProgress, heard, retrying]
    await createOutbox(t.db).handOver(startJobs(await t.startQueue()))
    for (const { userId } of all) await leaveJobActive(userId)

    const stop = await createQuickWorker()
    try {
      await Promise.all(all.map((wallet) => untilStatus(t, wallet, { is: 'COMPLETED', deadline_ms: 15_000 })))
    } finally {
      await stop()
    }
    await assertWhole(pending, 'CREATED PENDING IN_PROGRESS COMPLETED')
    for (const wallet of [inProgress, heard])
      await assertWhole(wallet, 'CREATED PENDING IN_PROGRESS PENDING IN_PROGRESS COMPLETED')
    await assertWhole(retrying, 'CREATED PENDING IN_PROGRESS RETRYING IN_PROGRESS COMPLETED')
    assert.deepEqual(
      (await provisioningJobs(t, pending.userId)).map((job) => job.state),
      ['completed'],
    )
  })

  it('runs again when the process was killed with SIGKILL in the middle of a call', async () => {
    await t.sql(`update pgboss.queue set expire_seconds = 3 where name = 'provision-wallet'`)
    await company.behave({ mode: 'slow', slow_ms: 2_800 })
    const callsBefore = (await company.known()).calls
    const wallet = await scene()
    const child = await startWorkerProcess()
    await untilStatus(t, wallet, { is: 'IN_PROGRESS', deadline_ms: START_DEADLINE_MS })
    await within(DEADLINE_MS, async () => (await company.known()).calls > callsBefore)
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.deepEqual(
      (await provisioningJobs(t, wallet.userId)).map((job) => job.state),
      ['active'],
    )

    await company.behave({ mode: 'ok' })
    const stop = await createQuickWorker()
    try {
      await untilStatus(t, wallet, { is: 'COMPLETED', deadline_ms: 15_000 })
    } finally {
      await stop()
    }
    await assertWhole(wallet, 'CREATED PENDING IN_PROGRESS PENDING IN_PROGRESS COMPLETED')
  })
})

/** As a killed process leaves it: the call starts and nothing is ever written again. */
async function leaveInProgress({ userId }: Scene): Promise<void> {
  const begun = Promise.withResolvers<void>()
  const never = operatorDouble({ create: () => (begun.resolve(), new Promise(() => {})) })
  void provision(t, never.operator, userId)
  await begun.promise
}

/** Taken by a worker an hour ago, after many attempts, and abandoned. */
async function leaveJobActive(userId: string): Promise<void> {
  const taken = await t.sql(
    `update pgboss.job set state = 'active', retry_count = 11, started_on = now() - interval '1 hour'
      where name = 'provision-wallet' and data->>'user_id' = $1 returning id`,
    [userId],
  )
  assert.equal(taken.length, 1)
}

/** `banyan work` as its own process. */
async function startWorkerProcess(): Promise<ChildProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-worker-'))
  const [metricsPort] = await freePorts(1)
  const child = spawn(process.execPath, ['src/main.ts', 'work'], {
    env: {
      ...compiledCode(),
      ...VAULT_KEYS,
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: folder,
      DATABASE_URL: t.appUrl,
      METRICS_PORT: String(metricsPort),
      OPERATOR_URL: company.url,
      PUBLIC_URL: new URL(operatorCallbackUrl).origin,
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  })
  after(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  return child
}
