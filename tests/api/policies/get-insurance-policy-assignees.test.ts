import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginDeskSession, beginSession } from '../../support/administrators.ts'
import { type Body, openTestApp } from '../../support/app.ts'

const t = await openTestApp()
const [north, south] = [await t.provider(), await t.provider()]
const [kiran, nila, gone] = [
  await beginDeskSession(t, north.id, 'Kiran Example'),
  await beginDeskSession(t, north.id, 'Nila Example'),
  await beginDeskSession(t, north.id, 'Gone Example'),
]
const foreign = await beginDeskSession(t, south.id, 'Ravi Example')
const [operator, viewer] = [await beginSession(t, 'operator'), await beginSession(t, 'viewer', 'Meera Example')]
await t.made('PUT', `/v1/administrators/${gone.administratorId}/status`, {
  token: t.owner,
  body: { status: 'DISABLED' },
})

const ask = (token: string | undefined, query = '') =>
  t.call('GET', `/v1/insurance_policies/assignees${query}`, token === undefined ? {} : { token })

/** All of them: other files of this process have made administrators, too. */
async function list(token: string, query = ''): Promise<Body[]> {
  const rows: Body[] = []
  for (let total = 1; rows.length < total; ) {
    const page = await ask(token, `?limit=100&offset=${rows.length}${query}`)
    assert.equal(page.status, 200, page.text)
    assert(page.body.data.length > 0 || page.body.total === 0, page.text)
    total = page.body.total
    rows.push(...page.body.data)
  }
  return rows
}
const ofNorth = (name: string, { administratorId }: { administratorId: string }) => ({
  id: administratorId,
  name,
  owner_id: north.id,
})

describe('GET /v1/insurance_policies/assignees', () => {
  it('200 has for a benefit provider its own active people, and nobody else', async () => {
    for (const { token } of [kiran, north])
      for (const query of ['', `&benefit_provider_id=${north.id}`])
        assert.deepEqual(await list(token, query), [ofNorth('Nila Example', nila), ofNorth('Kiran Example', kiran)])
    for (const id of [south.id, 'bpr_missing'])
      assert.deepEqual(await list(kiran.token, `&benefit_provider_id=${id}`), [])
    const { data, total } = await t.made('GET', '/v1/insurance_policies/assignees?limit=1&offset=1', kiran)
    assert.deepEqual([data, total], [[ofNorth('Kiran Example', kiran)], 2])
  })

  it('200 has for administrators all of them, and the people of the benefit provider that is asked for', async () => {
    for (const token of [operator.token, t.owner]) {
      const people = await list(token)
      assert.deepEqual([...new Set(people.map(({ owner_id }) => owner_id))], [null])
      for (const [session, name] of [
        [operator, 'Asha Example'],
        [viewer, 'Meera Example'],
      ] as const)
        assert.equal(people.find(({ id }) => id === session.administratorId)?.name, name)
      const more = await list(token, `&benefit_provider_id=${north.id}`)
      assert.deepEqual(
        more.filter(({ owner_id }) => owner_id !== null),
        [ofNorth('Nila Example', nila), ofNorth('Kiran Example', kiran)],
      )
      assert.equal(more.length, people.length + 2)
    }
  })

  it('200 has exactly those who can be assigned to a policy', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, north))
    const address = `/v1/users/${user.id}/insurance_policies/${policy}/assignee`
    for (const { token } of [kiran, operator]) {
      const listed = (await list(token, `&benefit_provider_id=${north.id}`)).map(({ id }) => id)
      for (const { administratorId: administrator_id } of [kiran, nila, gone, foreign, operator, viewer]) {
        const { status } = await t.call('PUT', address, { token, body: { administrator_id, take_over: true } })
        assert.equal(status, listed.includes(administrator_id) ? 200 : 422)
      }
    }
  })

  it('401 and 403 for who assigns nothing', async () => {
    assert.equal((await ask(undefined)).status, 401)
    const platform = await t.platform()
    for (const token of [platform.token, viewer.token, t.viewer]) assert.equal((await ask(token)).status, 403)
  })
})
