import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { withDeposits } from '../../support/deposits.ts'
import { textOf } from '../../support/pdf.ts'

const t = await openTestApp()
const { on, parties, approved, issued, issue, setStatus, paid, entries, balance, coverFrom, inr } = withDeposits(t)

const YEAR = 12_045

/** The policy, its history and the deposit as they are stored. */
const stored = async ({ id }: { id: string }) =>
  JSON.stringify([
    await t.sql('select * from insurance_policies where policy_id = $1', [id]),
    await t.sql('select count(*) from user_status_changes where entity_id = $1', [id]),
    await t.sql('select count(*) from policy_snapshots where policy_id = $1', [id]),
    await t.sql('select count(*) from deposit_entries where policy_id = $1', [id]),
  ])

describe('a plan with premium_gate: deposit', () => {
  it('issues nothing while the deposit is short, and says what is missing', async () => {
    const at = await parties()
    on('2026-04-01')
    const policy = await approved(at)
    const before = await stored(policy)
    const none = await issue(policy)
    assert.deepEqual(
      [none.status, none.body.reason, none.body.missing_paise],
      [409, 'deposit_short', YEAR * 100],
      none.text,
    )
    await paid(at, 12_000.5, '2026-04-01')
    const short = await issue(policy)
    assert.deepEqual([short.status, short.body.reason, short.body.missing_paise], [409, 'deposit_short', 4_450])
    assert.equal(await stored(policy), before, 'nothing has changed')
    assert.deepEqual(await entries(at), ['TOP_UP 12000.5 2026-04-01'])
    await paid(at, 44.5, '2026-04-01')
    assert.equal((await issue(policy)).status, 200)
    assert.equal(await balance(at), 0)
    assert.deepEqual((await entries(at)).at(-1), 'PREMIUM -12045 2026-04-01')
  })

  it('draws once: the same status again, a reissue and an instalment in grace draw nothing', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, 20_000, '2026-04-01')
    const policy = await issued(at)
    for (const status of ['ISSUED', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'ISSUED', 'REQUIRES_POLICY_REISSUANCE'])
      assert.equal((await setStatus(policy, { status })).status, 200)
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED'])
      assert.equal((await setStatus(policy, { status })).status, 200)
    assert.deepEqual(await entries(at), ['TOP_UP 20000 2026-04-01', 'PREMIUM -12045 2026-04-01'])
    assert.deepEqual(await coverFrom(policy), ['2026-04-01'])
  })

  it('begins cover on the first day on which the deposit held the premium; the dates of the record stay', async () => {
    const at = await parties()
    on('2027-04-10')
    await paid(at, 12_000, '2027-04-01')
    await paid(at, 100, '2027-04-06')
    const policy = await issued(at, { start_date: '2027-04-01' })
    assert.deepEqual(await coverFrom(policy), ['2027-04-06'])
    assert.equal((await entries(at)).at(-1), 'PREMIUM -12045 2027-04-06')
    const { start_date, end_date } = await t.made('GET', policy.address, { token: at.platform.token })
    assert.deepEqual([start_date, end_date], ['2027-04-01', '2028-03-31'])
    const on_day = async (day: string) => {
      const url = `/v1/users/${policy.user.id}/coverage?on=${day}`
      const { body } = await t.call('GET', url, { token: at.provider.token })
      return [body.data[0].covered, body.data[0].from]
    }
    assert.deepEqual(await on_day('2027-04-05'), [false, '2027-04-06'])
    assert.deepEqual(await on_day('2027-04-06'), [true, '2027-04-06'])
    const url = `${policy.address}/documents/policy_certificate`
    const certificate = await textOf((await t.call('GET', url, { token: policy.user.token })).bytes)
    assert.match(certificate, /1 April 2027 to 31 March 2028/)
    assert.match(certificate, /Cover begins on 6 April 2027/)
  })

  it('does not begin cover on a day whose money was used, or taken back, since', async () => {
    const at = await parties()
    on('2026-04-10')
    await paid(at, YEAR, '2026-04-01')
    await issued(at)
    await paid(at, YEAR, '2026-04-05')
    await paid(at, YEAR, '2026-04-07', 'REVERSAL')
    await paid(at, YEAR, '2026-04-08')
    const second = await issued(at)
    assert.deepEqual(await coverFrom(second), ['2026-04-08'])
    assert.equal(await balance(at), 0)
  })

  it('begins cover on the first day of a term that is to come, and takes its premium at once', async () => {
    const at = await parties()
    on('2026-03-20')
    await paid(at, YEAR, '2026-03-01')
    const policy = await issued(at)
    assert.deepEqual(await coverFrom(policy), ['2026-04-01'])
    assert.deepEqual(await entries(at), ['TOP_UP 12045 2026-03-01', 'PREMIUM -12045 2026-03-20'])
  })

  it('takes the months of the term: a monthly one a twelfth; a short first one by its days', async () => {
    const at = await parties({ term_months: 1, renewal_window_days: 5, grace_days: 5 })
    on('2026-04-01')
    await paid(at, 5_000, '2026-04-01')
    await issued(at)
    assert.equal((await entries(at)).at(-1), 'PREMIUM -1003.75 2026-04-01')
    const other = await parties()
    await paid(other, 5_000, '2026-04-01')
    await issued(other, { end_date: '2026-04-30' })
    assert.equal((await entries(other)).at(-1), 'PREMIUM -990 2026-04-01')
  })

  it('draws a renewal in its own statement, and counts later terms from the first day of the first', async () => {
    const at = await parties()
    on('2026-04-10')
    await paid(at, YEAR, '2026-04-03')
    const policy = await issued(at)
    on('2027-03-10')
    const before = await stored(policy)
    const short = await setStatus(policy, { status: 'ISSUED' })
    assert.deepEqual([short.body.reason, short.body.missing_paise], ['deposit_short', YEAR * 100])
    assert.equal(await stored(policy), before, 'nothing has changed')
    await paid(at, YEAR, '2027-03-10')
    assert.equal((await setStatus(policy, { status: 'ISSUED' })).status, 200)
    assert.deepEqual(await coverFrom(policy), ['2026-04-03', '2027-04-01'])
    const { start_date, end_date } = await t.made('GET', policy.address, { token: at.platform.token })
    assert.deepEqual([start_date, end_date], ['2027-04-01', '2028-03-31'])
    assert.equal((await entries(at)).at(-1), 'PREMIUM -12045 2027-03-10')
  })

  it('gives back what the benefit provider says of an end, and takes it again when the end is taken back', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const policy = await issued(at)
    on('2026-05-01')
    const end = (body: object) =>
      t.call('PUT', `${policy.address}/end`, {
        token: at.provider.token,
        body: { on: '2026-06-30', code: 'LEFT', ...body },
      })
    assert.equal((await end({})).status, 200)
    assert.equal(await balance(at), 0)
    assert.equal((await end({ amount: inr(9_000) })).status, 200)
    assert.equal((await end({ amount: inr(8_500) })).status, 200)
    assert.deepEqual((await entries(at)).slice(2), ['END 9000 2026-05-01', 'END -500 2026-05-01'])
    await issued(at, { start_date: '2026-05-01', end_date: '2026-06-30' })
    const taken = await t.call('DELETE', `${policy.address}/end`, { token: at.provider.token })
    assert.deepEqual([taken.status, taken.body.reason], [409, 'deposit_short'], 'the money is used')
    await paid(at, YEAR, '2026-05-01')
    assert.equal((await t.call('DELETE', `${policy.address}/end`, { token: at.provider.token })).status, 200)
    assert.equal((await entries(at)).at(-1), 'END -8500 2026-05-01')
  })

  it('takes what was given back again when a policy returns from EXPIRED', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const policy = await issued(at)
    on('2026-05-01')
    const body = { on: '2026-04-30', code: 'LEFT', amount: inr(11_000) }
    assert.equal((await t.call('PUT', `${policy.address}/end`, { token: at.provider.token, body })).status, 200)
    assert.equal(await balance(at), 11_000)
    await paid(at, 11_000, '2026-05-01', 'REVERSAL')
    const back = { status: 'REQUIRES_POLICY_REISSUANCE' }
    const owner = t.owner
    const short = await setStatus(policy, back, owner)
    assert.deepEqual([short.body.reason, short.body.missing_paise], ['deposit_short', 11_000 * 100])
    await paid(at, 11_000, '2026-05-01')
    assert.equal((await setStatus(policy, back, owner)).status, 200)
    assert.equal((await entries(at)).at(-1), 'END -11000 2026-05-01')
    assert.equal(await balance(at), 0)
  })

  it('a reversal may leave it below zero: no policy ends, nothing more is issued, the benefit provider is waited for', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const policy = await issued(at)
    await paid(at, YEAR, '2026-04-01', 'REVERSAL')
    assert.equal(await balance(at), -YEAR)
    assert.equal((await t.made('GET', `${policy.address}/status`, { token: at.provider.token })).status, 'ISSUED')
    const short = await issue(await approved(at))
    assert.equal(short.body.missing_paise, 2 * YEAR * 100)
    const { data } = await t.made('GET', '/v1/next_actions?limit=100', { token: at.provider.token })
    const action = data.find(({ code }: Body) => code === 'settle_deposit')
    assert.deepEqual(
      [action.subject, action.subject_kind, action.who, action.due_on, action.benefit_provider_id],
      [at.sponsor, 'deposit', 'benefit_provider', null, at.provider.id],
    )
    const stranger = await t.provider()
    const others = await t.made('GET', '/v1/next_actions?limit=100', { token: stranger.token })
    assert.ok(!others.data.some(({ code }: Body) => code === 'settle_deposit'))
    await paid(at, YEAR, '2026-04-01')
    const settled = await t.made('GET', '/v1/next_actions?limit=100', { token: at.provider.token })
    assert.ok(!settled.data.some(({ code }: Body) => code === 'settle_deposit'))
  })

  it('of two issues at once, the money for one issues one', async () => {
    const at = await parties()
    on('2026-04-03')
    await paid(at, YEAR + 10, '2026-04-01')
    const policies = await Promise.all(Array.from({ length: 4 }, () => approved(at)))
    const responses = await Promise.all(policies.map(issue))
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409, 409],
    )
    assert.equal(await balance(at), 10)
  })

  it('a plan without the gate draws nothing, from a full deposit too', async () => {
    const at = await parties({ premium_gate: 'none' })
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const policy = await issued(at)
    on('2026-05-01')
    const body = { on: '2026-06-30', code: 'LEFT', amount: inr(9_000) }
    assert.equal((await t.call('PUT', `${policy.address}/end`, { token: at.provider.token, body })).status, 200)
    assert.deepEqual(await entries(at), ['TOP_UP 12045 2026-04-01'])
  })

  it('pays back to the deposit what it came from, whatever the plan says by then, and to no other', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const drawn = await issued(at)
    await gate(at, 'none')
    const free = await issued(at)
    const end = ({ address }: { address: string }) =>
      t.made('PUT', `${address}/end`, {
        token: at.provider.token,
        body: { on: '2026-04-30', code: 'LEFT', amount: inr(9_000) },
      })
    await end(drawn)
    assert.equal((await entries(at)).at(-1), 'END 9000 2026-04-01')
    await gate(at, 'deposit')
    await end(free)
    assert.equal(await balance(at), 9_000, 'the other was not paid from it')
    await gate(at, 'none')
    assert.equal((await t.call('DELETE', `${drawn.address}/end`, { token: at.provider.token })).status, 200)
    assert.equal(await balance(at), 0, 'the cover is back, and so is the premium')
  })

  it('leaves what was paid back where the end is only dated otherwise, by whomever', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const policy = await issued(at)
    const end = (token: string, body: object) =>
      t.call('PUT', `${policy.address}/end`, { token, body: { code: 'LEFT', ...body } })
    assert.equal((await end(at.provider.token, { on: '2026-04-30', amount: inr(9_000) })).status, 200)
    await paid(at, 9_000, '2026-04-01', 'REVERSAL')
    assert.equal((await end(at.platform.token, { on: '2026-04-29' })).status, 200)
    assert.equal((await end(at.provider.token, { on: '2026-04-15', code: 'DEATH' })).status, 200)
    assert.equal(await balance(at), 0)
    assert.equal((await end(at.provider.token, { on: '2026-04-15', code: 'DEATH', amount: inr(9_500) })).status, 200)
    assert.equal(await balance(at), 500, 'the difference')
  })

  it('does not return a policy whose days since its end nobody has paid for', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, YEAR, '2026-04-01')
    const policy = await issued(at)
    const body = { on: '2026-05-10', code: 'LEFT', amount: inr(11_000) }
    on('2026-05-10')
    await t.made('PUT', `${policy.address}/end`, { token: at.provider.token, body })
    on('2026-05-20')
    await paid(at, 11_000, '2026-05-20', 'REVERSAL')
    on('2026-06-20')
    await paid(at, 11_000, '2026-06-20')
    const back = await setStatus(policy, { status: 'REQUIRES_POLICY_REISSUANCE' }, t.owner)
    assert.deepEqual([back.status, back.body.reason, back.body.held_from], [409, 'deposit_short', '2026-06-20'])
    assert.equal(await balance(at), 11_000)
  })

  it('issues nothing of a plan that the benefit has no more, while another has the gate', async () => {
    const at = await parties()
    on('2026-04-01')
    const policy = await approved(at)
    await patchPlans(at, (plan) => ({ ...plan, plan_code: 'OTHER' }))
    assert.equal((await issue(policy)).body.reason, 'deposit_short')
  })

  it('takes one year for a first issue in the window, however often it is sent', async () => {
    const at = await parties()
    on('2027-03-20')
    await paid(at, 3 * YEAR, '2027-03-20')
    const policy = await issued(at, { start_date: '2026-04-01' })
    assert.equal((await issue(policy)).status, 200)
    assert.equal(await balance(at), 2 * YEAR)
    on('2027-03-21')
    assert.equal((await issue(policy)).status, 200)
    assert.equal(await balance(at), YEAR, 'the next day it is a renewal')
  })

  it('does not issue a term that was over before the money came', async () => {
    const at = await parties()
    on('2027-04-10')
    await paid(at, YEAR, '2027-04-05')
    const { status, body } = await issue(await approved(at, { start_date: '2026-04-01' }))
    assert.deepEqual([status, body.reason], [409, 'term_over'])
    assert.match(body.detail, /since 2027-04-05 only/)
    assert.equal(await balance(at), YEAR)
  })

  it('counts the days before its cover among those that were paid for and not covered', async () => {
    const at = await parties()
    on('2026-04-20')
    await paid(at, YEAR, '2026-04-15')
    const policy = await issued(at)
    const body = { on: '2026-04-14', code: 'CANCELLED' }
    const { refund } = await t.made('PUT', `${policy.address}/end`, { token: at.provider.token, body })
    assert.deepEqual(refund, { days: 365, estimate: inr(YEAR), amount: null })
    const { data } = await t.made('GET', `${policy.address}/terms`, { token: at.platform.token })
    assert.deepEqual([data[0].cover_from, data[0].cancelled, data[0].ended_on], ['2026-04-15', true, null])
  })
})

/** Changes the plans of a benefit, as an administrator does. */
async function patchPlans({ benefit }: { benefit: string }, change: (plan: Body) => Body): Promise<void> {
  const { plans } = await t.made('GET', `/v1/benefits/${benefit}`, { token: t.operator })
  await t.made('PATCH', `/v1/benefits/${benefit}`, { token: t.operator, body: { plans: plans.map(change) } })
}
const gate = (at: { benefit: string }, premium_gate: string) => patchPlans(at, (plan) => ({ ...plan, premium_gate }))
