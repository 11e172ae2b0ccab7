import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runScript } from '../../support/server.ts'
import { offencesOf, spreadOf, tableOf } from '../../cluster/shards.ts'

const task = (count: number) => `Custom Scan (Citus Adaptive)\n  Task Count: ${count}\n  Tasks Shown: One of ${count}`

describe('the run on a cluster', () => {
  it('exit 2 without the address of one, or with that of a database that is not for tests, says what to set', async () => {
    const { PATH = '', HOME = '' } = process.env
    for (const CLUSTER_URL of ['', 'postgres://owner@127.0.0.1:9/banyan']) {
      const { code, stdout, stderr } = await runScript('node tests/cluster/main.ts', { PATH, HOME, CLUSTER_URL })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /^Set CLUSTER_URL to the address .* all of its rows are deleted\.\n$/)
    }
  })

  it('knows from a plan how far a statement spreads', () => {
    assert.equal(spreadOf('Index Scan using events_in_order on events'), 'coordinator')
    assert.equal(spreadOf(task(1)), 'one shard')
    assert.equal(spreadOf(`${task(1)}\n  ->  Distributed Subplan 1_1\n${task(1)}`), 'one shard per table')
    assert.equal(spreadOf(`Custom Scan (Citus INSERT ... SELECT)\n${task(1)}`), 'through the coordinator')
    assert.equal(spreadOf(`${task(1)}\n${task(32)}`), 'several shards')
    assert.equal(spreadOf(`${task(32)}\n${task(32)}`), 'several shards, several times')
  })

  it('fails for a statement on several shards, unless a reason is listed, and counts each once', () => {
    const explained = [
      { name: 'users_find', spread: 'several shards' as const },
      { name: 'users_find', spread: 'one shard' as const },
      { name: 'users_list', spread: 'several shards' as const },
      { name: 'wallets_find', spread: 'one shard' as const },
    ]
    assert.deepEqual(offencesOf(explained), ['users_find goes to several shards, and no reason is listed'])
    assert.match(
      tableOf(explained),
      / 1 {2}one shard\n.* 2 {2}several shards\n +users_find\n +users_list\n.* 0 {2}several shards, several times$/s,
    )
  })

  it('fails for a list that sends each shard several statements, unless a reason is listed', () => {
    const explained = ['accounts_changed', 'users_list'].map((name) => ({
      name,
      spread: 'several shards, several times' as const,
    }))
    assert.deepEqual(offencesOf(explained), [
      'accounts_changed is several statements on each shard, and no reason is listed',
    ])
  })

  it('fails for a statement that the cluster refuses, and for one that is sent to one PostgreSQL only', () => {
    const [refused, joined] = offencesOf([
      { name: 'users_find', error: 'not supported' },
      { name: 'users_identify', spread: 'one shard' },
    ])
    assert.equal(refused, 'users_find cannot be planned: not supported')
    assert.match(joined ?? '', /^users_identify is sent to one PostgreSQL only.*, and was sent/)
  })
})
