import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ONBOARDING, openTestApp } from '../support/app.ts'

const t = await openTestApp()
const platform = await t.platform()
const user = await t.user(platform)

const birth = { date_of_birth: '2015-08-02' }
/** Every kind of name and whatever else identifies, and the operation that takes it. */
const NAMES: [string, string, string, (name: string) => object][] = [
  [t.owner, '/v1/platforms', '/name', (name) => ({ name })],
  [t.owner, '/v1/benefit_providers', '/name', (name) => ({ name })],
  [t.owner, '/v1/benefits', '/name', (name) => ({ name })],
  [platform.token, '/v1/sponsors', '/name', (name) => ({ name })],
  [
    platform.token,
    '/v1/sponsors',
    '/sponsor_details/last_name',
    (name) => ({ sponsor_details: { sponsor_kind: 'INDIVIDUAL', first_name: 'Asha', last_name: name } }),
  ],
  [platform.token, '/v1/auth/token', '/first_name', (name) => ({ first_name: name })],
  // Two users with a blank proof would be taken for one.
  [platform.token, '/v1/auth/token', '/id_proof/number', (number) => ({ id_proof: { number } })],
  [platform.token, '/v1/users/search', '/id_proof/number', (number) => ({ id_proof: { number } })],
  [
    platform.token,
    `/v1/users/${user.id}/complete_onboarding`,
    '/last_name',
    (name) => ({ ...ONBOARDING, last_name: name }),
  ],
  [
    platform.token,
    `/v1/users/${user.id}/dependants/bulk`,
    '/dependants/0/first_name',
    (name) => ({ dependants: [{ ...birth, first_name: name, last_name: 'Example' }] }),
  ],
]

describe('a name', () => {
  for (const [token, url, pointer, bodyOf] of NAMES) {
    const errorAt = async (name: string) => {
      const { body } = await t.call('POST', url, { token, body: bodyOf(name) })
      return body.errors?.find((error: { pointer: string }) => error.pointer === pointer)
    }

    it(`422 when it is only spaces: ${pointer} of ${url.replace(user.id, '…')}`, async () => {
      for (const blanks of [' ', '   ', '\u00a0', '\u3000 \u2009']) {
        const error = await errorAt(blanks)
        assert.equal(error?.code, 'format', JSON.stringify(blanks))
        assert.match(error.detail, /not blank/)
      }
      assert.equal((await errorAt(''))?.code, 'too_short')
      assert.equal((await errorAt('a\tb'))?.code, 'format')
    })
  }

  it('200 keeps spaces around it and within, byte for byte', async () => {
    const name = '  आशा \u00a0 . '
    const { id } = await t.made('POST', '/v1/platforms', { token: t.owner, body: { name } })
    assert.equal((await t.made('GET', `/v1/platforms/${id}`, { token: t.owner })).name, name)
  })
})
