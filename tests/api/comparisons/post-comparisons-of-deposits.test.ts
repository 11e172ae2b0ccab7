import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { type Parties, withDeposits } from '../../support/deposits.ts'
import { CSV, csv } from '../../support/imports.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { everythingStored, hasWord } from '../../support/stored.ts'

const t = await openTestApp()
const { on, parties, issued, enter, entries, inr } = withDeposits(t)

type Token = { token: string }

const addressOf = ({ sponsor, provider }: Pick<Parties, 'sponsor' | 'provider'>, query = '') =>
  `/v1/comparisons?kind=deposit&sponsor_id=${sponsor}&benefit_provider_id=${provider.id}${query}`

const compare = (at: Parties, text: string, { token }: Token = at.provider, query = '') =>
  t.call('POST', addressOf(at, query), { token, headers: CSV, body: text })

/** What is listed of a comparison: `difference row column`. */
async function listed(id: string, { token }: Token): Promise<string[]> {
  const { body } = await t.call('GET', `/v1/comparisons/${id}/differences`, { token })
  return body.data.map((one: Record<string, string>) =>
    [one['difference'], one['row'], one['column']].filter(Boolean).join(' '),
  )
}

/** A deposit with ₹50,000, from which the premium of one policy was taken, and ₹9,000 given back for its end. */
async function booked() {
  const at = await parties()
  on('2026-04-01')
  const paid = { reference: `UTR-${at.sponsor}`, paid_on: '2026-04-01' }
  assert.equal((await enter(at, 50_000, paid)).status, 201)
  const policy = await issued(at)
  const number = `X-${policy.id}`
  await t.sql('update insurance_policies set external_policy_id = $2 where policy_id = $1', [policy.id, number])
  on('2026-05-01')
  const body = { on: '2026-06-30', code: 'LEFT', amount: inr(9_000) }
  assert.equal((await t.call('PUT', `${policy.address}/end`, { token: at.provider.token, body })).status, 200)
  assert.deepEqual(await entries(at), ['TOP_UP 50000 2026-04-01', 'PREMIUM -12045 2026-04-01', 'END 9000 2026-05-01'])
  return { ...at, policy, number, reference: paid.reference }
}

describe('POST /v1/comparisons?kind=deposit', () => {
  it('201 the statement as it is listed, sent back, has no difference, for the benefit provider, the platform and an administrator', async () => {
    const at = await booked()
    const url = `${at.deposit}/entries?format=csv`
    for (const caller of [at.provider, at.platform, { token: t.operator }]) {
      const { text } = await t.call('GET', url, { token: at.provider.token })
      const { status, body, headers } = await compare(at, text, caller)
      assert.equal(status, 201, JSON.stringify(body))
      assert.deepEqual([body.kind, body.rows, body.entries, body.on], ['deposit', 3, 3, '2026-05-01'])
      assert.deepEqual([body.sponsor_id, body.benefit_provider_id, body.from], [at.sponsor, at.provider.id, null])
      assert.deepEqual([body.master_policy_number, body.persons], [null, null])
      assert(Object.values(body.differences).every((count) => count === 0))
      assert.equal(headers['location'], `/v1/comparisons/${body.id}`)
      assert.deepEqual(await listed(body.id, caller), [])
    }
  })

  it('201 the statement of an insurer, with debits, credits and a balance, has no difference', async () => {
    const at = await booked()
    const made = await compare(
      at,
      csv(
        'date,description,reference,external_policy_id,debit,credit,balance',
        '2026-04-01,Opening balance,,,,,0.00',
        `2026-04-01,NEFT,${at.reference},,,"50,000.00","50,000.00"`,
        `2026-04-01,Premium,TXN-1,${at.number},"12,045.00",0.00,"37,955.00"`,
        `2026-05-01,Refund,TXN-2,${at.number},,"9,000.00","46,955.00"`,
      ),
    )
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(await listed(made.body.id, at.provider), [])
    assert.equal(made.body.rows, 4)
  })

  it('201 each difference by row, column and ids, and what cannot be read; nothing that the file says', async () => {
    const at = await booked()
    const made = await compare(
      at,
      csv(
        'date,kind,reference,external_policy_id,sign,amount,balance',
        `2026-04-02,REVERSAL,${at.reference},MP-77,DR,51000.00,`,
        `2026-04-01,PREMIUM,,${at.number},DEBIT,12045.50,`,
        `2026-05-01,END,,${at.number},CREDIT,9000,`,
        `2026-05-01,END,,${at.number},CREDIT,9000,`,
        '2026-05-01,PREMIUM,,Secret-policy,DEBIT,777.77,',
        '2026-05-01,TOP_UP,Secret-reference,,CREDIT,777.77,',
        `01/05/2026,PREMIUM,,${at.number},DEBIT,1.00,`,
        `2026-05-01,CHARGE,,${at.number},DEBIT,1.00,`,
        `2026-05-01,END,,${at.number},CREDIT,"12,50",`,
        `2026-05-01,END,,${at.number},?,12.50,`,
        '2026-05-01,END,,,CREDIT,12.50,',
        '2026-05-01,,,,,,46954.99',
      ),
    )
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(await listed(made.body.id, at.provider), [
      'kind 2 kind',
      'amount 2 amount',
      'day 2 date',
      'amount 3 amount',
      'doubled 5',
      'missing_here 6',
      'missing_here 7',
      'unreadable 8 date',
      'unreadable 9 kind',
      'unreadable 10 amount',
      'unreadable 11 sign',
      'unreadable 12',
      'balance 13 balance',
    ])
    const { data } = await t.made('GET', `/v1/comparisons/${made.body.id}/differences?difference=amount`, at.provider)
    const [topUp, premium] = (await t.made('GET', `${at.deposit}/entries`, at.provider)).data.toReversed()
    const ids = { user_id: at.policy.user.id, insurance_policy_id: at.policy.id, person_id: null }
    assert.deepEqual(data, [
      {
        difference: 'amount',
        row: 2,
        column: 'amount',
        user_id: null,
        insurance_policy_id: null,
        person_id: null,
        entry_id: topUp.id,
      },
      { difference: 'amount', row: 3, column: 'amount', ...ids, entry_id: premium.id },
    ])
    const stored = await everythingStored(t)
    assert(!stored.includes('Secret-'))
    for (const said of ['777.77', '77777', '46954.99', '4695499']) assert(!hasWord(stored, said), said)
  })

  it('201 says which entries of the days of the file have no row, and nothing of those before and after', async () => {
    const at = await booked()
    const head = 'date,external_policy_id,reference,amount'
    const april = csv(head, `2026-04-01,,${at.reference},50000`)
    const { body } = await compare(at, april, at.provider, '&from=2026-04-01&on=2026-04-30')
    assert.deepEqual([body.entries, body.from, body.on], [2, '2026-04-01', '2026-04-30'])
    const { data } = await t.made('GET', `/v1/comparisons/${body.id}/differences`, at.provider)
    const [, premium] = (await t.made('GET', `${at.deposit}/entries`, at.provider)).data.toReversed()
    assert.deepEqual(data, [
      {
        difference: 'missing_there',
        row: null,
        column: null,
        user_id: at.policy.user.id,
        insurance_policy_id: at.policy.id,
        person_id: null,
        entry_id: premium.id,
      },
    ])
    const late = csv(head, `2026-04-30,${at.policy.id},,9000`)
    const may = await compare(at, late, at.provider, '&from=2026-04-20&on=2026-04-30')
    assert.deepEqual(await listed(may.body.id, at.provider), ['day 2 date'], 'an entry of the first of May')
  })

  it('the same file has the same response, and nothing is changed by it', async () => {
    const at = await booked()
    const text = csv('date,external_policy_id,reference,amount', `2026-04-01,,${at.reference},1`, '2026-04-01,X,,1')
    const stored = async () =>
      JSON.stringify([await entries(at), await t.sql('select * from deposits where sponsor_id = $1', [at.sponsor])])
    const before = await stored()
    const [one, other] = [await compare(at, text), await compare(at, text)]
    assert.deepEqual(await listed(one.body.id, at.provider), await listed(other.body.id, at.provider))
    assert.deepEqual(one.body.differences, other.body.differences)
    assert.equal(await stored(), before)
  })

  it('201 a file in which all rows name one policy, as fast as any other', async () => {
    const at = await booked()
    const rows = Array.from({ length: 20_000 }, (_, n) => `2026-04-01,${at.number},,-${n + 20_000}`)
    const { body } = await compare(at, csv('date,external_policy_id,reference,amount', ...rows))
    const { missing_here, missing_there, amount } = body.differences
    assert.deepEqual([body.rows, missing_here, missing_there, amount], [20_000, 19_999, 2, 1])
  })

  it('404 for who is no party to the deposit, and one’s own comparison for nobody else', async () => {
    const at = await booked()
    const file = csv('date,reference,amount', `2026-04-01,${at.reference},50000`)
    const [stranger, other] = [await t.provider(), await t.platform()]
    for (const { token } of [stranger, other])
      assertSameNotFound(
        await compare(at, file, { token }),
        await t.call('POST', addressOf({ ...at, sponsor: 'spn_unknown' }), { token, headers: CSV, body: file }),
      )
    const { body } = await compare(at, file)
    for (const path of ['', '/differences'])
      assertSameNotFound(
        await t.call('GET', `/v1/comparisons/${body.id}${path}`, { token: at.platform.token }),
        await t.call('GET', `/v1/comparisons/cmp_unknown${path}`, { token: at.provider.token }),
      )
    assert.deepEqual(await t.sql('select count(*)::int as n from comparisons where sponsor_id = $1', [at.sponsor]), [
      { n: 1 },
    ])
  })

  it('422 a file that is no statement, and parameters of the other kind', async () => {
    const at = await booked()
    assert.deepEqual(errorsOf(await compare(at, csv('date,reference', '2026-04-01,X'))), ['/date required'])
    assert.deepEqual(errorsOf(await compare(at, csv('date,amount,particulars', '2026-04-01,1,X'))), [
      '/particulars unknown',
    ])
    const errors = async (query: string) =>
      errorsOf(
        await t.call('POST', `/v1/comparisons?${query}`, { token: at.provider.token, headers: CSV, body: 'date' }),
      )
    assert.deepEqual(await errors('kind=deposit&sponsor_id=S'), ['query:benefit_provider_id required'])
    assert.deepEqual(await errors('kind=members&from=2026-04-01'), [
      'query:from not_allowed',
      'query:master_policy_number required',
    ])
    assert.deepEqual(
      await errors(
        'kind=deposit&sponsor_id=S&benefit_provider_id=B&master_policy_number=M&from=2026-04-02&on=2026-04-01',
      ),
      ['query:from too_large', 'query:master_policy_number not_allowed'],
    )
    assert.deepEqual(await t.sql('select 1 from comparisons where sponsor_id = $1', [at.sponsor]), [])
  })
})
