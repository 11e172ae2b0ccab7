import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { openBatches } from '../../src/kernel/db/batches.ts'

type Row = { n: number; doubled: number }

/** What PostgreSQL says of a row that it refuses. */
function problem(): Error {
  const error = new pg.DatabaseError('duplicate key value', 0, 'error')
  error.code = '23505'
  return error
}

/** Batches of numbers to be doubled; `error` says what a statement with these numbers fails of. */
function doubling(failure: (numbers: number[]) => Error | undefined) {
  const sent: number[][] = []
  const send = async (numbers: number[]): Promise<Row[]> => {
    sent.push(numbers)
    await new Promise((resolve) => setImmediate(resolve))
    const error = failure(numbers)
    if (error) throw error
    return numbers.map((number, index) => ({ n: index + 1, doubled: 2 * number }))
  }
  const double = openBatches<number, Row>(send)
  const outcomes = (numbers: number[]) =>
    Promise.allSettled(numbers.map(double)).then((all) =>
      all.map((one) => (one.status === 'fulfilled' ? one.value[0]?.doubled : one.reason)),
    )
  return { sent, outcomes }
}

describe('calls in one statement', () => {
  it('are sent one by one when it fails: only the one at fault fails', async () => {
    const { sent, outcomes } = doubling((numbers) => (numbers.includes(4) ? problem() : undefined))
    const [, , third, failure, fifth] = await outcomes([1, 2, 3, 4, 5])
    assert.deepEqual([third, fifth], [6, 10])
    assert.equal(failure.code, '23505')
    assert.deepEqual(sent, [[1], [2], [3, 4, 5], [3], [4], [5]])
  })

  it('are not sent again when nobody knows what became of it', async () => {
    const lost = new Error('Connection terminated unexpectedly')
    const { sent, outcomes } = doubling((numbers) => (numbers.includes(4) ? lost : undefined))
    assert.deepEqual(await outcomes([1, 2, 3, 4, 5]), [2, 4, lost, lost, lost])
    assert.deepEqual(sent, [[1], [2], [3, 4, 5]])
  })

  it('do not wait for the end of statements that are held up', async () => {
    const letGo: (() => void)[] = []
    const double = openBatches<number, Row>(async (numbers) => {
      if (numbers.some((number) => number < 0)) await new Promise<void>((resolve) => letGo.push(resolve))
      return numbers.map((number, index) => ({ n: index + 1, doubled: 2 * number }))
    })
    const heldUp = [-1, -2].map(double)
    assert.deepEqual(
      await Promise.all([1, 2, 3].map(double)),
      [2, 4, 6].map((doubled, at) => [{ n: at + 1, doubled }]),
    )
    for (const one of letGo) one()
    await Promise.all(heldUp)
  })
})
