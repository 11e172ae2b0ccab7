import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { addDays } from '../../../src/kernel/date.ts'
import { ONBOARDING, openTestApp, type TestApp } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

/** East and west of UTC, and the first place where a day begins; minutes behind UTC in January. */
const ZONES = { 'Asia/Kolkata': -330, 'America/Los_Angeles': 480, 'Pacific/Kiritimati': -840 }

/** Dates that would shift over a month, a year or a leap day when read as local or UTC midnight. */
const DAYS = ['1900-01-01', '1945-09-01', '1972-02-29', '1999-12-31', '2000-01-01', '2024-02-29', '2024-03-01']

const zoneBefore = process.env['TZ']
after(() => {
  if (zoneBefore === undefined) delete process.env['TZ']
  else process.env['TZ'] = zoneBefore
})

/** Sets the time zone of this process. */
function useZone(zone: keyof typeof ZONES): void {
  process.env['TZ'] = zone
  assert.equal(new Date('2026-01-01T12:00:00Z').getTimezoneOffset(), ZONES[zone])
}

const apps: { zone: keyof typeof ZONES; t: TestApp }[] = []
for (const zone of Object.keys(ZONES) as (keyof typeof ZONES)[]) {
  useZone(zone)
  apps.push({ zone, t: await openTestApp({ own: true }) })
}

/** Sets the clock to a time of day yesterday, so that no token has expired. */
function hold(t: TestApp, timeOfDay: string): { today: string } {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  t.clock.at = new Date(`${yesterday}T${timeOfDay}Z`)
  return { today: yesterday }
}

for (const { zone, t } of apps) {
  describe(`a process in ${zone}`, () => {
    const within = (test: () => Promise<void>) => async () => {
      useZone(zone)
      try {
        await test()
      } finally {
        t.clock.at = undefined
      }
    }

    it(
      '200 dates of birth of users and dependants come back unchanged',
      within(async () => {
        const platform = await t.platform()
        for (const dob of DAYS) {
          const user = await t.user(platform, { dob })
          const read = () => t.made('GET', `/v1/users/${user.id}`, { token: platform.token })
          assert.equal((await read()).dob, dob)
          const body = { ...ONBOARDING, dob }
          const address = `/v1/users/${user.id}/complete_onboarding`
          assert.equal((await t.made('POST', address, { token: platform.token, body })).user.dob, dob)
          assert.equal((await read()).dob, dob)
        }
        const user = await t.user(platform)
        const dependants = DAYS.map((date_of_birth) => ({ first_name: 'Ravi', last_name: 'Example', date_of_birth }))
        const bulk = { token: platform.token, body: { dependants } }
        const made = await t.made('POST', `/v1/users/${user.id}/dependants/bulk`, bulk)
        const listed = await t.made('GET', `/v1/users/${user.id}/dependants`, { token: platform.token })
        const birthsOf = (response: { data: { date_of_birth: string }[] }) =>
          response.data.map(({ date_of_birth }) => date_of_birth)
        assert.deepEqual(birthsOf(made), DAYS)
        assert.deepEqual(birthsOf(listed).toSorted(), DAYS)
      }),
    )

    it(
      '201 the dates of a policy come back unchanged; term and renewal are computed in calendar days',
      within(async () => {
        const [platform, provider] = [await t.platform(), await t.provider()]
        const benefit = await t.benefit(platform, provider)
        for (const [start_date, end_date, next] of [
          ['2026-04-01', '2027-03-31', ['2027-04-01', '2028-03-31']],
          ['2027-03-01', '2028-02-29', ['2028-03-01', '2029-02-28']],
          ['2026-01-01', '2026-12-31', ['2027-01-01', '2027-12-31']],
          ['2026-11-01', '2027-10-31', ['2027-11-01', '2028-10-31']], // summer time ends in Los Angeles
        ] as const) {
          const user = await t.onboardedUser(platform)
          const id = await t.policy(platform, user, benefit, { start_date })
          const address = `/v1/users/${user.id}/insurance_policies/${id}`
          const read = () => t.made('GET', address, { token: platform.token })
          const before = await read()
          assert.deepEqual([before.start_date, before.end_date], [start_date, end_date])
          await t.sql(`update insurance_policies set status = 'REQUIRES_CUSTOMER_RENEWAL' where policy_id = $1`, [id])
          await t.made('PUT', `${address}/status`, { token: t.owner, body: { status: 'ISSUED' } })
          const after = await read()
          assert.deepEqual([after.start_date, after.end_date], next)
          const listed = await t.made('GET', `/v1/users/${user.id}/insurance_policies`, { token: platform.token })
          assert.deepEqual(listed.data, [after])
        }
      }),
    )

    it(
      '200 for a birth date of today in India, 422 for tomorrow, at both ends of the day',
      within(async () => {
        for (const [timeOfDay, daysAhead] of [
          ['18:29:59', 0], // 23:59:59 in India
          ['18:30:00', 1], // midnight in India
          ['00:00:00', 0],
          ['23:59:59', 1],
        ] as const) {
          const { today } = hold(t, timeOfDay)
          const inIndia = addDays(today, daysAhead)
          const platform = await t.platform()
          assert.ok(await t.user(platform, { dob: inIndia }))
          const body = { phone_country_code: '+91', phone_number: '9811111111', dob: addDays(inIndia, 1) }
          assert.deepEqual(errorsOf(await t.call('POST', '/v1/auth/token', { token: platform.token, body })), [
            '/dob format',
          ])
          t.clock.at = undefined
        }
      }),
    )

    it(
      '200 times are in UTC',
      within(async () => {
        const platform = await t.platform()
        const before = Date.now()
        const user = await t.user(platform)
        const { created_at, last_modified_at } = await t.made('GET', `/v1/users/${user.id}`, { token: platform.token })
        for (const time of [created_at, last_modified_at]) {
          assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
          assert.ok(Math.abs(Date.parse(`${time}Z`) - before) < 60_000)
        }
      }),
    )
  })
}
