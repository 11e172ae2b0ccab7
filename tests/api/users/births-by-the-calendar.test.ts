import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { ONBOARDING, openTestApp, type TestPlatform } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const platform = await t.platform()

const patchUser = async (of: TestPlatform, dob: string) => {
  const user = await t.onboardedUser(of)
  return t.call('PATCH', `/v1/users/${user.id}`, { token: of.token, body: { dob } })
}

const addDependant = async (of: TestPlatform, date_of_birth: string) => {
  const user = await t.user(of)
  const dependants = [{ first_name: 'Mira', last_name: 'Example', date_of_birth }]
  return t.call('POST', `/v1/users/${user.id}/dependants/bulk`, { token: of.token, body: { dependants } })
}

const correctDependant = async (of: TestPlatform, date_of_birth: string) => {
  const user = await t.user(of)
  const [id] = await t.dependants(user)
  const url = `/v1/users/${user.id}/dependants/${id}`
  return t.call('PATCH', url, { token: user.token, body: { date_of_birth } })
}

/** Every request that takes a date of birth. */
const REQUESTS: Record<string, (of: TestPlatform, dob: string) => ReturnType<typeof t.call>> = {
  '/dob POST /v1/auth/token': (of, dob) => {
    const phone = { phone_country_code: '+91', phone_number: String(randomInt(1e9, 1e10)) }
    return t.call('POST', '/v1/auth/token', { token: of.token, body: { ...phone, dob } })
  },
  '/dob POST /v1/users/{user_id}/complete_onboarding': async (of, dob) => {
    const { id } = await t.user(of)
    return t.call('POST', `/v1/users/${id}/complete_onboarding`, { token: of.token, body: { ...ONBOARDING, dob } })
  },
  '/dob PATCH /v1/users/{user_id}': patchUser,
  '/dependants/0/date_of_birth POST /v1/users/{user_id}/dependants/bulk': addDependant,
  '/date_of_birth PATCH /v1/users/{user_id}/dependants/{dependant_id}': correctDependant,
}

describe('a date of birth follows the calendar of policies, which the sandbox can move', () => {
  for (const [name, send] of Object.entries(REQUESTS)) {
    const [pointer, ...request] = name.split(' ')
    it(`201 or 200 today, 422 tomorrow, long after the real day and before it: ${request.join(' ')}`, async () => {
      for (const [today, tomorrow] of [
        ['2031-01-05', '2031-01-06'],
        ['2024-02-29', '2024-03-01'],
      ] as const) {
        const born = await t.calendar.on(today, () => send(platform, today))
        assert([200, 201].includes(born.status), `${today}: ${born.text}`)
        const unborn = await t.calendar.on(today, () => send(platform, tomorrow))
        assert.deepEqual([unborn.status, errorsOf(unborn)], [422, [`${pointer} format`]])
      }
    })
  }

  it('201 from midnight in India on, for a child who is enrolled on its first day', async () => {
    const { platform: of, benefit } = await t.offer()
    const user = await t.onboardedUser(of)
    const dependants = [{ first_name: 'Mira', last_name: 'Example', date_of_birth: '2031-01-05' }]
    const add = () => t.call('POST', `/v1/users/${user.id}/dependants/bulk`, { token: of.token, body: { dependants } })
    t.calendar.at = new Date('2031-01-04T18:29:59.999Z')
    try {
      assert.equal((await add()).status, 422)
      t.calendar.at = new Date('2031-01-04T18:30:00Z')
      const { status, body } = await add()
      assert.equal(status, 201)
      const enrolled = { dependant_ids: [body.data[0].id], start_date: '2031-01-05' }
      assert.match(await t.policy(of, user, benefit, enrolled), /^pol_/)
    } finally {
      t.calendar.at = undefined
    }
  })
})
