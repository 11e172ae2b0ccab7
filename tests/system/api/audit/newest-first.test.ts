import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { type Body, openTestApp } from '../../../support/app.ts'
import { plansOf, rowsRead, sentBy } from '../../../support/plans.ts'
import { errorsOf } from '../../../support/problems.ts'
import { settled } from '../../../support/settled.ts'

const SCANNED_MAX = 1_000

const t = await openTestApp({ own: true })
const platform = await t.platform()
const user = await t.onboardedUser(platform)

const list = (query: string) => t.call('GET', `/v1/audit_log?${query}`, { token: t.owner })
const idsOf = ({ data }: Body): string[] => data.map(({ id }: Body) => id)

/** Returns the ids of all entries, read page by page. */
async function readAll(query: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { status, body, text } = await list(query + cursor)
    assert.equal(status, 200, text)
    ids.push(...idsOf(body))
    if (!body.has_more) return ids
    cursor = `&after=${body.next}`
  }
}

/** Begins a transaction that stays open until it is ended. */
async function beginTransaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  after(() => client.end())
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return client
}

describe('GET /v1/audit_log?order=desc', () => {
  it('lists every entry once, newest first, whatever the page size', async () => {
    await settled(t)
    const all = await readAll('limit=100')
    assert(all.length > 2)
    assert.deepEqual(await readAll('order=asc&limit=100'), all)
    for (const limit of [1, 2, 100]) assert.deepEqual(await readAll(`order=desc&limit=${limit}`), all.toReversed())
    const ofUser = await readAll(`subject=${user.id}&limit=100`)
    assert.deepEqual(await readAll(`order=desc&subject=${user.id}&limit=1`), ofUser.toReversed())
  })

  it('goes back from any entry, also with a cursor of the other order; the link repeats the order', async () => {
    const [first, second, third] = await readAll('limit=100')
    const { next } = (await list('limit=3')).body
    const back = await list(`order=desc&limit=1&after=${next}`)
    assert.deepEqual([idsOf(back.body), back.body.has_more], [[second], true])
    assert.equal(back.headers['link'], `</v1/audit_log?order=desc&limit=1&after=${back.body.next}>; rel="next"`)
    assert.deepEqual(idsOf((await list(`limit=1&after=${back.body.next}`)).body), [third])
    const last = (await list(`order=desc&after=${back.body.next}`)).body
    assert.deepEqual([idsOf(last), last.has_more], [[first], false])
    const beyond = (await list(`order=desc&after=${last.next}`)).body
    assert.deepEqual([beyond.data, beyond.next, beyond.has_more], [[], last.next, false])
  })

  it('shows no entry before every older transaction has ended, with no cursor', async () => {
    await settled(t)
    const before = await readAll('order=desc&limit=100')
    const older = await beginTransaction()
    const another = await t.user(platform)
    const beyond = `order=desc&limit=100&after=9999999999999999999-aud_${'z'.repeat(26)}`
    for (const query of ['order=desc&limit=100', beyond]) assert.deepEqual(await readAll(query), before)
    await older.query('rollback')
    await settled(t)
    const { data } = (await list('order=desc&limit=100')).body
    const added = data.slice(0, -before.length)
    assert(added.length > 0 && added.every(({ user_id }: Body) => user_id === another.id))
    assert.deepEqual(idsOf({ data: data.slice(added.length) }), before)
  })

  it('422 for another order, and for a cursor that is none', async () => {
    assert.deepEqual(errorsOf(await list('order=newest')), ['query:order not_allowed'])
    for (const cursor of ['1', `-1-aud_${'0'.repeat(26)}`, `1-evt_${'0'.repeat(26)}`])
      assert.deepEqual(errorsOf(await list(`order=desc&after=${cursor}`)), ['query:after format'], cursor)
  })

  it('reads back along the key: a page, or as many entries as a filter may examine', async () => {
    await t.sql(
      `insert into audit_entries (audit_id, xid, at, actor, operation, action, request_id)
       select 'aud_' || lpad(i::text, 26, '0'), '3', now(), 'system', 'test', 'change', 'req_1' from generate_series(1, 5000) i`,
    )
    await t.sql('analyze audit_entries')
    const limit = 5
    for (const [query, most] of [
      [`order=desc&limit=${limit}`, limit + 1],
      ['order=desc&actor=nobody:at-all', SCANNED_MAX],
    ] as const) {
      const [step, ...others] = await sentBy(t, 'GET', `/v1/audit_log?${query}`, { token: t.owner })
      assert(step && others.length === 0)
      // The row behind a limit can be read before it takes effect.
      for (const rows of await rowsRead(t.ownerUrl, step, 'audit_entries'))
        assert(rows <= most + 1, `${query}: ${rows}`)
      for (const plan of await plansOf(t.ownerUrl, step)) {
        assert.match(plan, /Index (?:Only )?Scan Backward using audit_entries_pkey/)
        assert.doesNotMatch(plan, /Sort/)
      }
    }
  })
})
