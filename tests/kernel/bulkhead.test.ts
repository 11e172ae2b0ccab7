import assert from 'node:assert/strict'
import { setImmediate as settle } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { createBulkhead } from '../../src/kernel/bulkhead.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'

/** Work that ends on command, and the names of what has begun. */
function createWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { begun, work, end }
}

describe('a bulkhead', () => {
  it('runs as much work of one key as it is wide, the rest in order of arrival, and delays no other key', async () => {
    const { begun, work, end } = createWork()
    const bulkhead = createBulkhead({ width: 2 })
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => bulkhead.run(name.slice(0, 1), work(name)))
    assert.deepEqual(begun, ['a1', 'a2', 'b1'], 'without delay')
    await end('a2')
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3'])
    await end('a1')
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'a4'])
    for (const name of ['a3', 'a4', 'b1']) await end(name)
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1'])
  })

  it('goes on with the next when work fails, at once or later', async () => {
    const { begun, work, end } = createWork()
    const { run } = createBulkhead({ width: 1 })
    const failing = assert.rejects(
      run('key', () => Promise.reject(new Error('later'))),
      /later/,
    )
    const throwing = assert.rejects(
      run('key', () => {
        throw new Error('at once')
      }),
      /at once/,
    )
    const third = run('key', work('third'))
    await Promise.all([failing, throwing])
    await settle()
    assert.deepEqual(begun, ['third'])
    await end('third')
    assert.equal(await third, 'third')
  })

  it('rejects what waits too long with 503 or the given error, never runs it, and leaves its place to others', async () => {
    const { begun, work, end } = createWork()
    const bulkhead = createBulkhead({ width: 1, waitMax_ms: 20 })
    const first = bulkhead.run('key', work('first'))
    await Promise.all([
      assert.rejects(
        bulkhead.run('key', work('late')),
        (error) => error instanceof ProblemError && error.code === 'unavailable',
      ),
      assert.rejects(
        bulkhead.run('key', work('late too'), () => new Error('in progress')),
        /in progress/,
      ),
    ])
    assert.deepEqual(begun, ['first'], 'while the first still runs')
    await end('first')
    assert.equal(await first, 'first')
    const next = bulkhead.run('key', work('next'))
    await end('next')
    assert.equal(await next, 'next')
    assert.deepEqual(begun, ['first', 'next'])
  })

  it('knows for how long the oldest work of a key has waited', async () => {
    const { work, end } = createWork()
    const bulkhead = createBulkhead({ width: 1 })
    assert.equal(bulkhead.oldest_ms('key'), 0)
    const first = bulkhead.run('key', work('first'))
    assert.equal(bulkhead.oldest_ms('key'), 0, 'what runs does not wait')
    const second = bulkhead.run('key', work('second'))
    await settle()
    assert(bulkhead.oldest_ms('key') > 0)
    assert.equal(bulkhead.oldest_ms('other'), 0)
    await end('first')
    assert.equal(bulkhead.oldest_ms('key'), 0)
    await end('second')
    await Promise.all([first, second])
  })
})
