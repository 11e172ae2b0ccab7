import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { madeStatements } from '../../../src/kernel/db/database.ts'
import { addressOf, prepareWorld, queriesIn } from '../../access/world.ts'
import { ROLE_TABLE } from '../../access/role-table.ts'
import { openTestApp } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'
import { readText } from '../../support/sources.ts'

const t = await openTestApp()
const world = await prepareWorld(t)
const { ids, tokens, platform } = world
const queries = queriesIn(world)

/** Returns the rows of a CSV, as any reader of RFC 4180 has them. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = []
  for (const line of text.matchAll(/((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*)\r\n/g)) {
    const cells = (line[1] ?? '').matchAll(/(?:^|,)("(?:[^"]|"")*"|[^",\r\n]*)/g)
    rows.push(
      Array.from(cells, ([, cell = '']) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)),
    )
  }
  return rows
}

type Parameter = { name: string }
type Get = { parameters?: Parameter[]; responses: Record<string, { content?: Record<string, object> }> }
const { paths } = JSON.parse(readText('openapi.json')) as { paths: Record<string, { get?: Get }> }
const lists = Object.entries(paths).flatMap(([path, { get }]) =>
  get?.parameters?.some(({ name }) => name === 'limit') ? [{ path, get }] : [],
)

/** The caller that may read the list, the one with the fewest records first. */
function tokenFor(path: string): string {
  const row = ROLE_TABLE.find((one) => one.method === 'GET' && one.path === path) ?? assert.fail(path)
  const by = (['wallet_user', 'platform', 'owner'] as const).find((kind) => kind in row.grants) ?? assert.fail(path)
  return tokens[by] ?? assert.fail(by)
}

describe('the CSV of a list', () => {
  it('is documented for each of them', () => {
    assert(lists.length > 25, 'they are found at all')
    for (const { path, get } of lists) {
      assert('text/csv' in (get.responses['200']?.content ?? {}), path)
      assert(
        get.parameters?.some(({ name }) => name === 'format'),
        path,
      )
    }
  })

  for (const { path } of lists.filter((one) => !one.path.includes('account_providers'))) {
    it(`200 ${path} has what its pages have`, async () => {
      const url = `${addressOf(path, ids)}?${queries[`GET ${path}`]?.slice(1) ?? ''}`.replace(/[^?]$/, '$&&')
      const token = tokenFor(path)
      const csv = await t.call('GET', `${url}format=csv`, { token })
      assert.equal(csv.status, 200, csv.text)
      assert.match(String(csv.headers['content-type']), /^text\/csv; charset=utf-8/)
      assert.match(String(csv.headers['content-disposition']), /^attachment; filename="[a-z_]+-\d{4}-\d\d-\d\d\.csv"$/)
      const [head = [], ...rows] = rowsOf(csv.text)
      assert(
        rows.every((row) => row.length === head.length),
        'each row has every column',
      )
      const page = await t.made('GET', `${url}limit=100`, { token })
      const data = page['data'] as Record<string, unknown>[] | { messages: Record<string, unknown>[] }
      const items = Array.isArray(data) ? data : data.messages
      // The logs grow with every request.
      if (/audit_log|access_log|events$/.test(path)) assert(rows.length > 0)
      else if (items.length < 100) assert.equal(rows.length, items.length)
      const at = head.findIndex((name) => name === 'id' || name === 'user_id')
      if (at >= 0)
        assert.deepEqual(
          rows.slice(0, 5).map((row) => row[at]),
          items.slice(0, 5).map((one) => one[head[at] ?? ''] ?? ''),
        )
    })
  }

  it('goes on by a key, except for lists that are short by nature', () => {
    const keyed = madeStatements().flatMap(({ name }) => /^(.*)_first$/.exec(name)?.[1] ?? [])
    assert(keyed.includes('ledger_transactions_list') && keyed.length > 12, keyed.join())
  })

  it('200 by the Accept header, and JSON for a caller that accepts anything', async () => {
    const ask = (accept: string, query = '') =>
      t.call('GET', `/v1/users${query}`, { token: platform.token, headers: { accept } })
    assert.match(String((await ask('text/csv')).headers['content-type']), /^text\/csv/)
    for (const accept of ['*/*', 'application/json', 'application/json, text/csv', 'text/html, */*;q=0.8'])
      assert.match(String((await ask(accept)).headers['content-type']), /^application\/json/, accept)
    assert.match(String((await ask('application/json', '?format=csv')).headers['content-type']), /^text\/csv/)
    assert.equal((await ask('application/pdf')).status, 406)
  })

  it('422 with what only a page has, with another format, and with a wrong filter', async () => {
    const ask = (url: string) => t.call('GET', url, { token: platform.token })
    const refused = await ask('/v1/users?format=csv&limit=5&offset=10')
    assert.deepEqual(errorsOf(refused), ['query:limit not_allowed', 'query:offset not_allowed'])
    const cursor = await t.call('GET', '/v1/events?after=latest', {
      token: platform.token,
      headers: { accept: 'text/csv' },
    })
    assert.deepEqual(errorsOf(cursor), ['query:after not_allowed'])
    assert.equal((await ask('/v1/users?format=xml')).status, 422)
    assert.equal((await ask('/v1/sponsors?format=csv&status=NONE')).status, 422)
  })

  it('401 without a token, 403 and 404 for others, as problems', async () => {
    assert.equal((await t.call('GET', '/v1/users?format=csv', {})).status, 401)
    assert.equal((await t.call('GET', '/v1/audit_log?format=csv', { token: platform.token })).status, 403)
    const foreign = await t.platform()
    const url = addressOf('/v1/users/{user_id}/dependants?format=csv', ids)
    const missing = await t.call('GET', url, { token: foreign.token })
    assert.equal(missing.status, 404)
    assert.match(String(missing.headers['content-type']), /^application\/problem\+json/)
  })

  it('has amounts in rupees, named so, and no formulas', async () => {
    const own = await t.platform()
    const user = await t.user(own)
    await t.wallet(own, user)
    const url = `/v1/users/${user.id}/wallet`
    const body = { amount: 123_405, reference: '=cmd|A1', description: 'one, "two"' }
    await t.made('POST', `${url}/credits`, {
      token: own.token,
      body,
      headers: { 'idempotency-key': 'csv-of-a-ledger' },
    })
    const { text } = await t.call('GET', `${url}/transactions?format=csv`, { token: own.token })
    const [head = [], row = []] = rowsOf(text)
    const record = Object.fromEntries(head.map((name, at) => [name, row[at]]))
    assert.equal(record['amount_rupees'], '1234.05')
    assert.equal(record['balance_after_rupees'], '1234.05')
    assert.equal(record['reference'], `'=cmd|A1`)
    assert.equal(record['description'], 'one, "two"')
    assert.match(String(record['created_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })
})
