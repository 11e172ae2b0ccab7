import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Limit, toRules, useLimits } from '../../src/access/otp-limits.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { DEFAULT_LIMITS } from '../support/app.ts'

const HOUR_MS = 3_600_000

/** The contract's limits: codes per number of seconds. */
const OF_PHONE = [
  { times: 1, ms: 30_000 },
  { times: 5, ms: HOUR_MS },
]
const OF_ADDRESS = [{ times: 300, ms: HOUR_MS }]

const RULES = toRules(DEFAULT_LIMITS)

const limitOf = (times: number[], at: number): Limit => ({
  key: Buffer.from('key'),
  times: times.filter((time) => time > at - HOUR_MS),
  revision: 7,
})

/**
 * Uses the limits of a phone and an address once more after uses at these times; returns the seconds to wait when
 * rejected.
 */
function decide({ phone, address }: { phone: number[]; address: number[] }, at: number): Limit[] | number {
  const now = new Date(at)
  try {
    const limits = [
      { limit: limitOf(phone, at), rules: RULES.phone },
      { limit: limitOf(address, at), rules: RULES.address },
    ]
    return useLimits(limits, now).limits
  } catch (error) {
    assert(error instanceof ProblemError && error.code === 'rate_limited')
    return Number(error.headers['retry-after'])
  }
}

const isFull = (times: number[], rules: typeof OF_PHONE, at: number) =>
  rules.some((rule) => times.filter((time) => time > at - rule.ms).length >= rule.times)

const START = Date.UTC(2026, 3, 1)
const USES_MAX = 60
const ROUNDS_MAX = 3

describe('limits of one-time codes', () => {
  it('admit exactly what is allowed, and admit a caller that waits as long as required', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 15 * 60_000 }), { minLength: 10, maxLength: USES_MAX })
    const property = fc.property(pauses, fc.integer({ min: 290, max: 299 }), (some, others) => {
      const phone: number[] = []
      const address = Array.from({ length: others }, (_, n) => START - (others - n) * 5_000) // other phones of it
      let at = START
      for (const pause of some) {
        at += pause
        const isTooMuch = isFull(phone, OF_PHONE, at) || isFull(address, OF_ADDRESS, at)
        let decided = decide({ phone, address }, at)
        assert.equal(typeof decided === 'number', isTooMuch)
        for (let round = 0; typeof decided === 'number' && round < ROUNDS_MAX; round++) {
          assert(decided >= 1 && decided <= HOUR_MS / 1000)
          at += decided * 1000
          decided = decide({ phone, address }, at)
        }
        assert.equal(typeof decided, 'object', 'had to wait again and again')
        phone.push(at)
        address.push(at)
      }
    })
    fc.assert(property, { seed: 1, numRuns: 100 })
  })

  it('count one use on top of what was read', () => {
    const used = decide({ phone: [], address: [START - 5] }, START)
    assert.deepEqual(used, [limitOf([START], START), limitOf([START - 5, START], START)])
  })
})
