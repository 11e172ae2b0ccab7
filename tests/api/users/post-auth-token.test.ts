import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp()

describe('POST /v1/auth/token', () => {
  it('200 creates a user once and finds the same one again', async () => {
    const platform = await t.platform()
    const body = { phone_country_code: '+91', phone_number: '9876543210', first_name: 'Asha' }
    const first = await t.call('POST', '/v1/auth/token', { token: platform.token, body })
    const second = await t.call('POST', '/v1/auth/token', { token: platform.token, body })

    assert.equal(first.status, 200)
    assert.match(first.body.user_id, /^[01][0-9]{11}$/)
    assert.equal(second.body.user_id, first.body.user_id)
    const events = await t.sql(`select type from events where subject = $1`, [first.body.user_id])
    assert.deepEqual(events, [{ type: 'user.created' }])
  })

  it('200 once: 20 equal calls at once make one user', async () => {
    const platform = await t.platform()
    const body = { id_proof: { number: 'AB1234567' }, phone_country_code: '+91', phone_number: '9811111111' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => t.call('POST', '/v1/auth/token', { token: platform.token, body })),
    )
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200])
    assert.equal(new Set(answers.map((answer) => answer.body.user_id)).size, 1)
    assert.equal((await t.sql('select 1 from users where platform_id = $1', [platform.id])).length, 1)
    assert.equal(
      (await t.sql('select 1 from events where platform_id = $1 and type = $2', [platform.id, 'user.created'])).length,
      1,
    )
  })

  it('401 without a token, 403 for an app user, 422 without a phone', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const body = { phone_country_code: '+91', phone_number: '9822222222' }
    assert.equal((await t.call('POST', '/v1/auth/token', { body })).status, 401)
    assert.equal((await t.call('POST', '/v1/auth/token', { token: user.token, body })).status, 403)

    const refused = await t.call('POST', '/v1/auth/token', {
      token: platform.token,
      body: { phone_country_code: '91' },
    })
    assert.equal(refused.status, 422)
    assert.deepEqual(
      refused.body.errors.map((fault: { pointer: string; code: string }) => [fault.pointer, fault.code]).toSorted(),
      [
        ['/phone_country_code', 'format'],
        ['/phone_number', 'required'],
      ],
    )
  })
})
