import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decideEnd, decideWithdrawal, type End } from '../../../src/domains/cover/policies/decide-end.ts'
import { allowedToday, rejectOverlap } from '../../../src/domains/cover/policies/find-rejection.ts'
import { type Policy, presentPolicy } from '../../../src/domains/cover/policies/records.ts'
import { decidePolicyTransition } from '../../../src/domains/cover/policies/set-policy-status.ts'
import { coverOn } from '../../../src/domains/cover/policies/cover-days.ts'
import { afterCalendar, hasEnded, nextMoveOn } from '../../../src/domains/cover/policies/states.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { daysFrom, tomorrowOf, yesterdayOf } from '../../support/days.ts'
import { AT, policies } from '../../policies/any-policy.ts'

const FREE = { isArchived: false, isSponsorActive: true, others: [] }
const FIRST = '2026-04-01'
/** Terms of twelve months from the first day on, as a calendar on a wall has them. */
const TERMS = [2026, 2027, 2028, 2029, 2030].map((year) => ({ from: `${year}-04-01`, to: `${year + 1}-03-31` }))
const PLAN = { window: 30, grace: 30 }

/** A person in force since the first day. */
const [template] = fc.sample(policies, { numRuns: 1, seed: 1 })
assert(template)
const issued: Policy = {
  ...template,
  status: 'ISSUED',
  coveredFrom: FIRST,
  startDate: FIRST,
  endDate: '2027-03-31',
  termMonths: 12,
  renewalWindowDays: PLAN.window,
  graceDays: PLAN.grace,
  graceUntil: null,
  issue: 1,
  issuedDependantIds: [],
  dependantIds: [],
  nomineeDependantId: null,
  beginsCover: false,
  personsVersion: 0,
  personsSeen: 0,
  endsOn: null,
  endsFrom: null,
  member: { ...template.member, first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' },
}

/** What somebody does on a day; the distance of an end is counted from that day. */
type Act = { wait: number } & (
  | { act: 'end'; distance: number }
  | { act: 'withdraw' }
  | { act: 'renew' }
  | { act: 'look' }
)
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({
      wait: fc.nat(20),
      act: fc.constant('end' as const),
      distance: fc.oneof(fc.integer({ min: -45, max: 40 }), fc.integer({ min: 0, max: 400 })),
    }),
    fc.record({ wait: fc.nat(20), act: fc.constant('withdraw' as const) }),
    fc.record({ wait: fc.nat(40), act: fc.constant('renew' as const) }),
    fc.record({ wait: fc.nat(120), act: fc.constant('look' as const) }),
  ),
  { maxLength: 14 },
)

/** A life as the model has it: how many terms are bought, the last covered day if one is named, and whether it is over. */
type Model = { bought: number; endsOn: string | null; isOver: boolean }

const lastTerm = ({ bought }: Model) => TERMS[bought - 1] as (typeof TERMS)[number]
const plus = (day: string, count: number): string => {
  let found = day
  for (let step = 0; step < Math.abs(count); step++) found = count > 0 ? tomorrowOf(found) : yesterdayOf(found)
  return found
}

/** The last day on which the model covers its people. */
const lastCovered = (model: Model) => model.endsOn ?? plus(lastTerm(model).to, PLAN.grace)

/** The cover on a day, said without any state: only the end, the terms and the grace count. */
function coverIn(model: Model, day: string): string {
  if (model.isOver || day > lastCovered(model)) return 'expired'
  return day <= lastTerm(model).to ? 'valid' : 'in_grace'
}

function compare(policy: Policy, model: Model, day: string): void {
  const { start_date, end_date } = presentPolicy(policy)
  const ending = model.endsOn
  const term =
    ending === null
      ? lastTerm(model)
      : (TERMS.slice(0, model.bought).findLast(({ from }) => from <= ending) ?? TERMS[0])
  const where = `on ${day}: ${JSON.stringify(model)}`
  assert.deepEqual([start_date, end_date], [term?.from, ending ?? term?.to], where)
  assert.equal(coverOn(policy, day) ?? 'expired', coverIn(model, day), where)
  assert.equal(hasEnded(policy, day), coverIn(model, day) === 'expired', where)
  const { policy: now } = afterCalendar(policy, day)
  assert.equal(now.status === 'EXPIRED', coverIn(model, day) === 'expired', where)
  const next = nextMoveOn(now)
  if (now.status === 'EXPIRED') assert.equal(next, null, where)
  else if (ending !== null) assert.equal(next, tomorrowOf(ending), where)
  else assert.ok(next !== null && next > day && next <= tomorrowOf(lastCovered(model)), where)
  if (ending !== null && now.status !== 'EXPIRED') {
    const offered = allowedToday(now, { who: 'owner', today: day, conditions: FREE })
    assert.ok(!offered.includes('REQUIRES_CUSTOMER_RENEWAL'), where)
    if (now.status !== 'ISSUED') assert.ok(!offered.includes('ISSUED') || day <= lastTerm(model).to, where)
  }
  const free = { from: tomorrowOf(lastTerm(model).to), to: '2040-01-01', today: day }
  const own = { ...policy, from: policy.coveredFrom }
  assert.equal(rejectOverlap([own], free), undefined, where)
  if (ending !== null) assert.equal(rejectOverlap([own], { ...free, from: tomorrowOf(ending) }), undefined, where)
}

/** A renewal waits for the last days of the term, some of them before the window opens. */
function dayOf({ act, wait }: Act, model: Model, today: string): string {
  const wanted = act === 'renew' ? plus(lastTerm(model).to, -wait) : plus(today, wait)
  return wanted > today ? wanted : today
}

/** Does what somebody does; the model and the program either both refuse or both do it. */
function play(
  act: Act,
  { policy, end, model, today }: { policy: Policy; end: End | null; model: Model; today: string },
) {
  const tried = (change: () => { policy: Policy; end: End | null } | undefined) => {
    try {
      return change() ?? { policy, end }
    } catch (error) {
      assert.ok(error instanceof ProblemError, String(error))
      return undefined
    }
  }
  const isExpired = coverIn(model, today) === 'expired'
  const found = { policy, end, conditions: FREE, snapshots: [] }
  const now = { who: 'provider' as const, at: AT, today, backdateDays: 45 }
  if (act.act === 'end') {
    const on = plus(today, act.distance)
    const { to } = lastTerm(model)
    const isLonger = model.endsOn !== null && model.endsOn > to
    const ofEnded = isLonger ? (model.endsOn as string) : to
    const last = isExpired ? ofEnded : today <= to ? to : plus(to, PLAN.grace)
    const isNamed = model.endsOn === on || (on >= yesterdayOf(FIRST) && on <= last && !(isExpired && on >= today))
    const input = { on, code: 'LEFT' as const, reason: undefined, amountPaise: undefined }
    const done = tried(() => decideEnd(found, input, now))
    assert.equal(done !== undefined, isNamed, `an end on ${on}, asked on ${today}: ${JSON.stringify(model)}`)
    return done && { ...done, model: { ...model, endsOn: on, isOver: isExpired || on < today } }
  }
  if (act.act === 'withdraw') {
    const done = tried(() => decideWithdrawal(found, now))
    assert.equal(
      done !== undefined,
      model.endsOn === null || !isExpired,
      `withdrawn on ${today}: ${JSON.stringify(model)}`,
    )
    return done && { ...done, model: { ...model, endsOn: isExpired ? model.endsOn : null } }
  }
  const { to } = lastTerm(model)
  const isOpen = !isExpired && model.endsOn === null && today >= plus(to, -PLAN.window)
  const { policy: aged } = afterCalendar(policy, today)
  const done = tried(() => {
    if (aged.status === 'ISSUED') throw new ProblemError('invalid_state', 'already issued')
    return { end, policy: decidePolicyTransition(aged, { status: 'ISSUED' }, { ...now, conditions: FREE }).policy }
  })
  assert.equal(done !== undefined, isOpen, `renewed on ${today}: ${JSON.stringify(model)}`)
  return done && { ...done, model: { ...model, bought: model.bought + 1 } }
}

describe('the days of a policy that may end, against a model of them', () => {
  it('agree on every day of a random life: record, cover, next day of the calendar, and what is offered', () => {
    const reached = { ended: 0, withdrawn: 0, renewedEarly: 0, beforeTerm: 0 }
    fc.assert(
      fc.property(acts, fc.boolean(), (life, isCalendarLate) => {
        let [policy, end, today]: [Policy, End | null, string] = [issued, null, FIRST]
        let model: Model = { bought: 1, endsOn: null, isOver: false }
        for (const act of life) {
          const until = dayOf(act, model, today)
          for (const day of daysFrom(today, until)) {
            compare(policy, model, day)
            if (!isCalendarLate) ({ policy } = afterCalendar(policy, day))
          }
          today = until
          model = { ...model, isOver: coverIn(model, today) === 'expired' }
          if (act.act === 'look' || (act.act === 'renew' && model.bought === TERMS.length)) continue
          const done = play(act, { policy, end, model, today })
          if (!done) continue
          if (act.act === 'end') reached.ended++
          if (act.act === 'withdraw' && model.endsOn !== null && !model.isOver) reached.withdrawn++
          if (act.act === 'renew' && today <= lastTerm(model).to) reached.renewedEarly++
          if (act.act === 'end' && plus(today, act.distance) < done.policy.startDate) reached.beforeTerm++
          ;({ policy, end, model } = done)
          compare(policy, model, today)
        }
      }),
      { numRuns: 120 },
    )
    for (const [what, times] of Object.entries(reached)) assert.ok(times > 2, `${what}: ${times}`)
  })
})
