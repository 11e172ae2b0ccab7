import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { createBatches } from '../../src/kernel/batching/batches.ts'

type Row = { n: number; doubled: number }

/** PostgreSQL's error for a row that it rejects. */
function problem(): Error {
  const error = new pg.DatabaseError('duplicate key value', 0, 'error')
  error.code = '23505'
  return error
}

/** Batches that double numbers; `error` returns the error of a statement with these numbers. */
function doubling(failure: (numbers: number[]) => Error | undefined) {
  const sent: number[][] = []
  const send = async (numbers: number[]): Promise<Row[]> => {
    sent.push(numbers)
    await new Promise((resolve) => setImmediate(resolve))
    const error = failure(numbers)
    if (error) throw error
    return numbers.map((number, index) => ({ n: index + 1, doubled: 2 * number }))
  }
  const double = createBatches<number, Row>(send)
  const outcomes = (numbers: number[]) =>
    Promise.allSettled(numbers.map(double)).then((all) =>
      all.map((one) => (one.status === 'fulfilled' ? one.value[0]?.doubled : one.reason)),
    )
  return { sent, outcomes }
}

/** Resolves in the next turn of the event loop, when everything queued so far has run. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('calls in one statement', () => {
  it('are those of one turn of the event loop', async () => {
    const { sent, outcomes } = doubling(() => undefined)
    const first = outcomes([1, 2])
    await nextTurn()
    const second = outcomes([3])
    await nextTurn()
    const third = outcomes([4, 5])
    assert.deepEqual(await Promise.all([first, second, third]), [[2, 4], [6], [8, 10]])
    assert.deepEqual(sent, [[1, 2], [3], [4, 5]])
  })

  it('are never delayed: a single one is sent in the turn it came in', async () => {
    const { sent, outcomes } = doubling(() => undefined)
    const alone = outcomes([1])
    await nextTurn()
    assert.deepEqual(sent, [[1]])
    assert.deepEqual(await alone, [2])
  })

  it('are at most 32, in at most two statements at a time', async () => {
    let atOnce = 0
    let most = 0
    const sizes: number[] = []
    const double = createBatches<number, Row>(async (numbers) => {
      sizes.push(numbers.length)
      most = Math.max(most, ++atOnce)
      await nextTurn()
      atOnce--
      return numbers.map((number, index) => ({ n: index + 1, doubled: 2 * number }))
    })
    const numbers = Array.from({ length: 100 }, (_, at) => at)
    const rows = await Promise.all(numbers.map(double))
    assert.deepEqual(
      rows.map(([row]) => row?.doubled),
      numbers.map((number) => 2 * number),
    )
    assert.deepEqual(sizes, [32, 32, 32, 4])
    assert.equal(most, 2)
  })

  it('are sent one by one when it fails: only the cause fails', async () => {
    const { sent, outcomes } = doubling((numbers) => (numbers.includes(4) ? problem() : undefined))
    const [first, , third, failure, fifth] = await outcomes([1, 2, 3, 4, 5])
    assert.deepEqual([first, third, fifth], [2, 6, 10])
    assert.equal(failure.code, '23505')
    assert.deepEqual(sent, [[1, 2, 3, 4, 5], [1], [2], [3], [4], [5]])
  })

  it('are not sent again when the outcome is unknown', async () => {
    const lost = new Error('Connection terminated unexpectedly')
    const { sent, outcomes } = doubling((numbers) => (numbers.includes(4) ? lost : undefined))
    assert.deepEqual(await outcomes([3, 4, 5]), [lost, lost, lost])
    assert.deepEqual(await outcomes([6]), [12])
    assert.deepEqual(sent, [[3, 4, 5], [6]])
  })

  it('do not wait for statements that are blocked', async () => {
    const letGo: (() => void)[] = []
    const double = createBatches<number, Row>(async (numbers) => {
      if (numbers.some((number) => number < 0)) await new Promise<void>((resolve) => letGo.push(resolve))
      return numbers.map((number, index) => ({ n: index + 1, doubled: 2 * number }))
    })
    const heldUp: Promise<Row[]>[] = []
    for (const number of [-1, -2]) {
      heldUp.push(double(number))
      await nextTurn()
    }
    assert.deepEqual(
      await Promise.all([1, 2, 3].map(double)),
      [2, 4, 6].map((doubled, at) => [{ n: at + 1, doubled }]),
    )
    for (const one of letGo) one()
    await Promise.all(heldUp)
  })
})
