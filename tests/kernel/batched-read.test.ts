import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database, Statement } from '../../src/kernel/db/database.ts'
import { batchedRead } from '../../src/kernel/batching/batched-read.ts'

const CALLS = [1, 2, 3, 4, 5]

const double = batchedRead<{ doubled: number }>({
  name: 'double',
  parameters: 'number int, note text',
  text: (calls, number, note) => `select c.n, 2 * ${number} as doubled, ${note} as note from ${calls}`,
})

const ALONE = 'select c.n, 2 * $1::int as doubled, $2::text as note from (select 1 as n) c'
const TOGETHER =
  'select c.n, 2 * c.number as doubled, c.note as note from unnest($1::int[], $2::text[]) with ordinality as c (number, note, n)'

/** A database that doubles numbers and records its statements. */
function doublingDatabase({ batching }: { batching: boolean }) {
  const together: number[][] = []
  const texts = new Set<string>()
  const query = async ({ text }: Statement, [sent]: (number | number[])[]) => {
    const numbers = [sent].flat() as number[]
    together.push(numbers)
    texts.add(text)
    await new Promise((resolve) => setImmediate(resolve))
    return numbers.map((number, index) => ({ n: index + 1, doubled: 2 * number }))
  }
  const db = { batching, query } as unknown as Database
  return { together, texts, ask: (number: number) => double(db, [number, 'note']) }
}

describe('calls that share a statement', () => {
  it('run together when they are concurrent, alone otherwise, and each gets its own rows', async () => {
    const { together, texts, ask } = doublingDatabase({ batching: true })
    assert.deepEqual(await ask(6), [{ n: 1, doubled: 12 }])
    const responses = await Promise.all(CALLS.map(ask))
    assert.deepEqual(together, [[6], CALLS])
    assert.deepEqual([...texts], [ALONE, TOGETHER])
    assert.deepEqual(
      responses,
      [2, 4, 6, 8, 10].map((doubled, index) => [{ n: index + 1, doubled }]),
    )
  })

  it('do not wait for each other when sharing is off', async () => {
    const { together, texts, ask } = doublingDatabase({ batching: false })
    const responses = Promise.all(CALLS.map(ask))
    assert.deepEqual(together, [[1], [2], [3], [4], [5]])
    assert.deepEqual([...texts], [ALONE])
    assert.deepEqual(
      await responses,
      [2, 4, 6, 8, 10].map((doubled) => [{ n: 1, doubled }]),
    )
  })
})
