import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { beginStory } from './company.ts'

it('a policy is renewed early at a new price, without the son who leaves; both terms can be shown, and grace is over in time', async () => {
  const { t, benefit, partner, insurer, on, person, insured, certificate } = await beginStory()
  await on('2026-04-01')
  const [asha, late] = [await person('Ravi', 'Mira'), await person()]
  const [ravi = '', mira = ''] = asha.children
  const policy = await insured(asha.path, [ravi, mira], { start_date: '2026-04-01' })
  const unpaid = await insured(late.path, [], { start_date: '2026-04-01' })
  const status = async (of: string) => (await partner('GET', `${of}/status`))['status']

  await on('2027-02-28')
  assert.equal(await status(policy), 'ISSUED')
  await on('2027-03-01')
  assert.equal(await status(policy), 'REQUIRES_CUSTOMER_RENEWAL')
  await partner('PUT', `${policy}/members/${ravi}`, { to: '2027-03-31', event: 'AGE' })

  const plans = (await partner('GET', `/v1/benefits/${benefit}`))['plans']
  const annual = { currency: 'INR', value: 14_600 }
  const dearer = plans.map((plan: object & { premium_amounts: object }) => ({
    ...plan,
    premium_amounts: { ...plan.premium_amounts, annual },
  }))
  await t.made('PATCH', `/v1/benefits/${benefit}`, { token: t.owner, body: { plans: dearer } })
  await insurer('PUT', `${policy}/status`, { status: 'ISSUED', plan_terms: 'CURRENT', persons_version: 1 })

  const { data: terms } = await asha.call('GET', `${policy}/terms`)
  assert.deepEqual(
    terms.map((term: Body) => [term['start_date'], term['premium_amounts'].annual.value, term['members'].length]),
    [
      ['2026-04-01', 12_045, 3],
      ['2027-04-01', 14_600, 2],
    ],
  )
  assert.match(await certificate(asha.token, policy), /1 April 2026 to 31 March 2027[\s\S]*₹12,045/)
  assert.deepEqual((await partner('GET', policy))['dependant_ids'], [ravi, mira])
  await on('2027-04-01')
  assert.match(await certificate(asha.token, policy), /1 April 2027 to 31 March 2028[\s\S]*₹14,600/)
  assert.deepEqual((await partner('GET', policy))['dependant_ids'], [mira])

  assert.equal(await status(unpaid), 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
  await on('2027-04-30')
  assert.equal(await status(unpaid), 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
  await on('2027-05-01')
  assert.equal(await status(unpaid), 'EXPIRED')
})
