import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toRules } from '../../src/access/otp-limits.ts'
import { createQuota } from '../../src/access/quota.ts'
import { createQuotas } from '../../src/access/rate-limits.ts'
import { DEFAULT_LIMITS } from '../support/app.ts'
import { readSources } from '../support/sources.ts'

/** A quota with a clock that a test sets. */
function createHeldQuota(times: number, seconds: number, keysMax?: number) {
  const clock = { at: 1_000 }
  const quota = createQuota({ name: 'test', times, seconds }, () => clock.at, keysMax === undefined ? {} : { keysMax })
  const admitted = (key: string, tries: number) =>
    Array.from({ length: tries }, () => quota.take(key)).filter(({ wait_s }) => wait_s === 0).length
  return { clock, quota, admitted }
}

describe('a quota', () => {
  it('admits the whole burst at once, then one use per interval; keys are counted separately', () => {
    const { clock, quota, admitted } = createHeldQuota(20, 1)
    assert.equal(admitted('asha', 30), 20)
    assert.equal(admitted('ravi', 20), 20)
    assert.equal(quota.take('asha').wait_s, 0.05)
    clock.at += 49
    assert.equal(admitted('asha', 5), 0)
    clock.at += 1
    assert.equal(admitted('asha', 5), 1)
    clock.at += 500
    assert.equal(admitted('asha', 30), 10)
    clock.at += 60_000
    assert.equal(admitted('asha', 30), 20, 'a long rest saves no more than a window')
  })

  it('counts each use even when the interval is a microsecond', () => {
    const { clock, quota } = createHeldQuota(1_000_000, 1)
    for (const at of [1_000, 98_765.432_1, 86_400_123.456_7]) {
      clock.at = at
      assert.deepEqual([quota.take('asha').left, quota.take('asha').left], [999_999, 999_998])
    }
  })

  it('reports what remains, and when it is full again', () => {
    const { clock, quota } = createHeldQuota(3, 60)
    assert.deepEqual(quota.take('asha'), { left: 2, fullIn_s: 20, wait_s: 0 })
    clock.at += 10_000
    assert.deepEqual(quota.take('asha'), { left: 1, fullIn_s: 30, wait_s: 0 })
    assert.deepEqual(quota.take('asha'), { left: 0, fullIn_s: 50, wait_s: 0 })
    assert.deepEqual(quota.take('asha'), { left: 0, fullIn_s: 50, wait_s: 10 })
    quota.undo('asha')
    assert.deepEqual(quota.take('asha'), { left: 0, fullIn_s: 50, wait_s: 0 })
  })

  it('never admits more than the burst plus what time has refilled; waiting as long as required is enough', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 50, maxLength: 300 })
    const property = fc.property(fc.integer({ min: 1, max: 30 }), pauses, (times, all) => {
      const { clock, quota } = createHeldQuota(times, 1)
      const from = clock.at
      let count = 0
      for (const pause of all) {
        clock.at += pause
        let { wait_s } = quota.take('key')
        if (wait_s > 0) {
          clock.at += wait_s * 1_000
          ;({ wait_s } = quota.take('key'))
        }
        assert.equal(wait_s, 0)
        count++
        assert(count <= times + ((clock.at - from) / 1_000) * times + 0.001)
      }
    })
    fc.assert(property, { seed: 1, numRuns: 200 })
  })

  it('remembers a bounded number of keys: the most recent that are still in use', () => {
    const { clock, quota, admitted } = createHeldQuota(2, 1, 1_000)
    for (let n = 0; n < 5_000; n++) quota.take(`key-${n}`)
    assert.equal(quota.size(), 1_000)
    assert.equal(admitted('key-4999', 5), 1)
    assert.equal(admitted('key-0', 5), 2)
    clock.at += 1_000
    for (const report of quota.reports(10_000)) report.onShared(0)
    quota.reports(10_000)
    assert.equal(quota.size(), 0)
  })

  it('reports no rare use, and every other use once', () => {
    const { clock, quota, admitted } = createHeldQuota(80, 1)
    assert.equal(admitted('asha', 9), 9)
    assert.deepEqual(quota.reports(100), [])
    assert.equal(admitted('asha', 31), 31)
    clock.at += 200
    const [report, ...others] = quota.reports(100)
    assert.deepEqual([report?.key, report?.cost_ms, report?.age_ms, others.length], ['test:asha', 500, 200, 0])
    assert.equal(admitted('asha', 10), 10)
    report?.onShared(900) // others have used most of it
    assert.equal(admitted('asha', 100), 0, 'of what is left the ten were taken meanwhile')
    clock.at += 25
    assert.equal(admitted('asha', 100), 0)
    clock.at += 12.5
    assert.equal(admitted('asha', 100), 1)
    assert.deepEqual(
      quota.reports(100).map(({ cost_ms }) => cost_ms),
      [137.5],
    )
  })

  it('reports a key after fewer uses the more processes count it, but not after one', () => {
    const reportedAfter = (times: number, processes: number) => {
      const quota = createQuota({ name: 'test', times, seconds: 60 }, () => 1_000, { processes })
      for (let uses = 1; ; uses++) {
        quota.take('asha')
        if (quota.reports(1).length > 0) return uses
      }
    }
    assert.deepEqual(
      [1, 4, 8, 64].map((processes) => reportedAfter(320, processes)),
      [40, 10, 5, 2],
    )
    assert.equal(reportedAfter(5, 4), 1, 'so few are allowed that each counts')
  })
})

describe('the name of a limit, which a 429 says', () => {
  it('is explained in the handbook', () => {
    const names = Object.values(toRules(DEFAULT_LIMITS)).flatMap((rules) => rules.map(({ name }) => name))
    createQuotas(DEFAULT_LIMITS, (name, times, seconds) => {
      names.push(name)
      return createQuota({ name, times, seconds }, () => 0)
    })
    const page = readFileSync('docs/partners/limits.md', 'utf8')
    assert(names.length > 10)
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    )
  })
})

describe('a counter of limits', () => {
  it('is called where something is counted', () => {
    const sources = readSources('src')
    const own = sources.find(({ path }) => path === 'src/access/rate-limits.ts')?.code ?? ''
    const counters = [...own.matchAll(/^ {4}(count\w+)(?:\(|: )/gm)].map(([, name = '']) => name)
    assert(counters.length > 5, 'they are found at all')
    const code = sources.map((source) => source.code).join('')
    assert.deepEqual(
      counters.filter((name) => !code.includes(`rates.${name}(`)),
      [],
    )
  })
})
