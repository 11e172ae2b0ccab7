import assert from 'node:assert/strict'
import { auditHeads } from '../../support/keys.ts'
import { after, afterEach, describe, it } from 'node:test'
import { erasureDeps } from '../../../src/data-map/erase.ts'
import { createLeadership } from '../../../src/kernel/db/leadership.ts'
import { EVENTS_CHANNEL } from '../../../src/record/index.ts'
import { schedule } from '../../../src/schedule.ts'
import { createImportedOperations } from '../../../src/worker.ts'
import { openTestApp } from '../../support/app.ts'
import { operatorDouble } from '../../support/wallets.ts'

const MINUTE_MS = 60_000
const SHIFTS = [
  [20, '20 minutes ahead of'],
  [-20, '20 minutes behind'],
  [26 * 60, '26 hours ahead of'],
  [-26 * 60, '26 hours behind'],
  [31 * 1_440, '31 days ahead of'],
  [-31 * 1_440, '31 days behind'],
] as const

const t = await openTestApp({ own: true })
const queue = await t.startQueue()
const { operator } = operatorDouble()

afterEach(() => {
  t.clock.at = undefined
  t.calendar.at = undefined
})

/** What a worker leads. */
function joinLeadership() {
  const leadership = createLeadership({ url: t.appUrl, channel: EVENTS_CHANNEL, log: t.log })
  after(leadership.close)
  return leadership
}

const own = joinLeadership()

/** The periodic tasks of a worker. */
function tasks(leadership = own) {
  const deps = { ...t.deps, ...erasureDeps(t.deps), queue, operator, callbackUrl: 'http://banyan.test/events' }
  return schedule(
    {
      ...deps,
      auditHeads: auditHeads(),
      auditArchiveDays: null,
      statusHours: 24,
      reportContradiction: () => {},
      noticeDays: [30, 7, 1],
      reportTaken: () => {},
      leadership,
      singleCalls: createImportedOperations(t.deps),
      log: t.log,
    },
    'wrk_test',
  )
}

/** Runs the calendar once as a worker does. */
async function round(leadership = own): Promise<void> {
  const calendar = tasks(leadership).find(({ name }) => name === 'policy-calendar')
  assert(calendar)
  await calendar.run(new AbortController().signal)
}

/** A policy whose grace is over on the calendar's day. */
async function overduePolicy(): Promise<string> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, await t.benefit(platform, provider))
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
    await t.made('PUT', `/v1/users/${user.id}/insurance_policies/${id}/status`, { token: t.owner, body: { status } })
  }
  t.calendar.at = new Date('2027-06-01T06:30:00Z')
  return id
}

const statusesOf = async (id: string) =>
  (
    await t.sql<{ to_status: string }>(
      'select to_status from user_status_changes where entity_id = $1 order by at, change_id',
      [id],
    )
  ).map(({ to_status }) => to_status)

const ISSUED = ['PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED']

describe('a worker whose clock is wrong', () => {
  for (const [minutes, words] of [
    [2, 'ahead of'],
    [-2, 'behind'],
  ] as const) {
    it(`changes no policy while it is ${words} the database's by two minutes, and logs both times`, async () => {
      const id = await overduePolicy()
      const wrong = new Date(Date.now() + minutes * MINUTE_MS)
      t.clock.at = wrong
      await assert.rejects(round(), ({ message }: Error) => {
        const [own, database] = message.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? []
        assert.equal(own, wrong.toISOString())
        assert(Math.abs(Date.parse(String(database)) - Date.now()) < MINUTE_MS, 'the time of the database')
        return true
      })
      assert.deepEqual(await statusesOf(id), ISSUED)

      t.clock.at = undefined
      await round()
      assert.equal((await statusesOf(id)).at(-1), 'EXPIRED')
    })
  }

  for (const [minutes, words] of SHIFTS) {
    it(`runs no task but the probe of the operator while it is ${words} the database's`, async () => {
      t.clock.at = new Date(Date.now() + minutes * MINUTE_MS)
      const others = tasks().filter(({ name }) => name !== 'probe-operator')
      assert(others.length > 15)
      for (const { name, run } of others) {
        await assert.rejects(run(new AbortController().signal), /the clock of this process .* differs/, name)
      }
      assert.equal((await t.sql('select from workers')).length, 0, 'no heartbeat')
    })
  }

  it('does its work when the two differ by half a minute', async () => {
    const id = await overduePolicy()
    t.clock.at = new Date(Date.now() + MINUTE_MS / 2)
    await round()
    assert.equal((await statusesOf(id)).at(-1), 'EXPIRED')
  })
})

describe('several workers', () => {
  it('leave the calendar of policies to the one that leads, until it is gone', async () => {
    const id = await overduePolicy()
    const [one, other] = [joinLeadership(), joinLeadership()]
    await own.close()
    t.calendar.at = undefined
    await round(one)
    t.calendar.at = new Date('2027-06-01T06:30:00Z')
    await round(other)
    assert.deepEqual(await statusesOf(id), ISSUED)
    await one.close()
    await round(other)
    assert.equal((await statusesOf(id)).at(-1), 'EXPIRED')
  })
})
