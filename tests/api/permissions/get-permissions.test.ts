import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { credentialOf, PRINCIPALS, ROLE_TABLE } from '../../access/role-table.ts'

const t = await openTestApp()
const list = (token: string) => t.made('GET', '/v1/meta/permissions', { token })
const permissions: Body[] = (await list(t.viewer)).data
const permission = (operation: string): Body =>
  permissions.find((one) => one.operation === operation) ?? assert.fail(operation)
const people = ['platform_person', 'benefit_provider_person']

describe('GET /v1/meta/permissions', () => {
  it('200 the same to everyone with a token, 401 without', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const user = await t.user(platform)
    for (const token of [platform.token, provider.token, user.token, t.owner])
      assert.deepEqual((await list(token)).data, permissions)
    assert.equal((await t.call('GET', '/v1/meta/permissions')).status, 401)
  })

  it('200 every operation with everyone who may call it, and nobody else', () => {
    const listed = permissions.map(({ method, path, credential, callers }) => [
      `${method} ${path}`,
      {
        credential,
        callers: callers
          .filter(({ caller }: Body) => !people.includes(caller))
          .map(({ caller, own_records_only: own }: Body) => `${caller} ${own}`)
          .toSorted(),
      },
    ])
    const written = ROLE_TABLE.map((row) => [
      `${row.method} ${row.path}`,
      {
        credential: credentialOf(row),
        callers: PRINCIPALS.flatMap((principal) => {
          const grant = row.grants[principal]
          const caller = principal === 'provider' ? 'benefit_provider' : principal
          return grant === undefined ? [] : [`${caller} ${grant === 'own'}`]
        }).toSorted(),
      },
    ])
    assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(written))
    assert.equal(permissions.length, ROLE_TABLE.length)
  })

  it('200 whether a caller reaches its own records only, and which roles of administrators may', () => {
    assert.deepEqual(permission('exportUser'), {
      operation: 'exportUser',
      method: 'GET',
      path: '/v1/users/{user_id}/export',
      credential: 'bearer',
      callers: [
        { caller: 'platform', own_records_only: true },
        { caller: 'user', own_records_only: true },
        { caller: 'owner', own_records_only: false },
      ],
    })
  })

  it('200 with people of partners where only they may, besides administrators', () => {
    const withPeople = permissions.filter(({ callers }) => callers.some(({ caller }: Body) => people.includes(caller)))
    assert.deepEqual(withPeople.map(({ operation }) => String(operation)).toSorted(), [
      'createSessionToken',
      'listAuditLog',
      'readSession',
    ])
  })
})

describe('the 403 of a caller of the wrong kind', () => {
  it('says which kinds may, and which one called', async () => {
    const platform = await t.platform()
    const refused = await t.call('POST', '/v1/platforms', { token: platform.token, body: { name: 'Example' } })
    assert.equal(refused.status, 403)
    assert.deepEqual([refused.body.required, refused.body.caller], [['operator', 'owner'], 'platform'])
    assert.equal((await t.call('POST', '/v1/platforms', { token: t.operator, body: { name: 'Example' } })).status, 201)
  })

  it('says so for a transition that other callers may make', async () => {
    const { address, provider } = await issueToFamily(t)
    const body = { status: 'REQUIRES_CUSTOMER_RENEWAL', reason: 'Asked by the sponsor' }
    const refused = await t.call('PUT', `${address}/status`, { token: provider.token, body })
    assert.equal(refused.status, 403)
    assert.deepEqual([refused.body.required, refused.body.caller], [['owner'], 'benefit_provider'])
  })

  it('is without these members where another reason than the kind of caller decides', async () => {
    const platform = await t.platform()
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    const refused = await t.call('GET', '/v1/users', { token: platform.token, headers })
    assert.equal(refused.status, 403)
    assert(!('required' in refused.body || 'caller' in refused.body))
  })

  it('is a 404 without these members for a record of somebody else', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const user = await t.user(other)
    const refused = await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })
    assert.equal(refused.status, 404)
    assert(!('required' in refused.body || 'caller' in refused.body))
  })
})
