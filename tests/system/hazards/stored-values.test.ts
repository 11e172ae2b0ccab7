import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { connectDatabase, statement } from '../../../src/kernel/db/database.ts'
import { openTestApp, PLAN } from '../../support/app.ts'

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const platform = await t.platform()
const provider = await t.provider()

/** West of UTC, a half-hour offset, and the first to see the new day. */
const ZONES = { UTC: 0, 'Asia/Kolkata': -330, 'America/Los_Angeles': 420, 'Pacific/Kiritimati': -840 }
const JULY = new Date('2026-07-01T12:00:00Z')

describe('dates and times do not depend on the process’s time zone', () => {
  const before = process.env['TZ']
  after(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })

  for (const [zone, offset_minutes] of Object.entries(ZONES)) {
    it(`200 with the dates as sent, and times in UTC: ${zone}`, async () => {
      process.env['TZ'] = zone
      assert.equal(JULY.getTimezoneOffset(), offset_minutes, 'the zone is in force')
      const user = await t.user(platform, { dob: '1990-03-01' })
      const [dependant = ''] = await t.dependants(user)
      const benefit = await t.benefit(platform, provider)
      const policy = await t.policy(platform, user, benefit, { start_date: '2027-03-01', dependant_ids: [dependant] })

      const get = async (path: string) =>
        (await t.call('GET', `/v1/users/${user.id}${path}`, { token: platform.token })).body
      const record = await get('')
      assert.equal(record.dob, '1990-03-01')
      assert.equal((await get(`/dependants/${dependant}`)).date_of_birth, '2015-08-02')
      const { start_date, end_date, created_at } = await get(`/insurance_policies/${policy}`)
      assert.deepEqual([start_date, end_date], ['2027-03-01', '2028-02-29'])
      for (const time of [record.created_at, record.last_modified_at, created_at]) {
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
        assert(Math.abs(Date.parse(`${time}Z`) - Date.now()) < 30_000, time)
      }
    })
  }

  it('422 for a birth tomorrow in India, 200 for today there while it is still yesterday in UTC', async () => {
    t.clock.at = new Date('2026-06-30T20:00:00Z') // 01:30 on 1 July in India
    try {
      const { token } = t.deps.tokens.issueToPlatform({
        platformId: platform.id,
        epoch: 0,
        credentialId: platform.credentialId,
      })
      const ask = (dob: string, phone_number: string) =>
        t.call('POST', '/v1/auth/token', { token, body: { phone_country_code: '+91', phone_number, dob } })
      assert.equal((await ask('2026-07-01', '9800000500')).status, 200)
      assert.equal((await ask('2026-07-02', '9800000501')).status, 422)
    } finally {
      t.clock.at = undefined
    }
  })
})

describe('integers', () => {
  const db = connectDatabase({ url: t.appUrl, poolSize: 1, batching: true, onLostConnection: () => {} })
  after(() => db.close())
  const read = (text: string) => db.query<{ value: unknown }>(statement('', text))

  it('a bigint is a number while it is exact, and an error beyond', async () => {
    assert.deepEqual(await read('select 9007199254740991::bigint as value'), [{ value: 9_007_199_254_740_991 }])
    assert.deepEqual(await read('select -9007199254740991::bigint as value'), [{ value: -9_007_199_254_740_991 }])
    for (const value of ['9007199254740992', '-9007199254740993', '9223372036854775807']) {
      await assert.rejects(read(`select ${value}::bigint as value`), /safe integers/)
    }
  })

  it('a date is the stored text, a time is UTC to the second', async () => {
    assert.deepEqual(await read(`select date '0001-01-01' as value`), [{ value: '0001-01-01' }])
    assert.deepEqual(await read(`select date '9999-12-31' as value`), [{ value: '9999-12-31' }])
    const time = `timestamptz '2026-04-01 00:30:00.999+05:30'`
    assert.deepEqual(await read(`select ${time} as value`), [{ value: '2026-03-31T19:00:00' }])
  })

  it('201 with the amounts as sent, to the paisa, up to ninety trillion rupees', async () => {
    const user = await t.user(platform)
    for (const [index, value] of [
      0, 0.01, 0.07, 0.29, 1.15, 12_045.1, 4_503_599_627.37, 90_000_000_000_000,
    ].entries()) {
      const money = { currency: 'INR', value }
      const plan = { ...PLAN, premium_amounts: { annual: money, daily: money, sponsor_contribution: money } }
      const benefit = await t.benefit(platform, provider, [plan])
      const policy = await t.policy(platform, user, benefit, { start_date: `2026-04-0${index + 1}` })
      const url = `/v1/users/${user.id}/insurance_policies/${policy}`
      const { body } = await t.call('GET', url, { token: platform.token })
      assert.deepEqual(body.premium_amounts, plan.premium_amounts)
    }
  })

  it('422 for a third decimal and for an amount too large for paise', async () => {
    for (const value of [0.001, 1.005, 90_000_000_000_001, -0.01, '12']) {
      const money = { currency: 'INR', value }
      const plan = { ...PLAN, premium_amounts: { annual: money, daily: money, sponsor_contribution: money } }
      const body = { name: 'Cover', benefit_provider_id: provider.id, sponsor_id: 'spn_any', plans: [plan] }
      const response = await t.call('POST', '/v1/benefits', { token: t.owner, body })
      assert.equal(response.status, 422)
      assert.equal(response.body.errors.length, 3, String(value))
    }
  })

  it('500 without details, rather than a wrong sum, when the stored amount is not exact', async () => {
    const user = await t.user(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, provider))
    const spoil = 'update insurance_policies set premium_annual_paise = 9223372036854775807 where policy_id = $1'
    await t.sql(spoil, [policy])
    const url = `/v1/users/${user.id}/insurance_policies/${policy}`
    const response = await t.call('GET', url, { token: platform.token })
    assert.equal(response.status, 500)
    assert.equal(response.body.detail, 'An internal error occurred.')
    assert.doesNotMatch(response.text, /bigint|922337|column|safe/)
  })
})

describe('stored values outside their allowed list', () => {
  it('cannot be stored: user ids that are not 12 digits, unknown states', async () => {
    const user = await t.user(platform)
    for (const text of [
      `update users set user_id = '123' where user_id = $1`,
      `update users set user_id = ' 23456789012' where user_id = $1`,
      `update users set user_id = '١٢٣٤٥٦٧٨٩٠١٢' where user_id = $1`,
    ]) {
      await assert.rejects(t.sql(text, [user.id]), { code: '23514' })
    }
    await assert.rejects(t.sql(`update platforms set status = 'GONE' where platform_id = $1`, [platform.id]), {
      code: '23514',
    })
  })

  it('500 when an unknown state is stored nevertheless: values read are checked, not trusted', async () => {
    await t.sql('alter table platforms drop constraint platforms_status_check')
    await t.sql(`update platforms set status = 'GONE' where platform_id = $1`, [platform.id])
    const response = await t.call('GET', `/v1/platforms/${platform.id}`, { token: t.owner })
    assert.equal(response.status, 500)
    assert.doesNotMatch(response.text, /GONE/)
  })
})
