import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, PLAN } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

describe('POST /v1/users/{user_id}/insurance_policies with end_date', () => {
  it('422 before the start or after the plan’s term, 201 on its first and its last day', async () => {
    const { platform, benefit } = await t.offer()
    const term = { benefit_id: benefit, plan_code: PLAN.plan_code, dependant_ids: [], start_date: '2026-08-15' }
    const enrol = async (end_date: string | null) => {
      const user = await t.user(platform)
      const response = await t.call('POST', `/v1/users/${user.id}/insurance_policies`, {
        token: platform.token,
        body: { ...term, end_date },
      })
      const stored = await t.sql('select 1 from insurance_policies where user_id = $1', [user.id])
      assert.equal(stored.length, Number(response.status === 201))
      return response
    }
    for (const [end, error] of [
      ['2026-08-14', 'too_small'],
      ['2027-08-15', 'too_large'],
      ['2027-02-29', 'format'],
    ] as const) {
      assert.deepEqual(errorsOf(await enrol(end)), [`/end_date ${error}`])
    }
    for (const [end, expected] of [
      ['2026-08-15', '2026-08-15'],
      ['2027-08-14', '2027-08-14'],
      [null, '2027-08-14'],
    ] as const) {
      const { status, body } = await enrol(end)
      assert.deepEqual([status, body.start_date, body.end_date], [201, '2026-08-15', expected])
    }
  })
})
