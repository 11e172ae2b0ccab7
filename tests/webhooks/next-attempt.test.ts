import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextAttempt } from '../../src/domains/integration/webhooks/next-attempt.ts'

const at = new Date('2026-11-22T09:30:00Z')
const seconds = (tries: number, status: number | null, retryAfter: string | null, random = 0) => {
  const next = nextAttempt(tries, { status, retryAfter }, { at, random })
  return next && (next.getTime() - at.getTime()) / 1_000
}

describe('the next attempt of a delivery', () => {
  it('comes after 5 s, 5 min, 30 min, 2 h and so on, up to a fifth later, and never after the tenth', () => {
    const all = Array.from({ length: 10 }, (_, index) => seconds(index + 1, 500, null))
    assert.deepEqual(all, [5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600), null])
    assert.equal(seconds(1, null, null, 1), 6)
  })

  it('waits as long as a receiver asks that is busy, in seconds or until a date, and up to a fifth longer', () => {
    for (const status of [429, 503]) {
      assert.equal(seconds(1, status, '120'), 120)
      assert.equal(seconds(1, status, 'Sun, 22 Nov 2026 09:40:00 GMT'), 600)
      assert.equal(seconds(1, status, '120', 1), 144)
    }
  })

  it('comes after an hour at most for that reason, whatever the receiver asks', () => {
    for (const asked of ['3601', '999999999999999999999', 'Sun, 22 Nov 2099 09:40:00 GMT'])
      assert.equal(seconds(2, 503, asked), 3_600, asked)
  })

  it('never comes earlier than without it', () => {
    for (const asked of ['0', '1', '299', '-5', '1.5', 'soon', '', 'Sun, 22 Nov 2020 09:40:00 GMT'])
      assert.equal(seconds(2, 429, asked), 300, asked)
    assert.equal(seconds(4, 503, '3600'), 7_200)
    assert.equal(seconds(10, 503, '60'), null)
  })

  it('is as usual for every other status, and without one', () => {
    for (const status of [200, 301, 400, 500, 502, null]) assert.equal(seconds(1, status, '120'), 5, String(status))
  })
})
