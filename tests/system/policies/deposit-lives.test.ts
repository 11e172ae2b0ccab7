import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addMonths, daysBetween } from '../../../src/kernel/date.ts'
import { dayAt, FIRST, Purse } from '../../policies/purse.ts'
import { openTestApp, type TestResponse } from '../../support/app.ts'
import { type Enrolled, type Parties, withDeposits } from '../../support/deposits.ts'

const LIVES = 50
/** A month of ₹12,045 a year. */
const PREMIUM = 100_375
const WINDOW_DAYS = 5
const GRACE_DAYS = 5

const t = await openTestApp()
const { on, parties, approved, issue, setStatus, paid, entries, coverFrom, inr } = withDeposits(t)

const ACTS = ['pay', 'pay', 'reverse', 'issue', 'issue', 'issue', 'renew', 'renew', 'end', 'takeBack'] as const
const lives = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    wait: fc.nat(9),
    back: fc.nat(20),
    which: fc.nat(9),
    paise: fc.integer({ min: 20_000, max: 250_000 }),
  }),
  { minLength: 6, maxLength: 14 },
)
type Step = { wait: number; back: number; which: number; paise: number }

const indexOf = (day: string) => daysBetween(FIRST, day) - 1
const monthsAfter = (start: number, months: number) => indexOf(addMonths(dayAt(start), months))

/** A policy by the model: day `term` is the first of its term, `end` the day after its last. */
type Held = { at: Enrolled; start: number; cover: number; months: number; endsOn: number | null; given: number }

const seen = { pay: 0, reverse: 0, issue: 0, later: 0, short: 0, renew: 0, end: 0, takeBack: 0 }

/** A deposit that is only known by the API, and the same by the calendar of `Purse`. */
class DepositLife {
  today = 40
  readonly purse = new Purse()
  readonly policies: Held[] = []
  readonly sponsor: Parties

  constructor(sponsor: Parties) {
    this.sponsor = sponsor
  }

  wait(days: number): void {
    this.today += days
    on(dayAt(this.today))
  }

  async play(act: (typeof ACTS)[number], step: Step): Promise<void> {
    if (act === 'pay' || act === 'reverse') return this.enter(act, step)
    if (act === 'issue') return this.issue(step)
    const one = this.policies[step.which % this.policies.length]
    if (one) await (act === 'renew' ? this.renew(one) : act === 'end' ? this.end(one, step) : this.takeBack(one))
  }

  async enter(act: 'pay' | 'reverse', { back, paise }: Step): Promise<void> {
    const day = this.today - back
    await paid(this.sponsor, paise / 100, dayAt(day), act === 'pay' ? 'TOP_UP' : 'REVERSAL')
    this.purse.add(day, act === 'pay' ? paise : -paise)
    seen[act]++
  }

  /** Either it is done, with what it draws, or the deposit is short and nothing is. */
  async draws(call: () => Promise<TestResponse>, paise: number): Promise<boolean> {
    const response = await call()
    const isHeld = this.purse.balance >= paise
    if (isHeld) assert.equal(response.status, 200, response.text)
    else {
      assert.deepEqual([response.status, response.body.reason], [409, 'deposit_short'], response.text)
      assert.equal(response.body.missing_paise, paise - this.purse.balance)
      seen.short++
    }
    return isHeld
  }

  async issue({ back, which }: Step): Promise<void> {
    const start = this.today - back + which
    const at = await approved(this.sponsor, { start_date: dayAt(start) })
    if (!(await this.draws(() => issue(at), PREMIUM))) return
    const held = this.purse.heldFrom(PREMIUM, start, this.today) ?? assert.fail('it was issued')
    this.purse.add(held, -PREMIUM)
    const cover = Math.max(start, held)
    this.policies.push({ at, start, cover, months: 1, endsOn: null, given: 0 })
    seen.issue++
    if (cover > start) seen.later++
  }

  async renew(one: Held): Promise<void> {
    const last = monthsAfter(one.start, one.months) - 1
    if (one.endsOn !== null || this.today < last - WINDOW_DAYS || this.today > last + GRACE_DAYS) return
    if (!(await this.draws(() => setStatus(one.at, { status: 'ISSUED' }), PREMIUM))) return
    this.purse.add(this.today, -PREMIUM)
    one.months++
    seen.renew++
  }

  async end(one: Held, { paise }: Step): Promise<void> {
    const last = monthsAfter(one.start, one.months) - 1
    if (one.endsOn !== null || this.today < one.cover || this.today > last) return
    const [given, endsOn] = [Math.min(paise, PREMIUM), Math.min(last, this.today + 5)]
    const { status, text } = await t.call('PUT', `${one.at.address}/end`, {
      token: this.sponsor.provider.token,
      body: { on: dayAt(endsOn), code: 'LEFT', amount: inr(given / 100) },
    })
    assert.equal(status, 200, text)
    this.purse.add(this.today, given)
    Object.assign(one, { endsOn, given })
    seen.end++
  }

  async takeBack(one: Held): Promise<void> {
    if (one.endsOn === null || this.today > one.endsOn) return
    const take = () => t.call('DELETE', `${one.at.address}/end`, { token: this.sponsor.provider.token })
    if (!(await this.draws(take, one.given))) return
    this.purse.add(this.today, -one.given)
    Object.assign(one, { endsOn: null, given: 0 })
    seen.takeBack++
  }

  /** The entries are those of the model and add up; nobody is covered before the money was there. */
  async compare(): Promise<void> {
    const shown = (await entries(this.sponsor)).map((line) => line.split(' ').slice(1).join(' '))
    assert.deepEqual(
      shown,
      this.purse.written.map((one) => `${one.paise / 100} ${dayAt(one.on)}`),
    )
    for (const one of this.policies) {
      const [first] = await coverFrom(one.at)
      assert.equal(first, dayAt(one.cover))
      const isCovered = async (day: number) => {
        const url = `/v1/users/${one.at.user.id}/coverage?on=${dayAt(day)}`
        const { data } = await t.made('GET', url, { token: this.sponsor.provider.token })
        return data[0].covered
      }
      assert.equal(await isCovered(one.cover - 1), false)
      assert.equal(await isCovered(one.cover), true)
    }
  }
}

describe('deposits over HTTP', () => {
  it(`hold in ${LIVES} random lives: no day of cover without money, and the entries add up`, async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (steps) => {
        const plan = { term_months: 1, renewal_window_days: WINDOW_DAYS, grace_days: GRACE_DAYS }
        const life = new DepositLife(await parties(plan))
        life.wait(0)
        const first = { wait: 0, which: 0, paise: PREMIUM }
        await life.play('pay', { ...first, back: 2 })
        await life.play('issue', { ...first, back: 10 })
        for (const { act, wait, ...step } of steps) {
          life.wait(wait)
          await life.play(act, { wait, ...step })
        }
        for (const act of ['end', 'takeBack'] as const)
          await life.play(act, { wait: 0, back: 0, which: 0, paise: PREMIUM })
        await life.compare()
      }),
      { numRuns: LIVES, endOnFailure: true },
    )
    for (const [what, count] of Object.entries(seen)) assert(count > 0, `${what} has happened`)
  })
})
