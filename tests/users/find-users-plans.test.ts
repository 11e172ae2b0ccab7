import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import type { Database, Statement } from '../../src/kernel/db/database.ts'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp({ own: true })

/** The statements that a call sends, as they are sent. */
async function sentBy(...[method, url, call]: Parameters<typeof t.call>) {
  const sent: { step: Statement; values: readonly unknown[] }[] = []
  const watched = (db: Database): Database => ({
    ...db,
    query: (step, values = []) => (sent.push({ step, values }), db.query(step, values)),
  })
  const node = await t.openNode({ sharing: false, watched })
  const { status, text } = await node.call(method, url, call)
  assert.equal(status, 200, text)
  return sent.filter(({ step }) => step.name.startsWith('users_'))
}

/** The plan of a statement where reading a whole table is the last resort: it is in it where there is no index to use. */
async function planOf({ step, values }: { step: Statement; values: readonly unknown[] }, mode: string) {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan -c enable_seqscan=off' })
  await client.connect()
  try {
    await client.query(`set plan_cache_mode = ${mode}`)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${step.text}`, [...values])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.end()
  }
}

describe('users are listed and found by an index, and never by reading all of them', async () => {
  const platform = await t.platform()
  const user = await t.user(platform)
  const body = { phone_country_code: '+91', phone_number: user.phone }
  const search = (form: object, token = platform.token) =>
    ['POST', '/v1/users/search', { token, body: form }] as Parameters<typeof t.call>
  const calls: [string, Parameters<typeof t.call>, string][] = [
    ['all, newest first', ['GET', '/v1/users', { token: t.viewer }], 'users_newest'],
    ['those of a platform, newest first', ['GET', '/v1/users', { token: platform.token }], 'users_of_platform'],
    ['by phone', search(body), 'user_phones_pkey'],
    ['by phone on all platforms', search(body, t.viewer), 'user_phones_pkey'],
    ['by id proof', search({ id_proof: { number: 'AB1234567' } }), 'user_id_proofs_pkey'],
    ['by the number of a policy', search({ external_policy_id: 'EXT-1' }), 'insurance_policies_of_number'],
  ]
  for (const [name, call, index] of calls) {
    it(name, async () => {
      const [sent, ...more] = await sentBy(...call)
      assert(sent && more.length === 0, 'it is one statement')
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        const plan = await planOf(sent, mode)
        assert.match(plan, new RegExp(`using ${index}\\b|on ${index}\\b`), plan)
        assert.doesNotMatch(plan, /Seq Scan/)
      }
    })
  }
})
