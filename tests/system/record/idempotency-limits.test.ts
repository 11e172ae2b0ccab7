import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import pg from 'pg'
import type { Database } from '../../../src/kernel/db/database.ts'
import { type CallFunction, openTestApp, PLAN } from '../../support/app.ts'

const failures: string[] = []

/** Notes with which code a statement failed. */
const watched = (db: Database): Database => ({
  ...db,
  query: (step, values) =>
    db.query<never>(step, values).catch((error: Error) => {
      failures.push(`${step.name} ${((error.cause ?? error) as { code?: string }).code}`)
      throw error
    }),
})

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const nodes = [await t.openNode({ watched }), await t.openNode({ watched })]
const platform = await t.platform()

/** Two of these calls wait for each other at the key only: a new benefit touches nothing that is there. */
async function offering() {
  const [provider, sponsor] = [await t.provider(), await t.sponsor(platform)]
  const body = { name: 'Health cover', benefit_provider_id: provider.id, sponsor_id: sponsor, plans: [PLAN] }
  const headers = { 'idempotency-key': randomUUID() }
  return {
    send: ({ call }: { call: CallFunction }) => call('POST', '/v1/benefits', { token: t.owner, headers, body }),
    count: async () => (await t.sql('select 1 from benefits where sponsor_id = $1', [sponsor])).length,
  }
}

/** How long the statement runs before it waits at the key; the lock's limit is 3 s, the statement's 4 s. */
const CASES = [
  ['at the key, so that its wait for a lock times out', 0, '55P03'],
  ['for long before it, so that its statement times out', 1.5, '57014'],
] as const

describe('a POST with an Idempotency-Key that reaches a limit of the database', () => {
  for (const [where, before_s, sqlstate] of CASES) {
    it(`409 idempotency_in_progress while an identical call is stuck ${where}; then it is done, once`, async () => {
      const { send, count } = await offering()
      const first = await send(t)
      assert.equal(first.status, 201)
      await t.sql(`create function linger() returns trigger language plpgsql as $$
        begin perform pg_sleep(${before_s}); return new; end $$`)
      await t.sql('create trigger linger before insert on benefits for each row execute function linger()')
      const holder = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
      await holder.connect()
      failures.length = 0
      try {
        // It is unknown yet whether the key is taken, as while the first call is being written.
        await holder.query('begin; delete from idempotency_keys')
        for (const { status, body, headers } of await Promise.all(nodes.map(send))) {
          assert.deepEqual([status, body.code, headers['retry-after']], [409, 'idempotency_in_progress', '1'])
        }
      } finally {
        await holder.query('rollback')
        await holder.end()
        await t.sql('drop trigger linger on benefits; drop function linger')
      }
      assert.deepEqual(failures, Array(nodes.length).fill(`benefits_insert_keyed ${sqlstate}`))
      const again = await send(t)
      assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [201, first.text, 'true'])
      assert.equal(await count(), 1)
    })
  }
})
