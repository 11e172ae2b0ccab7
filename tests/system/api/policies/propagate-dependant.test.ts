import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { POLICY_STATUSES, type PolicyStatus } from '../../../../src/domains/cover/policies/states.ts'
import { type TestResponse, openTestApp, type TestPlatform, type TestUser } from '../../../support/app.ts'
import { meetBehind } from '../../../support/meeting.ts'
import { REQUEST_OF_CHANGE } from '../../../support/reasons.ts'

const t = await openTestApp({ own: true })

/** A user with two dependants, and a benefit to enrol in. */
async function scene() {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const user = await t.onboardedUser(platform)
  const [ravi = '', mira = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
  const enrol = (input: object) => t.policy(platform, user, benefit, input)
  return { platform, provider, benefit, user, ravi, mira, enrol }
}

const place = (id: string, status: PolicyStatus) =>
  t.sql('update insurance_policies set status = $2 where policy_id = $1', [id, status])

type Correction = { platform: TestPlatform; user: TestUser }

const correct = (
  { platform, user }: Correction,
  id: string,
  headers = {},
  first_name = 'Corrected',
): Promise<TestResponse> =>
  t.call('PATCH', `/v1/users/${user.id}/dependants/${id}`, { token: platform.token, body: { first_name }, headers })

async function corrected(at: Correction, id: string, first_name?: string): Promise<string> {
  const response = await correct(at, id, {}, first_name)
  assert.equal(response.status, 200, response.text)
  return response.body.id
}

async function policyRow(id: string) {
  const rows = await t.sql<{ status: PolicyStatus; dependant_ids: string[]; nominee_dependant_id: string | null }>(
    'select *, xmin::text as written_by from insurance_policies where policy_id = $1',
    [id],
  )
  assert.ok(rows[0])
  return rows[0]
}

/** The transitions of a policy after its enrolment, in history and in events. */
async function tracesOf(id: string) {
  const history = await t.sql(
    `select from_status, to_status, actor, ${REQUEST_OF_CHANGE}, reason, xmin::text as written_by
       from user_status_changes h where entity_id = $1 and from_status is not null order by at, change_id`,
    [id],
  )
  const events = await t.sql(
    `select data, xmin::text as written_by from events
      where subject = $1 and data ->> 'from' is not null order by occurred_at, event_id`,
    [id],
  )
  return { history, events }
}

const untraced = { history: [], events: [] }

/** Everything of a user that a correction could change. */
async function everythingOf({ id }: TestUser) {
  const of = (table: string) => t.sql(`select * from ${table} as row where user_id = $1 order by row::text`, [id])
  const events = t.sql(`select * from events where data ->> 'user_id' = $1 order by event_id`, [id])
  return Promise.all([of('dependants'), of('insurance_policies'), of('user_status_changes'), events])
}

describe('PATCH /v1/users/{user_id}/dependants/{dependant_id}: policies follow the new version', () => {
  it('200 an ISSUED policy must be issued again, in the same transaction as the correction', async () => {
    const at = await scene()
    const id = await at.enrol({ dependant_ids: [at.mira, at.ravi] })
    await place(id, 'ISSUED')
    const response = await correct(at, at.ravi)
    const newId = response.body.id

    const { written_by, ...row } = (await policyRow(id)) as Awaited<ReturnType<typeof policyRow>> & {
      written_by: string
    }
    assert.deepEqual([row.status, row.dependant_ids], ['REQUIRES_POLICY_REISSUANCE', [at.mira, newId]])
    const [from_status, to_status] = ['ISSUED', 'REQUIRES_POLICY_REISSUANCE']
    const [actor, request_id] = [`platform:${at.platform.id}`, response.headers['x-request-id']]
    const ids = { user_id: at.user.id, insurance_policy_id: id, benefit_provider_id: at.provider.id }
    const data = { ...ids, from: from_status, to: to_status }
    assert.deepEqual(await tracesOf(id), {
      history: [{ from_status, to_status, actor, request_id, reason: null, written_by }],
      events: [{ data, written_by }],
    })
    const [version] = await t.sql(
      `select d.xmin::text as version, e.xmin::text as reported
         from dependants d join events e on e.subject = d.dependant_id
        where d.dependant_id = $1`,
      [newId],
    )
    assert.deepEqual(version, { version: written_by, reported: written_by })
  })

  it('200 the record has the new version and a new ETag; the old version stays readable', async () => {
    const at = await scene()
    const id = await at.enrol({ dependant_ids: [at.ravi] })
    const { token } = at.platform
    const read = () => t.call('GET', `/v1/users/${at.user.id}/insurance_policies/${id}`, { token })
    const etag = (await read()).headers['etag']
    const newId = await corrected(at, at.ravi)
    const after = await read()
    assert.deepEqual(after.body.dependant_ids, [newId])
    assert.deepEqual(after.body.dependants, [{ id: newId, first_name: 'Corrected', last_name: 'Example' }])
    assert.notEqual(after.headers['etag'], etag)
    const old = await t.call('GET', `/v1/users/${at.user.id}/dependants/${at.ravi}`, { token })
    assert.deepEqual([old.status, old.body.first_name], [200, 'Ravi'])
  })

  it('200 every open policy follows without a transition; EXPIRED and REJECTED ones are unchanged', async () => {
    const at = await scene()
    const policies: { id: string; status: PolicyStatus }[] = []
    for (const [index, status] of POLICY_STATUSES.entries()) {
      const id = await at.enrol({ start_date: `${2026 + index}-04-01`, dependant_ids: [at.ravi, at.mira] })
      await place(id, status)
      policies.push({ id, status })
    }
    const before = await Promise.all(policies.map(({ id }) => policyRow(id)))
    const newId = await corrected(at, at.ravi)
    for (const [index, { id, status }] of policies.entries()) {
      const row = await policyRow(id)
      if (status !== 'ISSUED') assert.deepEqual(await tracesOf(id), untraced, status)
      if (status === 'EXPIRED' || status === 'REJECTED') assert.deepEqual(row, before[index])
      else assert.deepEqual(row.dependant_ids, [newId, at.mira], status)
      assert.equal(row.status, status === 'ISSUED' ? 'REQUIRES_POLICY_REISSUANCE' : status)
    }
  })

  it('200 the nominee follows, covered or not, and the certificate naming them is issued again', async () => {
    const at = await scene()
    const nominee_details = { nominee_type: 'DEPENDANT', dependant_id: at.ravi }
    const both = await at.enrol({ dependant_ids: [at.ravi, at.mira], nominee_details })
    const only = await at.enrol({ start_date: '2027-04-01', dependant_ids: [at.mira], nominee_details })
    await place(only, 'ISSUED')
    const newId = await corrected(at, at.ravi)
    const rows = [await policyRow(both), await policyRow(only)]
    assert.deepEqual(
      rows.map((row) => [row.status, row.dependant_ids, row.nominee_dependant_id]),
      [
        ['PENDING', [newId, at.mira], newId],
        ['REQUIRES_POLICY_REISSUANCE', [at.mira], newId],
      ],
    )
  })

  it('200 version after version: one reissue is requested until it is done', async () => {
    const at = await scene()
    const id = await at.enrol({ dependant_ids: [at.ravi] })
    await place(id, 'ISSUED')
    const second = await corrected(at, at.ravi)
    const third = (await correct(at, second, {}, 'Again')).body.id
    assert.deepEqual((await policyRow(id)).dependant_ids, [third])
    assert.equal((await tracesOf(id)).history.length, 1)

    const address = `/v1/users/${at.user.id}/insurance_policies/${id}/status`
    await t.made('PUT', address, { token: at.provider.token, body: { status: 'ISSUED', persons_version: 2 } })
    await correct(at, third, {}, 'Once more')
    const { status } = await policyRow(id)
    assert.deepEqual([status, (await tracesOf(id)).history.length], ['REQUIRES_POLICY_REISSUANCE', 3])
  })

  it('200 policies that do not cover the dependant are unchanged, as are other users’ and platforms’', async () => {
    const [at, elsewhere] = [await scene(), await scene()]
    const neighbour = await t.onboardedUser(at.platform)
    const [theirs = ''] = await t.dependants({ ...neighbour, token: at.platform.token }, ['Ravi'])
    const other = await at.enrol({ dependant_ids: [at.mira] })
    await place(other, 'ISSUED')
    for (const id of [
      await t.policy(at.platform, neighbour, at.benefit, { dependant_ids: [theirs] }),
      await elsewhere.enrol({ dependant_ids: [elsewhere.ravi] }),
    ]) {
      await place(id, 'ISSUED')
    }
    const before = [await policyRow(other), await everythingOf(neighbour), await everythingOf(elsewhere.user)]
    await corrected(at, at.ravi)
    assert.deepEqual(
      [await policyRow(other), await everythingOf(neighbour), await everythingOf(elsewhere.user)],
      before,
    )
    assert.deepEqual(await tracesOf(other), untraced)
  })
})

describe('PATCH /v1/users/{user_id}/dependants/{dependant_id}: errors leave policies unchanged', () => {
  it('404, 409, 412 and 422 change no version, policy or history', async () => {
    const at = await scene()
    await place(await at.enrol({ dependant_ids: [at.ravi, at.mira] }), 'ISSUED')
    const stranger = await t.platform()
    const before = await everythingOf(at.user)
    const responses = [
      await correct({ ...at, platform: stranger }, at.ravi),
      await correct(at, at.ravi, {}, 'Mira'),
      await correct(at, at.ravi, { 'if-match': '"other"' }),
      await correct(at, at.ravi, {}, ''),
    ]
    assert.deepEqual(
      responses.map((response) => response.status),
      [404, 409, 412, 422],
    )
    assert.deepEqual(await everythingOf(at.user), before)
  })

  for (const table of ['events', 'user_status_changes', 'insurance_policies']) {
    it(`500 when ${table} cannot be written: no new version is created either`, async (test) => {
      const at = await scene()
      await place(await at.enrol({ dependant_ids: [at.ravi] }), 'ISSUED')
      const before = await everythingOf(at.user)
      await t.sql(`create function refuse_${table}() returns trigger language plpgsql as $$
        begin
          if to_jsonb(new)::text like '%REQUIRES_POLICY_REISSUANCE%' then raise exception 'not today'; end if;
          return new;
        end $$`)
      await t.sql(
        `create trigger refuse before insert or update on ${table} for each row execute function refuse_${table}()`,
      )
      test.after(() => t.sql(`drop trigger refuse on ${table}`))
      const refused = await correct(at, at.ravi)
      assert.equal(refused.status, 500)
      assert.ok(!refused.text.includes('not today'))
      assert.deepEqual(await everythingOf(at.user), before)
    })
  }
})

/** Corrects a dependant while another transaction changes the policy: the correction waits and comes second. */
async function correctDuringTransition(
  at: Correction & { ravi: string },
  id: string,
  to: PolicyStatus,
): Promise<TestResponse> {
  const text = 'update insurance_policies set status = $2, revision = revision + 1 where policy_id = $1'
  const [corrected] = await meetBehind(t, { work: [[text, [id, to]]], outcome: 'commit', waiting: 1 }, [
    () => correct(at, at.ravi),
  ])
  return corrected as TestResponse
}

describe('PUT /v1/users/{user_id}/insurance_policies/{id}/status: a policy that returns from EXPIRED', () => {
  it('200 refers to the current versions of its people, and follows them from then on', async () => {
    const at = await scene()
    const nominee_details = { nominee_type: 'DEPENDANT', dependant_id: at.ravi }
    const id = await at.enrol({ dependant_ids: [at.ravi, at.mira], nominee_details })
    await place(id, 'EXPIRED')
    const newest = await corrected(at, await corrected(at, at.ravi, 'Ravindra'), 'Ravindran')
    const address = `/v1/users/${at.user.id}/insurance_policies/${id}`
    const body = { status: 'REQUIRES_POLICY_REISSUANCE', reason: 'Expired by mistake' }
    await t.made('PUT', `${address}/status`, { token: t.owner, body })
    const people = async () => {
      const { dependant_ids, nominee_dependant_id } = await policyRow(id)
      return [dependant_ids, nominee_dependant_id]
    }
    assert.deepEqual(await people(), [[newest, at.mira], newest])
    const next = await corrected(at, newest)
    assert.deepEqual(await people(), [[next, at.mira], next])
  })
})

describe('PATCH /v1/users/{user_id}/dependants/{dependant_id}: concurrently with a transition', () => {
  it('200 a policy issued meanwhile must be issued again', async () => {
    const at = await scene()
    const id = await at.enrol({ dependant_ids: [at.ravi] })
    await place(id, 'APPROVED')
    const response = await correctDuringTransition(at, id, 'ISSUED')
    assert.equal(response.status, 200)
    const { status, dependant_ids } = await policyRow(id)
    assert.deepEqual([status, dependant_ids], ['REQUIRES_POLICY_REISSUANCE', [response.body.id]])
    assert.equal((await tracesOf(id)).history.length, 1)
  })

  it('200 a policy that the calendar changes meanwhile follows and keeps its new status', async () => {
    const at = await scene()
    const id = await at.enrol({ dependant_ids: [at.ravi] })
    await place(id, 'ISSUED')
    const response = await correctDuringTransition(at, id, 'REQUIRES_CUSTOMER_RENEWAL')
    assert.equal(response.status, 200, response.text)
    const { status, dependant_ids } = await policyRow(id)
    assert.deepEqual([status, dependant_ids], ['REQUIRES_CUSTOMER_RENEWAL', [response.body.id]])
    assert.deepEqual(await tracesOf(id), untraced)
  })

  it('200 a policy that expires meanwhile is unchanged', async () => {
    const at = await scene()
    const id = await at.enrol({ dependant_ids: [at.ravi] })
    await place(id, 'ISSUED')
    const response = await correctDuringTransition(at, id, 'EXPIRED')
    assert.equal(response.status, 200, response.text)
    const { status, dependant_ids } = await policyRow(id)
    assert.deepEqual([status, dependant_ids], ['EXPIRED', [at.ravi]])
    assert.deepEqual(await tracesOf(id), untraced)
  })
})
