import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { openTestApp, PLAN } from '../../support/app.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
})

const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))
const DEARER = {
  ...PLAN,
  term_months: 6,
  premium_amounts: {
    annual: { currency: 'INR', value: 13_500 },
    daily: { currency: 'INR', value: 37 },
    sponsor_contribution: { currency: 'INR', value: 6_750 },
  },
}

/** A policy from 2026-04-01 to 2027-03-31 whose plan is dearer and shorter since. */
async function scene(...path: PolicyStatus[]) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit)
  const at = { platform, provider, benefit, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
  for (const status of path) assert.equal((await put(at, { status })).status, 200)
  await setPlans(at, [DEARER])
  return at
}
type Scene = Awaited<ReturnType<typeof scene>>

const setPlans = ({ benefit }: Scene, plans: object[]) =>
  t.made('PATCH', `/v1/benefits/${benefit}`, { token: t.owner, body: { plans } })

const put = ({ address, provider }: Pick<Scene, 'address' | 'provider'>, body: object) =>
  t.call('PUT', `${address}/status`, { token: provider.token, body })

async function termsOf({ address, platform }: Scene) {
  const { start_date, end_date, premium_amounts } = await t.made('GET', address, { token: platform.token })
  return [start_date, end_date, premium_amounts.annual.value, premium_amounts.sponsor_contribution.value]
}

const ISSUED: PolicyStatus[] = ['VERIFICATION', 'APPROVED', 'ISSUED']
const CURRENT = { plan_terms: 'CURRENT' }
const TODAY = ['2027-04-01', '2027-09-30', 13_500, 6_750]
const AS_BEFORE = ['2026-04-01', '2027-03-31', 12_045, 6_022.5]

describe('PUT …/insurance_policies/{id}/status with plan_terms', () => {
  it('200 a renewal has today’s price and length of the plan, in window and grace, certificate now or later', async () => {
    for (const day of ['2027-03-15', '2027-04-10']) {
      for (const status of ['ISSUED', 'REQUIRES_POLICY_REISSUANCE'] as const) {
        t.calendar.at = undefined
        const at = await scene(...ISSUED)
        on(day)
        const { body } = await put(at, { status, ...CURRENT })
        assert.equal(body.status, status)
        assert.deepEqual(await termsOf(at), TODAY)
        assert.equal((await put(at, { status, ...CURRENT })).status, 200, 'the same again')
        assert.deepEqual(await termsOf(at), TODAY, 'changes nothing')
      }
    }
  })

  it('200 without it a renewal has the terms of the policy', async () => {
    const at = await scene(...ISSUED)
    on('2027-03-15')
    await put(at, { status: 'ISSUED', plan_terms: null })
    assert.deepEqual(await termsOf(at), ['2027-04-01', '2028-03-31', 12_045, 6_022.5])
  })

  it('409 invalid_state where no term begins, unchanged: it lists those that begin one', async () => {
    const at = await scene('VERIFICATION', 'APPROVED')
    for (const status of ['ISSUED', 'REJECTED']) {
      const { body } = await put(at, { status, ...CURRENT })
      assert.deepEqual([body.code, body.current_state, body.allowed_transitions], ['invalid_state', 'APPROVED', []])
    }
    const issued = await scene(...ISSUED)
    on('2027-03-15')
    const { body } = await put(issued, { status: 'EXPIRED', ...CURRENT })
    assert.deepEqual(body.allowed_transitions, ['REQUIRES_POLICY_REISSUANCE', 'ISSUED'])
    for (const one of [at, issued]) assert.deepEqual(await termsOf(one), AS_BEFORE)
  })

  it('409 archived when the benefit has the plan no more; the policy can be renewed as before', async () => {
    const at = await scene(...ISSUED)
    await setPlans(at, [{ ...DEARER, plan_code: 'ANOTHER' }])
    on('2027-03-15')
    assert.equal(conflictOf(await put(at, { status: 'ISSUED', ...CURRENT })), 'archived')
    assert.deepEqual(await termsOf(at), AS_BEFORE)
    assert.equal((await put(at, { status: 'ISSUED' })).status, 200)
  })

  it('422 for other terms', async () => {
    const at = await scene(...ISSUED)
    assert.deepEqual(errorsOf(await put(at, { status: 'ISSUED', plan_terms: 'OLD' })), ['/plan_terms not_allowed'])
  })
})
