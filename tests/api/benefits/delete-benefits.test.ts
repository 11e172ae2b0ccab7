import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp, PLAN, type TestPlatform, type TestUser } from '../../support/app.ts'
import { meetAt, meetBehind } from '../../support/meeting.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

/** The number of policies of the benefit after an enrolment. */
const COPY_AS_PENDING = `
  insert into insurance_policies
  select copy.*
    from insurance_policies p,
         jsonb_populate_record(p, jsonb_build_object('policy_id', $2::text, 'status', 'PENDING')) copy
   where p.policy_id = $1`

const remove = (id: string, token: string = t.operator, node = t.call) =>
  node('DELETE', `/v1/benefits/${id}`, { token })
const read = (id: string) => t.call('GET', `/v1/benefits/${id}`, { token: t.viewer })

const deletionsOf = (id: string) =>
  t.sql(`select platform_id, data from events where type = 'benefit.deleted' and subject = $1`, [id])

const historyOf = (id: string) =>
  t.sql('select from_status, to_status, actor from catalogue_status_changes where entity_id = $1 order by change_id', [
    id,
  ])

async function scene() {
  const platform = await t.platform()
  const provider = await t.provider()
  return { platform, provider, id: await t.benefit(platform, provider) }
}

const enrol = (platform: TestPlatform, user: TestUser, benefitId: string) =>
  t.call('POST', `/v1/users/${user.id}/insurance_policies`, {
    token: platform.token,
    body: { benefit_id: benefitId, plan_code: PLAN.plan_code, start_date: '2026-04-01', dependant_ids: [] },
  })

const OPEN = [
  'PENDING',
  'VERIFICATION',
  'APPROVED',
  'ISSUED',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
]

describe('DELETE /v1/benefits/{benefit_id}', () => {
  it('200 archives it; a second delete returns the same and changes nothing', async () => {
    const { id, platform, provider } = await scene()
    const neighbour = await t.benefit(platform, await t.provider())
    const first = await remove(id)
    assert.equal(first.status, 200)
    assert.deepEqual(first.body, { id })
    const archived = await read(id)
    assert.equal(archived.body.status, 'ARCHIVED')

    const second = await remove(id, t.owner)
    assert.equal(second.status, 200)
    assert.equal(second.text, first.text)
    assert.equal((await read(id)).headers['etag'], archived.headers['etag'])
    assert.deepEqual(await deletionsOf(id), [
      { platform_id: platform.id, data: { benefit_id: id, benefit_provider_id: provider.id } },
    ])
    assert.deepEqual((await historyOf(id)).slice(1), [
      { from_status: 'ACTIVE', to_status: 'ARCHIVED', actor: 'operator:test-operator' },
    ])
    const { data } = (await t.call('GET', '/v1/benefits', { token: platform.token })).body
    assert.deepEqual(
      data.map((benefit: { id: string }) => benefit.id),
      [neighbour],
    )
  })

  it('200 with one event for concurrent identical calls on two nodes', async () => {
    const { id } = await scene()
    const row = { table: 'benefits', key: 'benefit_id', id }
    const nodes = await t.openNodes(2)
    const deletions = nodes.map((node) => () => remove(id, t.owner, node))
    const responses = await meetAt(t, row, deletions)
    assert.deepEqual(new Set(responses.map(({ status, text }) => `${status} ${text}`)), new Set([`200 {"id":"${id}"}`]))
    assert.deepEqual([(await deletionsOf(id)).length, (await historyOf(id)).length], [1, 2])
  })

  it('200 when all its policies are EXPIRED or REJECTED; they stay, and further enrolments are rejected', async () => {
    const { id, platform } = await scene()
    const users = [await t.user(platform), await t.user(platform)] as const
    for (const [index, status] of ['EXPIRED', 'REJECTED'].entries()) {
      const policyId = await t.policy(platform, users[index] as TestUser, id)
      await t.sql('update insurance_policies set status = $2 where policy_id = $1', [policyId, status])
    }
    assert.deepEqual((await remove(id)).body, { id })
    const list = await t.call('GET', `/v1/users/${users[0].id}/insurance_policies`, { token: users[0].token })
    assert.equal(list.body.data[0].benefit_id, id)
    const refused = await enrol(platform, users[1], id)
    assert.equal(conflictOf(refused), 'archived')
    assert.equal((await t.sql('select 1 from insurance_policies where benefit_id = $1', [id])).length, 2)
  })

  it('409 conflict while a policy in any other state uses it, which stays ACTIVE', async () => {
    const { id, platform } = await scene()
    const user = await t.user(platform)
    const ended = await t.policy(platform, user, id)
    await t.sql(`update insurance_policies set status = 'EXPIRED' where policy_id = $1`, [ended])
    const policyId = await t.policy(platform, user, id)
    const etag = (await read(id)).headers['etag']
    for (const status of OPEN) {
      await t.sql('update insurance_policies set status = $2 where policy_id = $1', [policyId, status])
      const response = await remove(id)
      assert.equal(conflictOf(response), 'in_use', status)
    }
    assert.equal((await read(id)).headers['etag'], etag)
    assert.deepEqual(await deletionsOf(id), [])
    await t.sql(`update insurance_policies set status = 'REJECTED' where policy_id = $1`, [policyId])
    assert.equal((await remove(id)).status, 200)
  })

  it('200 or 409, never both: nobody is enrolled in a benefit archived at the same moment', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const users = await Promise.all([1, 2, 3].map(() => t.user(platform)))
    for (let round = 0; round < 4; round++) {
      const id = await t.benefit(platform, provider)
      const row = { table: 'benefits', key: 'benefit_id', id }
      const enrolments = users.map((user) => () => enrol(platform, user, id))
      const deletionAt = round % (users.length + 1) // first, last and in between
      const responses = await meetAt(
        t,
        row,
        enrolments.toSpliced(deletionAt, 0, () => remove(id)),
      )
      const [deletion] = responses.splice(deletionAt, 1) as [TestResponse]
      const policies = await t.sql('select 1 from insurance_policies where benefit_id = $1', [id])
      assert.equal(policies.length, responses.filter(({ status }) => status === 201).length)
      assert.equal((await read(id)).body.status, deletion.status === 200 ? 'ARCHIVED' : 'ACTIVE')
      if (deletion.status === 200) assert.equal(policies.length, 0)
      else assert.deepEqual([deletion.status, policies.length > 0], [409, true])
    }
  })

  for (const { outcome, status } of [
    { outcome: 'commit', status: 409 },
    { outcome: 'rollback', status: 200 },
  ] as const) {
    it(`${status} after the ${outcome} of a concurrent enrolment`, async () => {
      const { id, platform } = await scene()
      const policyId = await t.policy(platform, await t.user(platform), id)
      await t.sql(`update insurance_policies set status = 'REJECTED' where policy_id = $1`, [policyId])
      const enrolment: [string, string[]][] = [
        ['select from benefits where benefit_id = $1 for share', [id]],
        [COPY_AS_PENDING, [policyId, `${policyId}x`]],
      ]
      const [deletion] = await meetBehind(t, { work: enrolment, outcome, waiting: 1 }, [() => remove(id)])
      assert.equal(deletion?.status, status)
      const isArchived = status === 200
      assert.equal((await read(id)).body.status, isArchived ? 'ARCHIVED' : 'ACTIVE')
      assert.deepEqual([(await deletionsOf(id)).length, (await historyOf(id)).length], isArchived ? [1, 2] : [0, 1])
    })
  }

  it('401 and 403 for everyone but operators and owners; it stays ACTIVE', async () => {
    const { id, platform, provider } = await scene()
    const user = await t.user(platform)
    assert.equal((await t.call('DELETE', `/v1/benefits/${id}`)).status, 401)
    for (const token of [platform.token, provider.token, user.token, t.viewer]) {
      assert.equal((await remove(id, token)).body.code, 'forbidden')
    }
    assert.equal((await read(id)).body.status, 'ACTIVE')
    assert.deepEqual(await deletionsOf(id), [])
  })

  it('404 for a missing one before any other error, 422 for an overlong id and an unknown parameter', async () => {
    assertSameNotFound(await remove('bnf_none'), await remove('bnf_none?colour=red'))
    assert.equal((await t.call('DELETE', `/v1/benefits/${'x'.repeat(101)}`)).status, 401)
    assert.deepEqual(errorsOf(await remove('x'.repeat(101))), ['path:benefit_id too_long'])
    const { id } = await scene()
    assert.deepEqual(errorsOf(await remove(`${id}?colour=red`)), ['query:colour unknown'])
    assert.equal((await read(id)).body.status, 'ACTIVE')
  })
})
