import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { announceLow } from '../../../src/domains/cover/deposits/index.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { type Parties, withDeposits } from '../../support/deposits.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()
const { on, parties, approved, issued, enter, paid, entries, balance, inr } = withDeposits(t)

const NONE = 'spn_06bnv3m2r8f1s4k7q9t3v6w0y2'

describe('POST /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries', () => {
  it('201 what was paid in, and what was taken back', async () => {
    const at = await parties()
    on('2026-04-02')
    const response = await enter(at, 5_000.25, { paid_on: '2026-04-01', reference: 'UTR-42' })
    const { id, created_at, ...entry } = response.body
    assert.equal(response.status, 201)
    assert.match(id, /^dpe_/)
    assert.ok(created_at)
    assert.deepEqual(entry, {
      kind: 'TOP_UP',
      amount: inr(5_000.25),
      on: '2026-04-01',
      reference: 'UTR-42',
      user_id: null,
      insurance_policy_id: null,
      endorsement_id: null,
    })
    await paid(at, 6_000, '2026-04-02', 'REVERSAL')
    assert.deepEqual(await entries(at), ['TOP_UP 5000.25 2026-04-01', 'REVERSAL -6000 2026-04-02'])
    assert.equal(await balance(at), -999.75)
  })

  it('200 the same entry again, counted once, from many at once too; 409 another one with its reference', async () => {
    const at = await parties()
    on('2026-04-02')
    const send = (body: object = {}) => enter(at, 100, { paid_on: '2026-04-01', reference: 'UTR-1', ...body })
    const responses = await Promise.all(Array.from({ length: 5 }, () => send()))
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 200, 200, 200, 201],
    )
    assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1)
    for (const other of [{ kind: 'REVERSAL' }, { amount: inr(101) }, { paid_on: '2026-04-02' }]) {
      const { status, body } = await send(other)
      assert.deepEqual([status, body.reason], [409, 'different_content'])
    }
    assert.deepEqual(await entries(at), ['TOP_UP 100 2026-04-01'])
    const elsewhere = await parties()
    assert.equal((await enter(elsewhere, 100, { paid_on: '2026-04-01', reference: 'UTR-1' })).status, 201)
  })

  it('422 nothing, less than a paisa, a day to come, another kind', async () => {
    const at = await parties()
    on('2026-04-02')
    const errors = async (body: object) => errorsOf(await enter(at, 100, { paid_on: '2026-04-01', ...body }))
    assert.deepEqual(await errors({ amount: inr(0) }), ['/amount/value too_small'])
    assert.deepEqual(await errors({ amount: inr(-5) }), ['/amount/value too_small'])
    assert.deepEqual(await errors({ amount: inr(1.005) }), ['/amount/value format'])
    assert.deepEqual(await errors({ paid_on: '2026-04-03' }), ['/paid_on too_large'])
    assert.deepEqual(await errors({ paid_on: '2026-02-15' }), ['/paid_on too_small'], 'it goes back 45 days')
    const body = { kind: 'TOP_UP', amount: inr(1), paid_on: '2026-02-15', reference: 'UTR-0' }
    assert.equal((await t.call('POST', `${at.deposit}/entries`, { token: t.operator, body })).status, 201)
    assert.deepEqual(await errors({ kind: 'PREMIUM' }), ['/kind not_allowed'])
    assert.deepEqual(await errors({ reference: '' }), ['/reference too_short'])
    assert.deepEqual(await entries(at), ['TOP_UP 1 2026-02-15'])
  })

  it('404 for a benefit provider without a benefit of the sponsor, for another’s deposit, and for a platform 403', async () => {
    const at = await parties()
    on('2026-04-02')
    await paid(at, 100, '2026-04-01')
    const body = { kind: 'TOP_UP', amount: inr(100), paid_on: '2026-04-01', reference: 'UTR-9' }
    const stranger = await t.provider()
    const post = (url: string, token: string) => t.call('POST', `${url}/entries`, { token, body })
    const missing = await post(`/v1/sponsors/${NONE}/deposits/${at.provider.id}`, at.provider.token)
    assertSameNotFound(await post(at.deposit, stranger.token), missing)
    assertSameNotFound(await post(`/v1/sponsors/${at.sponsor}/deposits/${stranger.id}`, stranger.token), missing)
    assertSameNotFound(await post(`/v1/sponsors/${at.sponsor}/deposits/${stranger.id}`, at.provider.token), missing)
    assert.equal((await post(at.deposit, at.platform.token)).status, 403)
    assert.deepEqual(await entries(at), ['TOP_UP 100 2026-04-01'])
  })
})

describe('GET deposits and their entries', () => {
  it('200 to the platform, to the benefit provider its own, to nobody else', async () => {
    const at = await parties()
    on('2026-04-02')
    await paid(at, 100, '2026-04-01')
    const [platform, provider] = [await t.platform(), await t.provider()]
    for (const url of [`/v1/sponsors/${at.sponsor}/deposits`, `${at.deposit}/entries`]) {
      for (const token of [at.platform.token, at.provider.token, t.viewer])
        assert.equal((await t.made('GET', url, { token })).total, 1)
      const missing = await t.call('GET', url.replace(at.sponsor, NONE), { token: platform.token })
      for (const token of [platform.token, provider.token])
        assertSameNotFound(await t.call('GET', url, { token }), missing)
    }
  })

  it('200 the entries of some days as CSV: the statement of the deposit', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, 20_000, '2026-04-01')
    const policy = await issued(at)
    const headers = { accept: 'text/csv' }
    const { status, text } = await t.call('GET', `${at.deposit}/entries`, { token: at.platform.token, headers })
    assert.equal(status, 200)
    const [head = '', ...lines] = text.trim().split(/\r?\n/)
    assert.match(head, /kind.*amount.*on/)
    assert.equal(lines.length, 2)
    assert.match(text, new RegExp(`PREMIUM.*-12045.*${policy.id}`))
    const none = await t.made('GET', `${at.deposit}/entries?to=2020-01-01`, { token: at.platform.token })
    assert.equal(none.total, 0)
  })
})

describe('PUT /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/low_below', () => {
  const setLow = (at: Parties, amount: number | null, token = at.platform.token, headers = {}) =>
    t.call('PUT', `${at.deposit}/low_below`, { token, headers, body: { amount: amount && inr(amount) } })

  /** Sends what is due, and counts the events of the deposit. */
  async function lows({ sponsor, platform, provider }: Parties): Promise<number> {
    await announceLow(t.deps)
    await settled(t)
    const countOf = async (token: string) => {
      const { data } = await t.made('GET', '/v1/events?limit=100', { token })
      const own = data.filter((one: Body) => one.type === 'deposit.low' && one.data.sponsor_id === sponsor)
      for (const one of own) assert.deepEqual(one.data, { sponsor_id: sponsor, benefit_provider_id: provider.id })
      return own.length
    }
    const [seen, seenByProvider] = [await countOf(platform.token), await countOf(provider.token)]
    assert.equal(seen, seenByProvider)
    return seen
  }

  it('sends deposit.low once each time the balance falls below it', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, 30_000, '2026-04-01')
    assert.equal((await setLow(at, 10_000)).body.low_below.value, 10_000)
    await issued(at)
    assert.equal(await lows(at), 0, '17,955 is not below 10,000')
    await issued(at)
    assert.equal(await lows(at), 1)
    assert.equal(await lows(at), 1, 'once')
    await paid(at, 100, '2026-04-01', 'REVERSAL')
    assert.equal(await lows(at), 1, 'it is low already')
    await paid(at, 20_000, '2026-04-01')
    await paid(at, 20_000, '2026-04-01', 'REVERSAL')
    assert.equal(await lows(at), 2, 'it fell again, although it was filled between')
    assert.equal((await setLow(at, null)).status, 200)
    await paid(at, 5_000, '2026-04-01', 'REVERSAL')
    assert.equal(await lows(at), 2)
    assert.equal((await setLow(at, 1_000)).status, 200)
    assert.equal(await lows(at), 3, 'it is low by the level that is set')
  })

  it('200 before anything was paid in; the same again changes nothing; 412 for an older version', async () => {
    const at = await parties()
    on('2026-04-01')
    const first = await setLow(at, 500, at.provider.token)
    assert.deepEqual([first.status, first.body.balance.value], [200, 0])
    assert.equal((await setLow(at, 500)).headers['etag'], first.headers['etag'])
    await paid(at, 100, '2026-04-01')
    const stale = await setLow(at, 600, at.platform.token, { 'if-match': String(first.headers['etag']) })
    assert.equal(stale.status, 412)
    const stranger = await t.platform()
    assert.equal((await setLow(at, 600, stranger.token)).status, 404)
    assert.equal(await balance(at), 100)
  })
})

describe('what a benefit provider says of an endorsement', () => {
  it('takes what it charges and gives back what it pays back, once; short: 409, and nothing is decided', async () => {
    const at = await parties()
    on('2026-04-01')
    await paid(at, 12_100, '2026-04-01')
    const policy = await issued(at)
    const [child = ''] = await t.dependants({ ...policy.user, token: at.platform.token }, ['Mira'])
    on('2026-05-10')
    const member = `${policy.address}/members/${child}`
    const put = (body: object) => t.made('PUT', member, { token: at.platform.token, body })
    const waiting = async () => {
      const { data } = await t.made('GET', '/v1/endorsements', { token: at.provider.token })
      return data.find((one: Body) => one.insurance_policy_id === policy.id && one.state === 'REQUESTED')
    }
    const decide = async (body: object, { id } = { id: '' }) =>
      t.call('PUT', `/v1/endorsements/${id}/state`, { token: at.provider.token, body: { state: 'ACCEPTED', ...body } })
    await put({ from: '2026-05-05' })
    const join = await waiting()
    const short = await decide({ amount: inr(900) }, join)
    assert.deepEqual([short.status, short.body.reason, short.body.missing_paise], [409, 'deposit_short', 845 * 100])
    assert.equal((await waiting()).id, join.id)
    await paid(at, 2_000, '2026-05-08')
    const early = await decide({ amount: inr(900) }, join)
    assert.deepEqual(
      [early.body.reason, early.body.held_from],
      ['deposit_short', '2026-05-08'],
      'no day before the money',
    )
    const setStatus = (body: object) => t.call('PUT', `${policy.address}/status`, { token: at.provider.token, body })
    const { persons_version } = (await setStatus({ status: 'REQUIRES_POLICY_REISSUANCE', persons_version: 1 })).body
    const whole = await setStatus({ status: 'ISSUED', persons_version })
    assert.deepEqual([whole.status, whole.body.reason], [409, 'incomplete'], 'an issue names no amount')
    assert.equal((await decide({ amount: inr(900), on: '2026-05-08' }, join)).status, 200)
    assert.equal((await decide({ amount: inr(900), on: '2026-05-08' }, join)).status, 200)
    assert.equal((await decide({ amount: inr(901) }, join)).body.reason, 'different_content')
    assert.equal((await entries(at)).at(-1), 'ENDORSEMENT -900 2026-05-08')
    on('2026-06-01')
    await put({ to: '2026-05-31' })
    assert.equal((await decide({ amount: inr(700) }, await waiting())).status, 200)
    assert.deepEqual(await entries(at), [
      'TOP_UP 12100 2026-04-01',
      'PREMIUM -12045 2026-04-01',
      'TOP_UP 2000 2026-05-08',
      'ENDORSEMENT -900 2026-05-08',
      'ENDORSEMENT 700 2026-06-01',
    ])
  })
})

describe('the plan', () => {
  it('says its gate, `none` unless it is set, and takes it from an administrator', async () => {
    const at = await parties()
    const gateOf = async (id: string) =>
      (await t.made('GET', `/v1/benefits/${id}`, { token: at.platform.token })).plans[0].premium_gate
    assert.equal(await gateOf(at.benefit), 'deposit')
    const other = await t.benefit(at.platform, at.provider)
    assert.equal(await gateOf(other), 'none')
  })

  it('what it says on that day holds for every policy of it', async () => {
    const at = await parties({ premium_gate: 'none' })
    on('2026-04-01')
    const policy = await approved(at)
    const plans = (await t.made('GET', `/v1/benefits/${at.benefit}`, { token: at.platform.token })).plans
    const body = { plans: plans.map((plan: Body) => ({ ...plan, premium_gate: 'deposit' })) }
    await t.made('PATCH', `/v1/benefits/${at.benefit}`, { token: t.operator, body })
    const { body: problem } = await t.call('PUT', `${policy.address}/status`, {
      token: at.provider.token,
      body: { status: 'ISSUED' },
    })
    assert.equal(problem.reason, 'deposit_short')
  })
})
