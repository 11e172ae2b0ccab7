import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { randomBytes, randomUint32 } from '../../src/kernel/crypto/random.ts'

const COUNT = 20_000
const hex = (count: number, bytes: number) => Array.from({ length: count }, () => randomBytes(bytes).toString('hex'))

describe('random bytes', () => {
  it('are never handed out twice, across many fills of the pool and whatever their number', () => {
    const ivs = hex(COUNT, 12)
    assert.equal(new Set(ivs).size, COUNT)
    const keys = new Set(hex(COUNT, 32).flatMap((key) => [key.slice(0, 24), key.slice(24, 48)]))
    assert.equal(keys.size, 2 * COUNT)
    assert(!ivs.some((iv) => keys.has(iv)))
  })

  it('are as many as asked for, and not left at zero', () => {
    for (const count of [0, 1, 4_095, 4_096, 4_097, 10_000]) {
      const bytes = randomBytes(count)
      assert.equal(bytes.length, count)
      if (count > 1_000) assert(new Set(bytes).size > 200, 'nearly every value of a byte occurs')
    }
    assert(Array.from({ length: 100 }, randomUint32).every((number) => Number.isInteger(number)))
    assert(new Set(Array.from({ length: 1_000 }, randomUint32)).size > 990)
  })

  it('belong to the caller alone: what is handed out later does not change them', () => {
    const first = randomBytes(32)
    const before = first.toString('hex')
    hex(1_000, 32)
    assert.equal(first.toString('hex'), before)
  })

  it('are others in a worker thread', async () => {
    const from = new URL('../../src/kernel/crypto/random.ts', import.meta.url).href
    const code = `import { parentPort } from 'node:worker_threads'
      import { randomBytes } from '${from}'
      parentPort.postMessage(Array.from({ length: 1000 }, () => randomBytes(12).toString('hex')))`
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    worker.once('message', resolve).once('error', reject)
    const theirs = await promise
    const ours = new Set(hex(1_000, 12))
    assert.equal(theirs.filter((bytes) => ours.has(bytes)).length, 0)
  })
})
