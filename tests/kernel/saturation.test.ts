import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSaturation } from '../../src/kernel/saturation.ts'

/** An event loop whose time is set: `iterate` handles requests that take `each_ms`, and returns how many were refused. */
function loop() {
  let now = 0
  let endOfIteration = () => {}
  const saturation = createSaturation({ now: () => now, later: (end) => (endOfIteration = end) })
  return {
    iterate(requests: number, each_ms: number): number {
      let refused = 0
      for (let n = 0; n < requests; n++) {
        const isRefused = saturation.refusesNext()
        refused += Number(isRefused)
        now += isRefused ? each_ms / 10 : each_ms
      }
      endOfIteration()
      return refused
    },
    idle: (ms: number) => void (now += ms),
  }
}

describe('a process with less CPU time than its requests need', () => {
  it('serves what one iteration of 100 ms can, and refuses the rest, once they have been long for 500 ms', () => {
    const { iterate } = loop()
    assert.equal(iterate(500, 1), 0)
    assert.equal(iterate(200, 1), 99, 'what is within the 100 ms is served')
    assert.equal(iterate(1_000, 1), 899)
    assert.equal(iterate(101, 1), 0)
  })

  it('refuses nobody for one pause, however long, nor for pauses with short iterations between them', () => {
    const { iterate } = loop()
    assert.equal(iterate(2, 5_000), 0)
    assert.equal(iterate(100, 0.1), 0)
    for (let n = 0; n < 20; n++) assert.equal(iterate(2, 400) + iterate(100, 0.4), 0)
  })

  it('serves everybody again after the first short iteration', () => {
    const { iterate, idle } = loop()
    iterate(600, 1)
    assert.equal(iterate(500, 1) > 0, true)
    idle(10)
    assert.equal(iterate(40, 1), 0)
    assert.equal(iterate(200, 1), 0, 'the first long one is a pause again')
  })
})
