import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()

const pointers = (body: { errors: { pointer: string }[] }) => body.errors.map((error) => error.pointer).toSorted()

describe('responses', () => {
  it('200 and 201 carry the ETag that the next If-Match needs', async () => {
    const made = await t.call('POST', '/v1/platforms', { token: t.owner, body: { name: 'Acme Benefits' } })
    const url = `/v1/platforms/${made.body.id}`
    assert.equal(made.headers['etag'], (await t.call('GET', url, { token: t.owner })).headers['etag'])

    const change = {
      token: t.owner,
      body: { status: 'INACTIVE' },
      headers: { 'if-match': String(made.headers['etag']) },
    }
    const changed = await t.call('PUT', `${url}/status`, change)
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers['etag'], made.headers['etag'])
    assert.equal(changed.headers['etag'], (await t.call('GET', url, { token: t.owner })).headers['etag'])
    assert.equal((await t.call('PUT', `${url}/status`, change)).status, 412)
  })

  it('422 reports errors that span fields together with the others', async () => {
    const platform = await t.platform()
    const body = { phone_country_code: '+1212', phone_number: '123456789012', email: 'nobody', dob: '2026-02-30' }
    const refused = await t.call('POST', '/v1/auth/token', { token: platform.token, body })
    assert.deepEqual(pointers(refused.body), ['/dob', '/email', '/phone_number'])

    const sponsor = await t.call('POST', '/v1/sponsors', { token: t.owner, body: { name: 'Banyan Textiles' } })
    assert.deepEqual(pointers(sponsor.body), ['/address', '/pan', '/platform_id', '/sponsor_details'])
  })

  it('422 with Prefer: handling=strict names members that an operation without a body does not read', async () => {
    const { id } = await t.platform()
    const call = { token: t.owner, body: { name: 'left over' }, headers: { prefer: 'handling=strict' } }
    const refused = await t.call('POST', `/v1/platforms/${id}/credentials`, call)
    assert.deepEqual([refused.status, pointers(refused.body)], [422, ['/name']])
    assert.equal((await t.sql('select 1 from credentials where owner_id = $1', [id])).length, 1)
  })

  it('200 stores the reason for disabling a platform', async () => {
    const { id } = await t.platform()
    await t.call('PUT', `/v1/platforms/${id}/status`, {
      token: t.owner,
      body: { status: 'INACTIVE', reason: 'contract over' },
    })
    const history = await t.sql(
      `select reason from catalogue_status_changes where entity_id = $1 and to_status = 'INACTIVE'`,
      [id],
    )
    assert.deepEqual(history, [{ reason: 'contract over' }])
  })
})
