import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { runErasures } from '../../../src/domains/privacy/personal-data/index.ts'
import { erasureDeps } from '../../../src/data-map/erase.ts'
import type { Database, Statement } from '../../../src/kernel/db/database.ts'
import { openTestApp, PLAN, type TestPlatform, type TestUser } from '../../support/app.ts'
import { enrolFamily } from '../../support/issued-policies.ts'
import { rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const erasure = { ...t.deps.erasure, noticeHours: 48 }
const node = await t.openNode({ erasure })
const HOUR_MS = 3_600_000

const erase = ({ id }: TestUser, { token }: TestPlatform, path = '') =>
  node.call('DELETE', `/v1/users/${id}${path}`, { token })
const isThere = async ({ id }: TestUser, { token }: TestPlatform) =>
  (await t.call('GET', `/v1/users/${id}`, { token })).status === 200
const typesOf = async ({ id }: TestUser) =>
  (await t.sql<{ type: string }>('select type from events where subject = $1 order by event_id', [id])).map(
    ({ type }) => type,
  )

/** A worker's run this many hours from now. `after` is called when a statement has returned. */
async function runIn(hours: number, after: (statement: string) => Promise<void> = async () => {}): Promise<void> {
  t.clock.at = new Date(Date.now() + hours * HOUR_MS)
  const { query } = t.deps.db
  const db: Database = {
    ...t.deps.db,
    query: async <Row>(step: Statement, values?: readonly unknown[]) => {
      const rows = await query<Row>(step, values)
      await after(step.name)
      return rows
    },
  }
  try {
    await runErasures({ ...t.deps, db, erasure, ...erasureDeps(t.deps) }, t.log)
  } finally {
    t.clock.at = undefined
  }
}

describe('an erasure with 48 hours of notice', () => {
  it('returns its time; until then everything works, then the user is gone', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    const { status, body } = await erase(user, platform)
    assert.equal(status, 200)
    const wait_ms = Date.parse(`${body.erased_at}Z`) - Date.now()
    assert(Math.abs(wait_ms - 48 * HOUR_MS) < 60_000, body.erased_at)
    await runIn(47)
    assert(await isThere(user, platform))
    assert.equal((await t.call('GET', `/v1/users/${user.id}/accounts`, { token: user.token })).status, 200)
    await runIn(49)
    assert(!(await isThere(user, platform)))
    await runIn(49)
    assert.equal((await rowsByTable(t, user.id))['accounts'], 0)
    assert.deepEqual((await typesOf(user)).slice(-2), ['user.erasure_scheduled', 'user.erased'])
    const [entry] = await t.sql(`select actor from audit_entries where user_id = $1 and operation = 'erase-user'`, [
      user.id,
    ])
    assert.deepEqual(entry, { actor: 'system:erase-user' })
  })

  it('requested again is unchanged: the same time, one event', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const responses = await Promise.all([1, 2, 3].map(() => erase(user, platform)))
    const later = await erase(user, platform)
    for (const { status, body } of responses) assert.deepEqual([status, body], [200, later.body])
    assert.equal((await typesOf(user)).filter((type) => type === 'user.erasure_scheduled').length, 1)
  })

  it('can be cancelled, once; then nothing happens, and it can be requested again', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await erase(user, platform)
    const cancelled = await erase(user, platform, '/erasure')
    assert.deepEqual([cancelled.status, cancelled.body], [200, { user_id: user.id, cancelled: true }])
    const again = await erase(user, platform, '/erasure')
    assert.deepEqual([again.status, again.body.cancelled], [200, false])
    await runIn(49)
    assert(await isThere(user, platform))
    assert.deepEqual((await typesOf(user)).slice(1), ['user.erasure_scheduled', 'user.erasure_cancelled'])
    assert.equal((await erase(user, platform)).status, 200)
  })

  it('is not put off by a credit or a new policy, which are a 409 until it is cancelled; money may be taken out', async () => {
    const { platform, benefit } = await t.makeOffer([PLAN])
    const user = await t.onboardedUser(platform)
    await t.wallet(platform, user)
    const post = (path: string, body: object) =>
      node.call('POST', `/v1/users/${user.id}/${path}`, {
        token: platform.token,
        body,
        headers: { 'idempotency-key': randomUUID() },
      })
    const credit = () => post('wallet/credits', { amount: 500, reference: randomUUID() })
    const policy = { benefit_id: benefit, plan_code: PLAN.plan_code, start_date: '2026-04-01', dependant_ids: [] }
    assert.equal((await erase(user, platform)).status, 200)
    for (const refused of [await credit(), await post('insurance_policies', policy)]) {
      assert.equal(refused.status, 409, refused.text)
      assert.equal(refused.body.reason, 'erasure_scheduled')
    }
    const debit = await post('wallet/debits', { amount: 500, reference: 'all' })
    assert.equal(debit.body.reason, 'insufficient_balance', 'it is asked for the balance only')
    assert.deepEqual(await t.sql('select 1 from insurance_policies where user_id = $1', [user.id]), [])
    await erase(user, platform, '/erasure')
    assert.equal((await credit()).status, 201)
    assert.equal((await post('insurance_policies', policy)).status, 201)
  })

  for (const statement of ['erasures_due', 'users_find_to_erase']) {
    it(`can be cancelled while a worker is about to execute it (${statement}), and requested again`, async () => {
      const platform = await t.platform()
      const [cancelled, again] = [await t.user(platform), await t.user(platform)]
      for (const user of [cancelled, again]) await erase(user, platform)
      const users = [cancelled.id, again.id]
      let times = 0
      await runIn(49, async (name) => {
        if (name !== statement || times++ > 0) return
        await t.sql('delete from erasures where user_id = any ($1)', [users])
        await t.sql(
          `insert into erasures (user_id, asked_at, next_at, ends_policies)
           values ($1, now(), now() + interval '97 hours', false)`,
          [again.id],
        )
      })
      assert(times > 0)
      assert(await isThere(cancelled, platform))
      assert(await isThere(again, platform), 'its own notice has only begun')
      await runIn(96)
      assert(await isThere(again, platform))
      await runIn(98)
      assert(!(await isThere(again, platform)))
      assert(await isThere(cancelled, platform))
    })
  }

  it('ends policies when a later request asks for it, at the time of the first', async () => {
    const at = await enrolFamily(t, { dependants: [] })
    const { platform, user } = at
    const setStatus = (status: string) =>
      t.sql('update insurance_policies set status = $2, issue = $3 where user_id = $1', [
        user.id,
        status,
        status === 'ISSUED' ? 1 : 0,
      ])
    await setStatus('APPROVED')
    const first = await erase(user, platform)
    assert.equal(first.status, 200)
    await setStatus('ISSUED')
    assert.equal((await erase(user, platform)).body.reason, 'in_use', 'nobody has asked to end it')
    for (const query of ['?end_policies=true', '?end_policies=true', '']) {
      const again = await erase(user, platform, query)
      assert.deepEqual([again.status, again.body], [200, first.body])
    }
    await runIn(49)
    assert(!(await isThere(user, platform)))
    assert.deepEqual(
      (await typesOf(user)).filter((type) => type.includes('eras')),
      ['user.erasure_scheduled', 'user.erased', 'user.erased'], // that of the platform, and of the benefit provider
    )
  })

  it('is not executed while the wallet holds money, and is tried again an hour later', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await t.wallet(platform, user)
    assert.equal((await erase(user, platform)).status, 200)
    await t.sql('update wallets set balance_paise = 100, revision = revision + 1 where user_id = $1', [user.id])
    await assert.rejects(runIn(49), /wallet holds money/)
    assert(await isThere(user, platform))
    await t.sql('update wallets set balance_paise = 0, revision = revision + 1 where user_id = $1', [user.id])
    await runIn(49.5)
    assert(await isThere(user, platform), 'not every two seconds')
    await runIn(50.5)
    assert(!(await isThere(user, platform)))
  })

  it('409 in_use before any notice, and none is scheduled', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await t.wallet(platform, user)
    await t.sql('update wallets set balance_paise = 100 where user_id = $1', [user.id])
    assert.equal((await erase(user, platform)).body.reason, 'in_use')
    assert.equal((await t.sql('select 1 from erasures where user_id = $1', [user.id])).length, 0)
  })

  it('404 for cancelling an executed one and another platform’s', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const [user, gone] = [await t.user(platform), await t.user(platform)]
    await erase(user, platform)
    assert.equal((await erase(user, other, '/erasure')).status, 404)
    await t.made('DELETE', `/v1/users/${gone.id}`, { token: platform.token })
    assert.equal((await erase(gone, platform, '/erasure')).status, 404)
  })
})
