import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Database, statement } from '../../src/kernel/db/database.ts'
import { shareStatement } from '../../src/kernel/db/shared-statement.ts'

const DOUBLE = statement('double', 'never sent')
const CALLS = [1, 2, 3, 4, 5]

/** A database that doubles numbers and notes which numbers came together. */
function doublingDatabase({ sharing }: { sharing: boolean }) {
  const together: number[][] = []
  const query = async (_step: unknown, [numbers]: number[][]) => {
    together.push(numbers as number[])
    await new Promise((resolve) => setImmediate(resolve))
    return (numbers as number[]).map((number, index) => ({ n: index + 1, doubled: 2 * number }))
  }
  const db = { sharing, query } as unknown as Database
  const double = shareStatement<number, { n: number; doubled: number }>(db, DOUBLE, (number) => [number])
  return { together, double }
}

describe('calls that share a statement', () => {
  it('go alone while a statement is free, together afterwards, and each gets its own rows', async () => {
    const { together, double } = doublingDatabase({ sharing: true })
    const answers = await Promise.all(CALLS.map(double))
    assert.deepEqual(together, [[1], [2], [3, 4, 5]])
    assert.deepEqual(
      answers,
      [2, 4, 6, 8, 10].map((doubled, index) => [{ n: Math.max(1, index - 1), doubled }]),
    )
  })

  it('do not wait for each other when sharing is off', async () => {
    const { together, double } = doublingDatabase({ sharing: false })
    const answers = Promise.all(CALLS.map(double))
    assert.deepEqual(together, [[1], [2], [3], [4], [5]])
    assert.deepEqual(
      await answers,
      [2, 4, 6, 8, 10].map((doubled) => [{ n: 1, doubled }]),
    )
  })
})
