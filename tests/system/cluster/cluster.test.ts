import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { PLACEMENTS } from '../../../src/data-map/tables.ts'
import {
  type Cluster,
  findCluster,
  isCluster,
  whatIsWrong,
  describeCluster,
} from '../../../src/kernel/cluster/cluster.ts'
import { isRetryableConflict, violatedConstraint } from '../../../src/kernel/db/database.ts'
import { readSqlstate } from '../../../src/kernel/db/sqlstate.ts'
import { mayBatch } from '../../../src/boot/deps.ts'
import { grantsOnCluster } from '../../../src/kernel/db/migrate.ts'
import { openTestApp } from '../../support/app.ts'

const WHOLE: Cluster = {
  isCoordinator: true,
  knowsItself: true,
  workers: 2,
  inactiveWorkers: 0,
  preparedTransactionsMax: 100,
  placed: [],
}

describe('a database', () => {
  it('that is a single PostgreSQL is recognised as one', async () => {
    const t = await openTestApp()
    const client = new pg.Client({ connectionString: t.ownerUrl })
    await client.connect()
    assert.equal(await findCluster(client), undefined)
    await client.end()
    assert.equal(await isCluster(t.db), false)
    assert.equal(describeCluster(undefined, PLACEMENTS), 'plain PostgreSQL')
  })

  it('that is a cluster is reported with its workers and its number of distributed tables', () => {
    assert.equal(whatIsWrong(WHOLE), undefined)
    assert.match(describeCluster(WHOLE, PLACEMENTS), /^Citus, coordinator and 2 workers: \d\d tables distributed$/)
    assert.match(describeCluster({ ...WHOLE, workers: 1 }, PLACEMENTS), /^Citus, coordinator and 1 worker: /)
  })

  it('that is only partly set up as a cluster is rejected, naming what is missing', () => {
    const wrong: [Partial<Cluster>, RegExp][] = [
      [{ isCoordinator: false }, /is a worker .* give the address of its coordinator/],
      [{ workers: 0 }, /there are no workers; add them with citus_add_node/],
      [{ workers: 1, inactiveWorkers: 1 }, /^1 of 2 workers are not active; see citus_activate_node/],
      [{ knowsItself: false }, /call citus_set_coordinator_host/],
      [{ preparedTransactionsMax: 0 }, /max_prepared_transactions is 0/],
    ]
    for (const [lacking, words] of wrong) assert.match(whatIsWrong({ ...WHOLE, ...lacking }) ?? '', words)
  })
})

describe('the role of the app on a cluster', () => {
  it('may update every table of which each node has a copy, because Citus locks them with its rights; no other', async () => {
    const grants = grantsOnCluster('app', PLACEMENTS)
    const tables =
      'account_providers, benefit_providers, benefits, consent_notices, platform_access, platforms, sponsors'
    const granted = /^grant update on (.*) to app$/.exec(grants.find((grant) => grant.includes('update')) ?? '')?.[1]
    assert.equal(granted?.split(', ').toSorted().join(', '), tables)
    assert.equal(grants.filter((grant) => /delete|insert|all on/.test(grant)).length, 0)
  })
})

describe('statements', () => {
  it('are shared on a single PostgreSQL and not on a cluster by default', () => {
    assert.equal(mayBatch({ shareStatements: null }, false), true)
    assert.equal(mayBatch({ shareStatements: null }, true), false)
    assert.equal(mayBatch({ shareStatements: false }, false), false)
    assert.equal(mayBatch({ shareStatements: false }, true), false)
    assert.equal(mayBatch({ shareStatements: true }, false), true)
  })

  it('cannot be shared on a cluster, whatever the setting', () => {
    assert.throws(() => mayBatch({ shareStatements: true }, true), /SHARE_STATEMENTS is true, .* leave it out/)
  })
})

describe('a node that goes away', () => {
  it('is a lost connection, so that the response is a 503 and nothing has changed', () => {
    const codeOf = (message: string) =>
      readSqlstate(Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: 'XX000' }))
    const words = 'failure on connection marked as essential: 127.0.0.1:5604'
    assert.deepEqual([codeOf(words), codeOf(`a wrong ${words}`)], ['08006', 'XX000'])
  })
})

describe('a violated unique key', () => {
  const rejection = (fields: Partial<pg.DatabaseError> & { message: string }) =>
    Object.assign(new pg.DatabaseError(fields.message, 0, 'error'), { code: '23505', ...fields })

  it('is identified by name, whether this node or a shard reported it', () => {
    const here = { message: 'duplicate key', constraint: 'accounts_one_of_a_type' }
    const shard = { message: 'duplicate key value violates unique constraint "accounts_one_of_a_type_102165"' }
    const copied = { ...shard, code: 'XX000' }
    const near = { message: 'duplicate key', constraint: 'accounts_one_of_a_type_102165' }
    for (const fields of [here, shard, copied, near])
      assert.equal(violatedConstraint(rejection(fields)), 'accounts_one_of_a_type')
  })

  it('is not reported when another constraint was violated', () => {
    assert.equal(violatedConstraint(rejection({ message: 'null value', code: '23502', constraint: 'x' })), undefined)
    assert.equal(violatedConstraint(new Error('constraint "x"')), undefined)
    const internal = { message: 'wrong constraint "x"', code: 'XX000' }
    assert.equal(violatedConstraint(rejection(internal)), undefined)
  })

  it('is distinguished from a deadlock of a shard, which may be retried', () => {
    const of = (message: string) => isRetryableConflict(rejection({ message, code: 'XX000' }))
    assert.deepEqual(
      [of('deadlock detected'), of('duplicate key value violates'), of('out of tape')],
      [true, false, false],
    )
  })
})
