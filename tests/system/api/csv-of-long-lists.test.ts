import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { madeStatements } from '../../../src/kernel/db/database.ts'
import { newId } from '../../../src/kernel/id.ts'
import { openTestApp } from '../../support/app.ts'
import { insertIssuedPolicies } from '../../support/policies-in-bulk.ts'
import { settled } from '../../support/settled.ts'

/** More than two pages, the last of which is not full. */
const PEOPLE = 2_345

const t = await openTestApp({ own: true })
const platform = await t.platform()
const provider = await t.provider()
const benefitId = await t.benefit(platform, provider)
const terms = { start_date: '2026-04-01', renewal_window_days: 30, grace_days: 30 }
const policies = await insertIssuedPolicies(
  t.sql,
  { vault: t.deps.vault, platformId: platform.id, benefitId, benefitProviderId: provider.id },
  Array.from({ length: PEOPLE }, () => terms),
)

const csv = (path: string, token: string) => t.call('GET', path, { token, headers: { accept: 'text/csv' } })

/** Returns the first cells of all lines but the first; ids have no quotes. */
const firstCells = (text: string): string[] =>
  text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',', 1)[0] ?? '')

describe('the CSV of a list of more than one page', () => {
  it('has everybody exactly once, in the order of the list, and leaves an entry of the audit for each', async () => {
    const { text } = await csv('/v1/users', platform.token)
    const ids = firstCells(text)
    assert.equal(ids.length, PEOPLE)
    assert.deepEqual(new Set(ids), new Set(policies.map(({ userId }) => userId)))
    const page = await t.made('GET', '/v1/users?limit=100&offset=1000', { token: platform.token })
    assert.deepEqual(
      ids.slice(1_000, 1_100),
      (page['data'] as { user_id: string }[]).map((user) => user.user_id),
    )
    await t.audit.reads.write()
    await settled(t)
    const [entries] = await t.sql<{ count: number; people: number }>(
      `select count(*)::int as count, count(distinct user_id)::int as people from audit_entries
        where operation = 'listUsers' and action = 'read'`,
    )
    assert.deepEqual(entries, { count: PEOPLE + 100, people: PEOPLE }, 'the page of a hundred, too')
    const names = madeStatements().map(({ name }) => name)
    assert(names.includes('users_list_own_after'), 'the pages begin after a key')
  })

  it('has every policy, whose list is one of changes, with its filters and without an entry of the audit', async () => {
    const { text } = await csv('/v1/insurance_policies?status=ISSUED', platform.token)
    assert.deepEqual(new Set(firstCells(text)), new Set(policies.map(({ id }) => id)))
    assert.equal(firstCells(text).length, PEOPLE)
    assert.equal(firstCells((await csv('/v1/insurance_policies?status=PENDING', platform.token)).text).length, 0)
    await t.audit.reads.write()
    await settled(t)
    const entries = await t.sql(`select 1 from audit_entries where operation = 'listAllInsurancePolicies'`)
    assert.equal(entries.length, 0)
  })

  it('goes on after what was read: what is inserted concurrently shifts nothing', async () => {
    const origin = await t.app.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`${origin}/v1/users?format=csv`, {
      headers: { authorization: `Bearer ${platform.token}` },
    })
    assert(response.body)
    const decoder = new TextDecoder()
    let text = ''
    let added = 0
    for await (const part of response.body) {
      if (added++ === 0) await t.user(platform) // newest first: it would push the last of each page into the next
      text += decoder.decode(part as Uint8Array, { stream: true })
    }
    const ids = firstCells(text)
    assert.equal(new Set(ids).size, ids.length, 'nobody twice')
    for (const { userId } of policies) assert(ids.includes(userId))
  })

  it('has the whole audit, those entries that match too far apart for one page', async () => {
    const someone = policies[7]?.userId
    await t.made('GET', `/v1/users/${someone}`, { token: t.owner })
    await t.audit.reads.write()
    await settled(t)
    const { text } = await csv(`/v1/audit_log?subject=${someone}`, t.owner)
    assert.equal(firstCells(text).length, 3, 'the CSV of people twice, and the person')
    const all = firstCells((await csv('/v1/audit_log?order=desc', t.owner)).text)
    const [stored] = await t.sql<{ count: number }>('select count(*)::int as count from audit_entries')
    assert.equal(all.length, stored?.count)
    assert.equal(new Set(all).size, all.length)
  })

  it('of a day begins and ends there, wherever that is in the log', async () => {
    await t.sql('alter table audit_entries disable trigger all')
    const day = (offset: number) => new Date(Date.UTC(2026, 0, 10 + offset, 6))
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      audit_id: newId('aud'),
      xid: String(1 + Math.floor(index / 10)), // before all that the service has written
      at: day(Math.floor(index / 1_000)).toISOString(),
    }))
    await t.sql(
      `insert into audit_entries (audit_id, xid, at, actor, operation, action, request_id)
       select r.audit_id, r.xid::xid8, r.at, 'owner:walk', 'readPlatform', 'read', 'req_of_the_days'
         from json_to_recordset($1) as r (audit_id text, xid text, at timestamptz)`,
      [JSON.stringify(rows)],
    )
    const ids = (from: number) => rows.slice(from, from + 1_000).map((row) => row.audit_id)
    const middle = '/v1/audit_log?from=2026-01-11&to=2026-01-11'
    assert.deepEqual(firstCells((await csv(middle, t.owner)).text), ids(1_000))
    assert.deepEqual(firstCells((await csv(`${middle}&order=desc`, t.owner)).text), ids(1_000).toReversed())
    const page = await t.made('GET', `${middle}&order=desc&limit=1`, { token: t.owner })
    assert.equal(
      (page['data'] as { id: string }[])[0]?.id,
      rows[1_999]?.audit_id,
      'the first page has the last of the day',
    )
    assert.deepEqual(firstCells((await csv('/v1/audit_log?to=2026-01-10', t.owner)).text), ids(0))
    assert.equal((await csv('/v1/audit_log?from=2026-01-12&to=2026-01-10', t.owner)).text.split('\r\n').length, 2)
  })
})
