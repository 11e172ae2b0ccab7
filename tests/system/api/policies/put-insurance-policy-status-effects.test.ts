import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideStatusChange } from '../../../../src/domains/cover/policies/set-policy-status.ts'
import type { PolicyStatus } from '../../../../src/domains/cover/policies/states.ts'
import { type Author, applyWithRetry } from '../../../../src/record/index.ts'
import { openTestApp, PLAN } from '../../../support/app.ts'
import { openedReasons, REQUEST_OF_CHANGE } from '../../../support/reasons.ts'
import { conflictOf } from '../../../support/problems.ts'
import { everythingStored } from '../../../support/stored.ts'

const t = await openTestApp({ own: true })

async function scene(input: object = {}, plan: object = {}) {
  const { platform, provider, benefit } = await t.offer([{ ...PLAN, ...plan }])
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit, input)
  return { platform, provider, benefit, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof scene>>

const put = ({ address }: Scene, token: string, body: object, headers = {}) =>
  t.call('PUT', `${address}/status`, { token, body, headers })

const read = ({ address, platform }: Scene) => t.call('GET', address, { token: platform.token })

/** As after an issue. */
const storeStatus = ({ id }: Scene, status: PolicyStatus) =>
  t.sql('update insurance_policies set status = $2, issue = greatest(issue, 1) where policy_id = $1', [id, status])

const rowOf = async ({ id }: Scene) => (await t.sql('select * from insurance_policies where policy_id = $1', [id]))[0]

async function datesOf(at: Scene): Promise<[string, string]> {
  const { id, start_date, end_date } = (await read(at)).body
  assert.equal(id, at.id)
  return [start_date, end_date]
}

async function transition(at: Scene, ...path: PolicyStatus[]): Promise<void> {
  for (const status of path) assert.equal((await put(at, t.owner, { status, reason: 'a reason' })).status, 200)
}

const historyOf = ({ id }: Scene) =>
  t.sql<{ from_status: string; to_status: string; actor: string; request_id: string; reason: string | null }>(
    `select from_status, to_status, actor, ${REQUEST_OF_CHANGE}, reason from user_status_changes h
      where entity_id = $1 and from_status is not null order by at, change_id`,
    [id],
  )

const eventsOf = ({ id }: Scene) => t.sql<{ data: object }>(`select data from events where subject = $1`, [id])

const PAST = { start_date: '2025-06-01' } // to 2026-05-31, and today is in its grace
const FUTURE = { start_date: '2090-01-01' } // to 2090-12-31

describe('PUT /v1/users/{user_id}/insurance_policies/{id}/status: renewal', () => {
  for (const to of ['ISSUED', 'REQUIRES_POLICY_REISSUANCE'] as const) {
    it(`200 from the renewal window to ${to} shifts the dates by the term and keeps the id`, async () => {
      const at = await scene(FUTURE)
      await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL')
      await transition(at, to)
      assert.deepEqual(await datesOf(at), ['2091-01-01', '2091-12-31'])
    })

    it(`200 from grace after the end to ${to} shifts the dates by the term`, async () => {
      const at = await scene(PAST)
      await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
      await transition(at, to)
      assert.deepEqual(await datesOf(at), ['2026-06-01', '2027-05-31'])
    })

    it(`200 from grace before the end (a missed instalment) to ${to} keeps the dates`, async () => {
      const at = await scene(FUTURE)
      await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
      await transition(at, to)
      assert.deepEqual(await datesOf(at), ['2090-01-01', '2090-12-31'])
    })
  }

  it('200 a renewal whose certificate is pending shifts the dates once', async () => {
    const at = await scene(FUTURE)
    await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL')
    await transition(at, 'REQUIRES_POLICY_REISSUANCE', 'ISSUED')
    assert.deepEqual(await datesOf(at), ['2091-01-01', '2091-12-31'])
  })

  it('200 year after year, leap days included, by the plan’s own term', async () => {
    const [year, halfYear] = [
      await scene({ start_date: '2026-03-01' }),
      await scene({ start_date: '2027-09-01' }, { term_months: 6 }),
    ]
    for (const [at, expected] of [
      [year, ['2026-03-01 2027-02-28', '2027-03-01 2028-02-29', '2028-03-01 2029-02-28']],
      [halfYear, ['2027-09-01 2028-02-29', '2028-03-01 2028-08-31', '2028-09-01 2029-02-28']],
    ] as const) {
      const seen = [(await datesOf(at)).join(' ')]
      for (let renewal = 1; renewal <= 2; renewal++) {
        await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL')
        await transition(at, 'ISSUED')
        seen.push((await datesOf(at)).join(' '))
      }
      assert.deepEqual(seen, expected)
    }
  })

  it('200 no other transition changes the dates', async () => {
    const at = await scene()
    await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_POLICY_REISSUANCE', 'ISSUED')
    await transition(at, 'REQUIRES_CUSTOMER_RENEWAL', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED')
    assert.deepEqual(await datesOf(at), ['2026-04-01', '2027-03-31'])
  })

  it('200 an owner’s return from EXPIRED starts the next term after the end, and keeps the dates before it', async () => {
    for (const [input, dates] of [
      [PAST, ['2026-06-01', '2027-05-31']],
      [FUTURE, ['2090-01-01', '2090-12-31']],
    ] as const) {
      const at = await scene(input)
      await storeStatus(at, 'EXPIRED')
      const back = await put(at, t.owner, { status: 'REQUIRES_POLICY_REISSUANCE', reason: 'Paid after all' })
      assert.equal(back.status, 200)
      assert.deepEqual(await datesOf(at), dates)
      await transition(at, 'ISSUED') // the certificate of that term
      assert.deepEqual(await datesOf(at), dates)
    }
  })

  it('200 the term is over when its last day has passed in India', async (test) => {
    test.after(() => void (t.clock.at = undefined))
    const [before, after] = [await scene({ start_date: '2026-04-01' }), await scene({ start_date: '2026-04-01' })]
    for (const [at, now, renewed] of [
      [before, '2027-03-31T18:29:59Z', false],
      [after, '2027-03-31T18:30:00Z', true],
    ] as const) {
      await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
      t.clock.at = new Date(now)
      const { token } = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-clock' })
      assert.equal((await put(at, token, { status: 'ISSUED' })).status, 200)
      t.clock.at = undefined
      assert.equal((await datesOf(at))[0], renewed ? '2027-04-01' : '2026-04-01')
    }
  })

  it('409 already_exists when the next term is already enrolled: the policy is unchanged', async () => {
    const at = await scene({ start_date: '2026-04-01' })
    const next = await t.policy(at.platform, at.user, at.benefit, { start_date: '2027-04-01' })
    await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL')
    const before = await rowOf(at)
    assert.equal(conflictOf(await put(at, t.owner, { status: 'ISSUED' })), `already_exists ${next}`)
    assert.deepEqual(await rowOf(at), before)
    assert.deepEqual([(await historyOf(at)).length, (await eventsOf(at)).length], [0, 1])
  })

  it('409 already_exists when an expired policy was enrolled again: it cannot be reactivated alongside it', async () => {
    const at = await scene(FUTURE)
    await storeStatus(at, 'EXPIRED')
    const again = await t.policy(at.platform, at.user, at.benefit, FUTURE)
    const refused = await put(at, t.owner, { status: 'REQUIRES_POLICY_REISSUANCE', reason: 'Expired by mistake' })
    assert.equal(conflictOf(refused), `already_exists ${again}`)
    assert.equal((await rowOf(at))?.['status'], 'EXPIRED')
    assert.deepEqual([(await historyOf(at)).length, (await eventsOf(at)).length], [0, 1])
  })
})

describe('PUT /v1/users/{user_id}/insurance_policies/{id}/status: what is recorded', () => {
  it('200 history has the actor, the request and the sealed reason', async () => {
    const at = await scene()
    const reason = 'Sealedreason: बीमारी'
    const rejected = await put(at, at.provider.token, { status: 'REJECTED', reason })
    const [change, ...more] = await historyOf(at)
    assert.deepEqual(more, [])
    assert.deepEqual(
      { ...change, reason: '' },
      {
        from_status: 'PENDING',
        to_status: 'REJECTED',
        actor: `provider:${at.provider.id}`,
        request_id: rejected.headers['x-request-id'],
        reason: '',
      },
    )
    assert.ok(!(await everythingStored(t)).includes('Sealedreason'))
    assert.equal((await openedReasons(t, at.id)).at(-1), reason)
    assert.ok(!JSON.stringify(await eventsOf(at)).includes('reason'))
  })

  for (const table of ['events', 'user_status_changes']) {
    it(`500 when ${table} cannot be written: the policy is unchanged and nothing is reported`, async (test) => {
      const at = await scene()
      const before = [await rowOf(at), await historyOf(at), await eventsOf(at)]
      await t.sql(`alter table ${table} add constraint full_up check (false) not valid`)
      test.after(() => t.sql(`alter table ${table} drop constraint full_up`))
      const refused = await put(at, t.owner, { status: 'VERIFICATION' })
      assert.equal(refused.status, 500)
      assert.ok(!refused.text.includes('full_up'))
      assert.deepEqual([await rowOf(at), await historyOf(at), await eventsOf(at)], before)
    })
  }

  it('200 the provider’s fields are stored with it, stay until replaced, and its metadata is sealed', async () => {
    const at = await scene()
    const metadata = { tpa: { name: 'Sealedtpa', codes: [1, 2.5, null, true] }, नोट: '👩🏽', empty: {} }
    await put(at, at.provider.token, { status: 'VERIFICATION', provider_metadata: metadata })
    await put(at, at.provider.token, { status: 'APPROVED', external_policy_id: 'SG-1', master_policy_number: 'MP-77' })
    await put(at, at.provider.token, { status: 'ISSUED', external_policy_id: 'SG-2' })
    const { body } = await read(at)
    assert.deepEqual(
      [body.external_policy_id, body.master_policy_number, body.metadata],
      ['SG-2', 'MP-77', { provider_metadata: metadata }],
    )
    assert.ok(!(await everythingStored(t)).includes('Sealedtpa'))
    await put(at, at.provider.token, { status: 'REQUIRES_POLICY_REISSUANCE', provider_metadata: {} })
    assert.deepEqual((await read(at)).body.metadata, { provider_metadata: {} })
  })

  it('409 invalid_state stores none of the provider’s fields', async () => {
    const at = await scene()
    const refused = await put(at, t.owner, { status: 'ISSUED', external_policy_id: 'SG-1' })
    assert.equal(refused.body.code, 'invalid_state')
    assert.equal((await read(at)).body.external_policy_id, null)
  })

  it('200 an overtaken transition is decided again: history and events are in the order of effect', async () => {
    const at = await scene()
    const actor = { caller: { kind: 'owner', subject: 'test' }, requestId: 'req_test' } as const
    const input = { userId: at.user.id, policyId: at.id, input: { status: 'REJECTED' }, ifMatch: undefined } as const
    let decisions = 0
    const overtaken = async (by: Author) => {
      const decision = await decideStatusChange(t.deps, input, by)
      if (++decisions === 1) await put(at, at.provider.token, { status: 'VERIFICATION' })
      return decision
    }
    const { policy } = await applyWithRetry(t.deps, actor, overtaken)
    assert.deepEqual([policy.status, decisions], ['REJECTED', 2])
    const changes = (await historyOf(at)).map(({ from_status, to_status }) => `${from_status} → ${to_status}`)
    assert.deepEqual(changes, ['PENDING → VERIFICATION', 'VERIFICATION → REJECTED'])
    const events = await t.sql(`select data ->> 'to' as to from events where subject = $1 order by occurred_at`, [
      at.id,
    ])
    assert.deepEqual(events, [{ to: 'PENDING' }, { to: 'VERIFICATION' }, { to: 'REJECTED' }])
  })

  it('200 for ten concurrent identical ones, and for one repeated later: one history row, one event', async () => {
    const at = await scene()
    const repeat = () => put(at, at.provider.token, { status: 'VERIFICATION' })
    const responses = await Promise.all(Array.from({ length: 10 }, repeat))
    const before = await rowOf(at)
    responses.push(await repeat())
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body.status]),
      responses.map(() => [200, 'VERIFICATION']),
    )
    assert.deepEqual(await rowOf(at), before)
    assert.deepEqual([(await historyOf(at)).length, (await eventsOf(at)).length], [1, 2])
  })

  it('200 for the current status changes nothing, whatever fields are sent: no version, issue or dates', async () => {
    const at = await scene(PAST)
    await storeStatus(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
    const [before, record] = [await rowOf(at), await read(at)]
    const body = {
      status: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
      external_policy_id: 'SG-9',
      provider_metadata: { a: 1 },
    }
    const response = await put(at, at.provider.token, body)
    assert.deepEqual([response.status, response.body.status], [200, body.status])
    assert.deepEqual(await rowOf(at), before)
    assert.equal((await read(at)).headers['etag'], record.headers['etag'])
    assert.deepEqual([(await historyOf(at)).length, (await eventsOf(at)).length], [0, 1])
    const stale = await put(at, at.provider.token, body, { 'if-match': '"other"' })
    assert.equal(stale.status, 412)
  })

  it('412 when If-Match names another version than the stored one, 200 when it names this one', async () => {
    const at = await scene()
    const etag = String((await read(at)).headers['etag'])
    const before = await rowOf(at)
    const stale = await put(at, t.owner, { status: 'VERIFICATION' }, { 'if-match': '"other"' })
    assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
    assert.deepEqual(await rowOf(at), before)
    assert.equal((await put(at, t.owner, { status: 'VERIFICATION' }, { 'if-match': etag })).status, 200)
    assert.equal((await put(at, t.owner, { status: 'PENDING' }, { 'if-match': etag })).status, 412)
    assert.equal((await rowOf(at))?.['status'], 'VERIFICATION')
  })
})
