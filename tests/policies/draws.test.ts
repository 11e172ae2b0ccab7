import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkHeldSince, decideDraw, premiumOf } from '../../src/domains/cover/deposits/decide-draw.ts'
import { addDays, addMonths, daysBetween, lastDayOfTerm } from '../../src/kernel/date.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { dayAt, FIRST, Purse } from './purse.ts'

const LIVES = 10_000
const ACTS = ['pay', 'pay', 'reverse', 'issue', 'issue', 'join', 'giveBack'] as const
const lives = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    wait: fc.nat(20),
    back: fc.nat(40),
    paise: fc.integer({ min: 1, max: 900 }),
  }),
  { minLength: 2, maxLength: 16 },
)

/** Returns the result, or what is missing of a 409 `deposit_short`. */
function missingOr<T>(decide: () => T): T | { missing: unknown } {
  try {
    return decide()
  } catch (error) {
    assert(error instanceof ProblemError)
    assert.equal(error.members['reason'], 'deposit_short')
    return { missing: error.members['missing_paise'] }
  }
}

describe('a deposit', () => {
  it(`has no day of cover without money, in ${LIVES} random lives, and loses none`, () => {
    const seen = { issued: 0, later: 0, short: 0, joins: 0, refused: 0 }
    fc.assert(
      fc.property(lives, (acts) => {
        const purse = new Purse()
        let today = 0
        for (const { act, wait, back, paise } of acts) {
          today += wait
          const on = Math.max(0, today - back)
          if (act === 'pay') purse.add(on, paise)
          else if (act === 'reverse') purse.add(on, -paise)
          else if (act === 'giveBack') purse.add(today, Math.ceil(paise / 3))
          else if (act === 'issue') issue(purse, { today, on, paise })
          else join(purse, { today, on, paise })
        }
        assert.equal(
          purse.balance,
          purse.written.reduce((sum, one) => sum + one.paise, 0),
        )
      }),
      { numRuns: LIVES },
    )
    for (const [what, count] of Object.entries(seen)) assert(count > LIVES / 20, `${what}: ${count}`)

    function issue(purse: Purse, { today, on, paise }: Record<'today' | 'on' | 'paise', number>) {
      const expected = purse.heldFrom(paise, on, today)
      const decided = missingOr(() => decideDraw(purse.asHeld(on), paise, dayAt(on)))
      if (expected === undefined) {
        assert.deepEqual(decided, { missing: paise - purse.balance })
        seen.short++
        return
      }
      assert.equal(decided, dayAt(expected))
      const before = purse.days.slice(0, expected)
      purse.add(expected, -paise)
      for (let day = expected; day <= today; day++)
        assert((purse.days[day] ?? -1) >= 0, 'every covered day has its money')
      assert.deepEqual(purse.days.slice(0, expected), before, 'no day before has lost any')
      seen.issued++
      if (expected > on) seen.later++
    }

    function join(purse: Purse, { today, on, paise }: Record<'today' | 'on' | 'paise', number>) {
      const isHeld = purse.holds(paise, on, today)
      const decided = missingOr(() => checkHeldSince(purse.asHeld(on), paise, dayAt(on)))
      if (isHeld) {
        assert.equal(decided, undefined)
        purse.add(on, -paise)
        seen.joins++
        return
      }
      const lowest = Math.min(...purse.days.slice(on, today + 1))
      const missing = (decided as { missing: number }).missing
      // A deposit that is short today says what it lacks today.
      assert.equal(missing, purse.balance < paise ? paise - purse.balance : paise - lowest)
      seen.refused++
    }
  })
})

describe('the premium of a term', () => {
  const term = { startDate: FIRST, termsFrom: null, premiumAnnualPaise: 1_204_500 }

  it('is the annual amount × months ÷ 12, rounded to the paisa', () => {
    const of = (termMonths: number, premiumAnnualPaise = 1_204_500) =>
      premiumOf({ ...term, termMonths, premiumAnnualPaise, endDate: lastDayOfTerm(FIRST, termMonths) })
    assert.deepEqual([of(12), of(1), of(3), of(24), of(36)], [1_204_500, 100_375, 301_125, 2_409_000, 3_613_500])
    assert.deepEqual([of(1, 100), of(1, 6), of(1, 5), of(1, 0), of(600, 9_007_199_254)], [8, 1, 0, 0, 450_359_962_700])
  })

  it('of a first term that ends earlier depends on its days, on its months where cover only begins later', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 364 }), (days) => {
        const endDate = addDays(FIRST, days - 1)
        const short = premiumOf({ ...term, termMonths: 12, endDate, termsFrom: addDays(endDate, 1) })
        assert.equal(short, Math.round((1_204_500 * days) / daysBetween(FIRST, lastDayOfTerm(FIRST, 12))))
      }),
    )
    const whole = { ...term, termMonths: 12, endDate: addDays(addMonths(FIRST, 12), -1), termsFrom: FIRST }
    assert.equal(premiumOf(whole), 1_204_500)
  })
})
