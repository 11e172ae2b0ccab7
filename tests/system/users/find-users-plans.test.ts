import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { plansOf, sentBy } from '../../support/plans.ts'

const t = await openTestApp({ own: true })

describe('users are listed and found by an index, never by a scan of all of them', async () => {
  const platform = await t.platform()
  const user = await t.user(platform)
  const body = { phone_country_code: '+91', phone_number: user.phone }
  const search = (input: object, token = platform.token) =>
    ['POST', '/v1/users/search', { token, body: input }] as Parameters<typeof t.call>
  const calls: [string, Parameters<typeof t.call>, string][] = [
    ['all, newest first', ['GET', '/v1/users', { token: t.viewer }], 'users_newest'],
    ['those of a platform, newest first', ['GET', '/v1/users', { token: platform.token }], 'users_of_platform'],
    ['by phone', search(body), 'user_phones_pkey'],
    ['by phone on all platforms', search(body, t.viewer), 'user_phones_pkey'],
    ['by id proof', search({ id_proof: { number: 'AB1234567' } }), 'user_id_proofs_pkey'],
    ['by the number of a policy', search({ external_policy_id: 'EXT-1' }), 'insurance_policies_of_number'],
  ]
  for (const [name, call, index] of calls) {
    it(name, async () => {
      const sentByCall = await sentBy(t, ...call)
      const [sent, ...more] = sentByCall.filter(({ statement }) => statement.name.startsWith('users_'))
      assert(sent && more.length === 0, 'it is one statement')
      for (const plan of await plansOf(t.ownerUrl, sent)) {
        assert.match(plan, new RegExp(`using ${index}\\b|on ${index}\\b`), plan)
        assert.doesNotMatch(plan, /Seq Scan/)
      }
    })
  }
})
