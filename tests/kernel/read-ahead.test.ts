import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAhead } from '../../src/kernel/http/read-ahead.ts'

/** Pieces of ten bytes; counts how many were taken, and whether it was ended. */
function pieces(count: number, error?: Error) {
  const seen = { taken: 0, isEnded: false }
  async function* source() {
    try {
      for (; seen.taken < count; ) {
        seen.taken++
        yield Buffer.alloc(10, seen.taken)
      }
      if (error) throw error
    } finally {
      seen.isEnded = true
    }
  }
  return { seen, source: source() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('reading ahead', () => {
  it('takes what comes while the reader is busy, up to the limit, and loses nothing', async () => {
    const { seen, source } = pieces(20)
    const reader = readAhead(source, 50)
    const first = await reader.next()
    await settled()
    assert(seen.taken > 3 && seen.taken < 10, `${seen.taken} were taken`)
    const rest: Buffer[] = []
    for await (const piece of reader) rest.push(piece)
    assert.deepEqual(
      [first.value as Buffer, ...rest].map((piece) => piece[0]),
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  it('passes an error on behind what came before it', async () => {
    const { source } = pieces(3, new Error('broken off'))
    const read: number[] = []
    const all = async () => {
      for await (const piece of readAhead(source, 1_000)) read.push(piece[0] ?? 0)
    }
    await assert.rejects(all(), /broken off/)
    assert.deepEqual(read, [1, 2, 3])
  })

  it('ends its source when the reader leaves', async () => {
    const { seen, source } = pieces(1_000)
    for await (const _ of readAhead(source, 50)) break
    await settled()
    assert(seen.isEnded)
    assert(seen.taken < 1_000)
  })
})
