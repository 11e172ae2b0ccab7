import assert from 'node:assert/strict'
import { it } from 'node:test'
import { todayIn } from '../../../src/kernel/clock.ts'
import { addDays } from '../../../src/kernel/date.ts'
import type { Body } from '../../support/app.ts'
import { PLAN } from '../../support/scenes.ts'
import { openInstallation } from './installation.ts'

const today = todayIn({ now: () => new Date() })
const inr = (value: number) => ({ currency: 'INR', value })

it('a premium comes in: nobody is covered before it is there, and every rupee of the deposit is accounted for', async () => {
  const installation = await openInstallation()
  const { send, platform, insurer, benefit, person, onboard, signIn, createWallet, until, advance } = installation
  const [partner, stranger, insurance, other] = [
    await platform('Acme Benefits'),
    await platform('Another'),
    await insurer(),
    await insurer(),
  ]
  const { id: benefitId, sponsorId } = await benefit(partner, insurance, { premium_gate: 'deposit' })
  const deposit = `/v1/sponsors/${sponsorId}/deposits/${insurance.id}`
  const entries = `${deposit}/entries`
  const paid = (value: number, reference: string, day: string, kind = 'TOP_UP') => ({
    kind,
    amount: inr(value),
    paid_on: day,
    reference,
  })
  const balance = async () => {
    const { data } = await partner.call('GET', `/v1/sponsors/${sponsorId}/deposits`)
    return data[0]?.balance.value
  }

  async function approved(first_name: string) {
    const member = await person(partner)
    await onboard(partner, member, { first_name })
    const enrolment = { benefit_id: benefitId, plan_code: PLAN.plan_code, start_date: today, dependant_ids: [] }
    const { id } = await partner.call('POST', `${member.path}/insurance_policies`, enrolment)
    const policy = `${member.path}/insurance_policies/${id}`
    for (const status of ['VERIFICATION', 'APPROVED']) await insurance.call('PUT', `${policy}/status`, { status })
    return { member, policy, id: id as string }
  }
  const issue = (policy: string) => insurance.call('PUT', `${policy}/status`, { status: 'ISSUED' })
  const short = async (policy: string) => {
    const refused = await insurance.refused(409, 'PUT', `${policy}/status`, { status: 'ISSUED' })
    assert.equal(refused['reason'], 'deposit_short')
    return refused['missing_paise']
  }
  const statusOf = async (policy: string) => (await partner.call('GET', `${policy}/status`))['status']

  // There is no money: nothing is issued, nobody is covered, and nothing has happened.
  const { member: asha, policy, id } = await approved('Ashalata')
  const holder = await signIn(partner, asha.phone)
  await createWallet(holder)
  const covered = async (day: string) => {
    const { data } = await asha.call('GET', `${asha.path}/coverage?on=${day}`)
    return data.some((one: Body) => one['covered'])
  }
  assert.equal(await short(policy), 1_204_500)
  assert.deepEqual([await statusOf(policy), await covered(today)], ['APPROVED', false])
  await asha.refused(404, 'GET', `${policy}/documents/policy_certificate`)

  // Only the insurer says what it has received; a part of it is not enough.
  for (const caller of [partner, asha]) await caller.refused(403, 'POST', entries, paid(12_045, 'UTR-0', today))
  for (const caller of [stranger, other]) await caller.refused(404, 'GET', entries)
  await other.refused(404, 'POST', entries, paid(12_045, 'UTR-0', today))
  const first = await insurance.call('POST', entries, paid(5_000, 'UTR-1', today))
  assert.deepEqual(await insurance.call('POST', entries, paid(5_000, 'UTR-1', today)), first, 'the same payment, once')
  const changed = await insurance.refused(409, 'POST', entries, paid(6_000, 'UTR-1', today))
  assert.equal(changed['reason'], 'different_content')
  assert.deepEqual([await short(policy), await balance(), await statusOf(policy)], [704_500, 5_000, 'APPROVED'])

  // The rest comes two days later: the cover begins on that day, and not a day before.
  await advance('P2D')
  const later = addDays(today, 2)
  await insurance.call('POST', entries, paid(7_045, 'UTR-2', later))
  await issue(policy)
  const { data: terms } = await partner.call('GET', `${policy}/terms`)
  assert.deepEqual([terms[0].start_date, terms[0].cover_from], [today, later])
  assert.deepEqual([await covered(today), await covered(addDays(today, 1)), await covered(later)], [false, false, true])
  assert.equal(await balance(), 0)
  await issue(policy)
  assert.equal(await balance(), 0, 'it is drawn once')

  // The next one waits for the next money, and both are warned once when it runs low.
  const second = await approved('Ravindranath')
  assert.equal(await short(second.policy), 1_204_500)
  await insurance.call('POST', entries, paid(20_000, 'UTR-3', later))
  await partner.call('PUT', `${deposit}/low_below`, { amount: inr(10_000) })
  await issue(second.policy)
  assert.equal(await balance(), 7_955)
  const warned = (by: typeof partner) =>
    until(by, '/v1/events?type=deposit.low', ({ data }) => data.length > 0).then(({ data }) => data)
  for (const by of [partner, insurance])
    assert.deepEqual(
      (await warned(by)).map(({ data }: Body) => data),
      [{ sponsor_id: sponsorId, benefit_provider_id: insurance.id }],
    )
  for (const nobody of [stranger, other])
    assert.deepEqual((await nobody.call('GET', '/v1/events?type=deposit.low'))['data'], [])

  // A cheque is returned: the insurer has that to settle, nobody loses cover by itself, and nothing more is issued.
  await insurance.call('POST', entries, paid(9_000, 'RET-1', later, 'REVERSAL'))
  assert.equal(await balance(), -1_045)
  assert.deepEqual([await statusOf(policy), await statusOf(second.policy)], ['ISSUED', 'ISSUED'])
  assert.equal(await covered(later), true)
  const actions = await until(insurance, '/v1/next_actions?limit=100', ({ data }) =>
    data.some(({ code }: Body) => code === 'settle_deposit'),
  )
  assert.doesNotMatch(JSON.stringify(actions), /Ashalata|Ravindranath/)
  const third = await approved('Mirabai')
  assert.equal(await short(third.policy), 1_204_500 + 104_500)

  // She leaves: what the insurer gives back goes into the deposit, and into no wallet.
  await insurance.call('PUT', `${policy}/end`, { on: later, code: 'LEFT', amount: inr(11_000) })
  assert.deepEqual([await balance(), (await holder.call('GET', '/wallet/v1/wallet'))['balance']], [9_955, 0])

  // The statement adds up to the balance, to the rupee, with each policy once.
  const { data: statement } = await partner.call('GET', `${entries}?limit=100`)
  const sum = statement.reduce((total: number, { amount }: Body) => total + amount.value, 0)
  assert.deepEqual([sum, await balance()], [9_955, 9_955])
  const drawn = statement.filter(({ kind }: Body) => kind === 'PREMIUM')
  assert.deepEqual(
    drawn.map(({ insurance_policy_id }: Body) => insurance_policy_id).toSorted(),
    [id, second.id].toSorted(),
  )
  const { text } = await send('GET', `${entries}?format=csv`, { token: insurance.token })
  assert.equal(text.trim().split('\r\n').length, 1 + statement.length)
  assert.doesNotMatch(text, /Ashalata|Ravindranath/)
  const words = ['Ashalata', 'Ravindranath', 'Mirabai', 'UTR-', 'RET-1', asha.phone]
  await installation.assertUnsaid([partner, insurance, installation.owner], words)
})
