import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, describe, it } from 'node:test'
import { movableClock, systemClock } from '../../../src/kernel/clock.ts'
import { createAccountProviderClient } from '../../../src/domains/money/accounts/index.ts'
import { type DatabaseClock, createDatabaseClock } from '../../../src/kernel/db/database-clock.ts'
import { dateIdsBy, timeOfId } from '../../../src/kernel/id.ts'
import { workWhileRight } from '../../../src/kernel/jobs/work-while-right.ts'
import { deleteOldIdempotencyKeys } from '../../../src/record/idempotency.ts'
import { startWorker } from '../../../src/worker.ts'
import { type CallFunction, openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { partsWith } from '../../support/installation.ts'
import { auditHeads } from '../../support/keys.ts'
import { isVerified } from '../../support/receiver.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'
import { operatorDouble } from '../../support/wallets.ts'
import { openWebhooks } from '../../support/webhooks.ts'

/**
 * The clock of a process is moved; a wrong clock of the database is the same clock difference seen from the other side, so there
 * both processes are moved the other way, and what is stored with them.
 */
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const SHIFTS = [
  ['20 minutes ahead', 20 * MINUTE_MS],
  ['20 minutes behind', -20 * MINUTE_MS],
  ['26 hours ahead', 26 * 60 * MINUTE_MS],
  ['26 hours behind', -26 * 60 * MINUTE_MS],
  ['31 days ahead', 31 * DAY_MS],
  ['31 days behind', -31 * DAY_MS],
] as const
const READ_MS = 20
const WITHIN_MS = 60_000
/** A busy machine is late; the smallest difference is 20 minutes. */
const ABOUT_MS = 2 * MINUTE_MS

const t = await openTestApp({ own: true })
const sessions = openSessions(t)
const webhooks = await openWebhooks(t)
await webhooks.stop() // the worker below sends

const until = (isSo: () => boolean | Promise<boolean>) => within(WITHIN_MS, async () => isSo())
const isAbout = (at: Date | undefined, expected_ms: number) => Math.abs(Number(at) - expected_ms) < ABOUT_MS

/** A clock that can be moved, and the database's time as a process with this clock has it. */
async function startWithMovedClock() {
  const own = movableClock()
  const clock = await createDatabaseClock(t.db, { log: t.log, ownClock: own, every_ms: READ_MS })
  after(clock.stop)
  let readings = 0
  clock.onRead(() => readings++)
  const nextReadings = async (count: number) => {
    const from = readings
    await until(() => readings >= from + count)
  }
  return {
    own,
    clock,
    nextReadings,
    async moveBy(offset_ms: number) {
      own.moveBy(offset_ms)
      await nextReadings(2) // the first may have begun before
    },
  }
}

const post = async (call: CallFunction, key: string, { user, provider }: Awaited<ReturnType<typeof scene>>) =>
  call('POST', `/v1/users/${user.id}/consultations`, {
    token: user.token,
    body: { benefit_provider_id: provider.id },
    headers: { 'idempotency-key': key },
  })

async function scene() {
  const platform = await t.platform()
  return { platform, provider: await t.provider(), user: await t.onboardedUser(platform) }
}

const isReplayed = ({ headers }: Awaited<ReturnType<CallFunction>>) => headers['idempotent-replayed'] === 'true'

describe('the time of a process', async () => {
  const { own, clock, moveBy } = await startWithMovedClock()
  afterEach(() => moveBy(0))

  for (const [words, offset_ms] of SHIFTS) {
    it(`is the database's, at once and always, when its clock is set ${words}`, async () => {
      own.moveBy(offset_ms)
      assert(isAbout(clock.now(), Date.now()), 'before the database was asked again')
      await moveBy(offset_ms)
      assert(isAbout(clock.now(), Date.now()))
      assert(isAbout(clock.own(), Date.now() + offset_ms))
      assert.equal(clock.isRight(), false)
      assert(isAbout(new Date(clock.ahead_s() * 1_000), offset_ms))
      await moveBy(0)
      assert.equal(clock.isRight(), true)
      assert(isAbout(clock.now(), Date.now()))
    })
  }

  it('is its own when that is right, so that it never steps', async () => {
    await moveBy(0)
    assert.equal(clock.now().getTime() - clock.own().getTime() < READ_MS, true)
  })
})

describe('an API process with a wrong clock', async () => {
  const { clock, moveBy } = await startWithMovedClock()
  const wrong = await t.openNode({ clock, ...partsWith(t.keys, clock) })
  afterEach(async () => {
    dateIdsBy(systemClock)
    await moveBy(0)
  })

  for (const [words, offset_ms] of SHIFTS) {
    it(`${words} doubles no write, and its tokens and codes are as good as any`, async () => {
      await moveBy(offset_ms)
      dateIdsBy(clock)
      const own = await scene()
      for (const [first, second] of [
        [t.call, wrong.call],
        [wrong.call, t.call],
      ] as const) {
        const key = randomUUID()
        const done = await post(first, key, own)
        assert.equal(done.status, 201, done.text)
        assert(isAbout(timeOfId(done.body.id), Date.now()), done.body.id)
        assert(isAbout(new Date(`${done.body.created_at}Z`), Date.now()), done.text)
        await deleteOldIdempotencyKeys(t.db)
        const again = await post(second, key, own)
        assert(isReplayed(again), again.text)
        assert.deepEqual(again.body, done.body)
        await t.made('PUT', `/v1/users/${own.user.id}/consultations/${done.body.id}/status`, {
          token: own.user.token,
          body: { status: 'CLOSED' },
        })

        const headers = { authorization: `Basic ${own.platform.basicToken}` }
        const grant = { headers, body: { grant_type: 'client_credentials' } }
        const { access_token: token } = (await first('POST', '/v1/oauth/token', grant)).body
        assert.equal((await second('GET', `/v1/users/${own.user.id}`, { token })).status, 200)

        await sessions.resetLimits()
        const asked = await first('POST', '/wallet/v1/auth/otp', { body: phoneInput(own.platform, own.user.phone) })
        const code = (await sessions.codeOf(asked.body.challenge_id)) ?? assert.fail('no code')
        const body = { challenge_id: asked.body.challenge_id, otp: code }
        const begun = await second('POST', '/wallet/v1/auth/otp/verify', { body })
        assert.equal(begun.status, 200, begun.text)
        const { refresh_token } = begun.body
        const refreshed = await first('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })
        assert.equal(refreshed.status, 200, refreshed.text)
      }
    })
  }
})

describe('a worker', async () => {
  const { clock, moveBy, nextReadings } = await startWithMovedClock()
  const api = await t.openNode({ clock, ...partsWith(t.keys, clock) })
  const sent: string[] = []
  const count = { starts: 0, stops: 0 }
  const start = async () => {
    count.starts++
    const stop = await startRealWorker(clock, sent)
    return async () => {
      await stop()
      count.stops++
    }
  }
  after(await workWhileRight(clock, start, t.log))

  /** What a worker could do wrong: a young key, a session, an endpoint that has just failed. */
  async function prepared() {
    const own = await scene()
    const receiver = await webhooks.openReceiver()
    const endpoint = await webhooks.endpoint(own.platform.token, receiver.url, ['user.updated'])
    receiver.responses(500)
    await webhooks.emit(own.platform.id, ['fails'])
    const failing = 'select from webhook_endpoints where endpoint_id = $1 and failing_since is not null'
    await until(async () => (await t.sql(failing, [endpoint.id])).length === 1)
    const key = randomUUID()
    assert.equal((await post(t.call, key, own)).status, 201)
    const { refresh_token } = await sessions.signIn(own.platform, own.user)
    return { ...own, receiver, endpoint, key, refresh_token }
  }
  type Prepared = Awaited<ReturnType<typeof prepared>>

  /** Whether a worker has sent a heartbeat since they were deleted. */
  const hasWorker = async () => (await t.sql('select from workers')).length > 0

  /** Sets the clock wrong; the worker stops, and what is to be done waits. */
  async function assertStops(by_ms: number, { platform, user, receiver }: Prepared): Promise<void> {
    await moveBy(by_ms)
    await until(() => count.stops === count.starts)
    await t.sql('delete from workers')
    const before = [sent.length, receiver.received.length, count.starts]
    await sessions.resetLimits()
    await t.made('POST', '/wallet/v1/auth/otp', { body: phoneInput(platform, user.phone) })
    await webhooks.emit(platform.id, ['waits'])
    await nextReadings(10) // as many occasions to start
    assert.deepEqual([sent.length, receiver.received.length, count.starts], before, 'nothing is sent')
    assert(!(await hasWorker()), 'no heartbeat')
    assert.equal((await t.call('GET', '/readyz')).status, 200, 'the API serves without a worker')
  }

  /** Sets the clock right: nothing is lost, and everything that waited is done, with right times. */
  async function assertGoesOn({ receiver, endpoint, platform, user, ...own }: Prepared): Promise<void> {
    assert(isReplayed(await post(t.call, own.key, { user, platform, ...own })), 'the key is kept')
    assert.equal((await sessions.refresh(own.refresh_token)).status, 200, 'the session lives')
    const [row] = await t.sql('select status from webhook_endpoints where endpoint_id = $1', [endpoint.id])
    assert.deepEqual(row, { status: 'ACTIVE' })

    const [messages, calls] = [sent.length, receiver.received.length]
    receiver.does()
    await moveBy(0)
    const isDone = (subject: string) =>
      receiver.received.slice(calls).some(({ event }) => event.data.user_id === subject)
    await until(() => sent.length > messages && isDone('waits'))
    assert.deepEqual(sent.slice(messages), [`+91${user.phone}`])
    for (const one of receiver.received.slice(calls)) {
      assert(isVerified(endpoint.secret, one))
      assert(isAbout(new Date(Number(one.headers['webhook-timestamp']) * 1_000), Date.now()))
    }
    await until(hasWorker)
  }

  for (const [words, offset_ms] of SHIFTS) {
    it(`${words} of the database deletes, disables and sends nothing, and goes on once it is right`, async () => {
      const own = await prepared()
      await assertStops(offset_ms, own)
      await assertGoesOn(own)
    })

    it(`does nothing when the database is ${words}, and nothing is lost once that is right`, async () => {
      const own = await prepared()
      await assertStops(-offset_ms, own)
      await growOlder(offset_ms)
      const again = await post(api.call, own.key, own)
      assert(isReplayed(again), again.text)
      await growOlder(-offset_ms)
      await assertGoesOn(own)
    })
  }

  /** What was stored before the database's clock was moved is older by this much then. */
  const growOlder = (ms: number) =>
    t.sql(`update idempotency_keys set stored_at = stored_at - $1 * interval '1 millisecond'`, [ms])
})

/** A worker as the program starts it, whose SMS gateway keeps the numbers that it was to write to. */
async function startRealWorker(clock: DatabaseClock, sent: string[]): Promise<() => Promise<void>> {
  const nowhere = { url: 'http://127.0.0.1:1', apiKey: 'none' }
  const companies = {
    accountProvider: createAccountProviderClient(nowhere),
    operator: operatorDouble().operator,
    operatorCallbackUrl: nowhere.url,
    sms: { send: async ({ to }: { to: string }) => void sent.push(to) },
  }
  const queue = await t.startQueue()
  const settings = { url: t.appUrl, companies, auditHeads: auditHeads(), log: t.log, metrics: t.metrics }
  return startWorker({ ...t.deps, clock, queue }, settings)
}
