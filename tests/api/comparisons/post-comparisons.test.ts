import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { CSV, csv } from '../../support/imports.ts'
import { withMembers } from '../../support/members.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()
const { enrolled, setStatus, decide, put, onlyWaiting } = withMembers(t)

type Token = { token: string }

/** A group policy of Asha and Ravi, and Mira from 10 April; their policy has this number. */
async function group() {
  const at = await enrolled()
  const number = `MP-${at.id}`
  await setStatus(at, { status: 'VERIFICATION', master_policy_number: number, external_policy_id: `X-${at.id}` })
  for (const status of ['APPROVED', 'ISSUED']) await setStatus(at, { status })
  await put(at, at.mira, { from: '2026-04-10', relation: 'CHILD' })
  await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
  const compare = (text: string, { token }: Token = at.provider, on = '2026-05-01') =>
    t.call('POST', `/v1/comparisons?kind=members&master_policy_number=${number}&on=${on}`, {
      token,
      headers: CSV,
      body: text,
    })
  const file = async ({ token }: Token = at.provider) => {
    const body = { master_policy_number: number, on: '2026-05-01' }
    return (await t.call('POST', '/v1/members/search?format=csv', { token, body })).text
  }
  return { ...at, number, compare, file }
}

/** What is listed of a comparison: `difference row column`. */
async function listed(id: string, { token }: Token, query = '') {
  const { body } = await t.call('GET', `/v1/comparisons/${id}/differences${query}`, { token })
  return body.data.map((one: Record<string, string>) =>
    [one['difference'], one['row'], one['column']].filter(Boolean).join(' '),
  )
}

describe('POST /v1/comparisons', () => {
  it('201 the member file as it is, sent back, has no difference, for the benefit provider and the platform', async () => {
    const at = await group()
    for (const caller of [at.provider, at.platform]) {
      const { status, body, headers } = await at.compare(await at.file(caller), caller)
      assert.equal(status, 201, JSON.stringify(body))
      assert.deepEqual([body.rows, body.persons, body.on], [3, 3, '2026-05-01'])
      assert(Object.values(body.differences).every((count) => count === 0))
      assert.equal(headers['location'], `/v1/comparisons/${body.id}`)
      assert.deepEqual(await listed(body.id, caller), [])
    }
  })

  it('201 each difference by row, column and ids, and what cannot be read; nothing that the file says', async () => {
    const at = await group()
    const number = `X-${at.id}`
    const made = await at.compare(
      csv(
        'external_policy_id,first_name,last_name,date_of_birth,from,to',
        `${number},ASHA,example,1990-05-18,2026-04-01,2027-03-31`,
        `${number},Ravi,Example,${await birthOf(at.ravi)},2026-04-02,`,
        `${number},Ravi,Example,${await birthOf(at.ravi)},2026-04-02,`,
        `${number},Zubin Secretname,Example,2001-01-01,,`,
        `X-unknown,Asha,Example,1990-05-17,,`,
        `${number},Mira,Example,01-02-2020,,`,
      ),
    )
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(await listed(made.body.id, at.provider), [
      'birth 2 date_of_birth',
      'first_day 3 from',
      'doubled 4',
      'missing_here 5',
      'missing_here 6',
      'unreadable 7 date_of_birth',
      'missing_there',
    ])
    const { differences } = made.body
    assert.deepEqual([differences.missing_here, differences.missing_there, differences.doubled], [2, 1, 1])
    assert.deepEqual(await listed(made.body.id, at.provider, '?difference=doubled'), ['doubled 4'])
    const again = await at.compare(await at.file())
    assert.equal(again.body.differences.missing_there, 0)
    assert(!(await everythingStored(t)).includes('Secretname'))
  })

  it('the same file has the same response, and nothing is changed by it', async () => {
    const at = await group()
    const text = csv('insurance_policy_id,first_name,last_name,date_of_birth', `${at.id},Asha,Other,1990-05-17`)
    const before = await t.call('GET', at.address, { token: at.platform.token })
    const [one, other] = [await at.compare(text), await at.compare(text)]
    assert.deepEqual(await listed(one.body.id, at.provider), await listed(other.body.id, at.provider))
    assert.deepEqual(one.body.differences, other.body.differences)
    const after = await t.call('GET', at.address, { token: at.platform.token })
    assert.deepEqual([after.body, after.headers['etag']], [before.body, before.headers['etag']])
  })

  it('201 a file in which all rows name one policy, or none, as fast as any other', async () => {
    const at = await group()
    const rows = Array.from({ length: 20_000 }, (_, n) => `${at.id},Guess,Example,${birthNo(n)}`)
    const head = 'insurance_policy_id,first_name,last_name,date_of_birth'
    const { body } = await at.compare(csv(head, ...rows, ',Nobody,Known,1990-05-17'))
    assert.deepEqual([body.rows, body.differences.unreadable, body.differences.missing_here], [20_001, 1, 20_000])
    const unread = await t.call('GET', `/v1/comparisons/${body.id}/differences?difference=unreadable`, at.provider)
    assert.deepEqual([unread.body.data[0].row, unread.body.data[0].insurance_policy_id], [20_002, null])
  })

  it('is an entry in the access log of each person whose names and births were read', async () => {
    const at = await group()
    await at.compare(csv('insurance_policy_id,first_name,last_name,date_of_birth', `${at.id},Asha,Example,1990-05-17`))
    await t.audit.reads.write()
    const entries = await t.sql(
      'select action, user_id from audit_entries where operation = $1 and actor = $2 order by 1',
      ['createComparison', `provider:${at.provider.id}`],
    )
    assert.deepEqual(entries, [
      { action: 'change', user_id: null },
      { action: 'read', user_id: at.user.id },
    ])
  })

  it('another benefit provider or platform finds nobody of the group, and not the comparison', async () => {
    const at = await group()
    const stranger = await t.provider()
    const { body } = await at.compare(await at.file(), stranger)
    assert.deepEqual([body.persons, body.differences.missing_here], [0, 3])
    const own = await at.compare(await at.file())
    for (const path of ['', '/differences'])
      assertSameNotFound(
        await t.call('GET', `/v1/comparisons/${own.body.id}${path}`, { token: stranger.token }),
        await t.call('GET', `/v1/comparisons/cmp_unknown${path}`, { token: at.provider.token }),
      )
    assert.equal((await t.call('GET', `/v1/comparisons/${own.body.id}`, { token: t.viewer })).status, 200)
  })

  it('422 a file that is no member file', async () => {
    const at = await group()
    assert.deepEqual(errorsOf(await at.compare('first_name;last_name\r\nA;B\r\n')), [' format'])
    assert.deepEqual(errorsOf(await at.compare(csv('external_policy_id,first_name,last_name', 'X,A,B'))), [
      '/date_of_birth required',
    ])
    assert.deepEqual(await t.sql('select 1 from comparisons where master_policy_number = $1', [at.number]), [])
  })
})

/** A day of birth of its own for each number. */
const birthNo = (n: number) => new Date(Date.UTC(1930, 0, 1 + n)).toISOString().slice(0, 10)

async function birthOf(dependant: string): Promise<string> {
  const [row] = await t.sql<{ user_id: string }>('select user_id from dependants where dependant_id = $1', [dependant])
  const { body } = await t.call('GET', `/v1/users/${row?.user_id}/dependants/${dependant}`, { token: t.operator })
  return body.date_of_birth
}
