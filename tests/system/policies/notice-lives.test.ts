import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decideEnd, decideWithdrawal } from '../../../src/domains/cover/policies/decide-end.ts'
import { decideNotices, noticesOfTerm } from '../../../src/domains/cover/policies/decide-notices.ts'
import { coversMore } from '../../../src/domains/cover/policies/find-rejection.ts'
import type { Policy } from '../../../src/domains/cover/policies/records.ts'
import { decidePolicyTransition } from '../../../src/domains/cover/policies/set-policy-status.ts'
import { afterCalendar } from '../../../src/domains/cover/policies/states.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { AT, policies } from '../../policies/any-policy.ts'
import { daysFrom, tomorrowOf, yesterdayOf } from '../../support/days.ts'

const FREE = { isArchived: false, isSponsorActive: true, others: [] }
const NOTICE_DAYS = [30, 7, 1]
const PLAN = { window: 30, grace: 30 }

const plus = (day: string, count: number): string => {
  let found = day
  for (let step = 0; step < Math.abs(count); step++) found = count > 0 ? tomorrowOf(found) : yesterdayOf(found)
  return found
}
/** Terms of two months, as a calendar on a wall has them, with the days of their notices and the last day of grace. */
const TERMS = [
  ['2026-04-01', '2026-05-31'],
  ['2026-06-01', '2026-07-31'],
  ['2026-08-01', '2026-09-30'],
  ['2026-10-01', '2026-11-30'],
  ['2026-12-01', '2027-01-31'],
].map(([from = '', to = '']) => ({
  from,
  to,
  grace: plus(to, PLAN.grace),
  opens: plus(to, -PLAN.window),
  slots: NOTICE_DAYS.map((count) => ({ count, on: plus(to, -count) })),
}))
const FIRST = '2026-04-01'

const [template] = fc.sample(policies, { numRuns: 1, seed: 1 })
assert(template)
/** A person in force since the first day. */
const issued: Policy = {
  ...template,
  status: 'ISSUED',
  coveredFrom: FIRST,
  startDate: FIRST,
  endDate: '2026-05-31',
  termMonths: 2,
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

/** What somebody does some days after what was done before; a worker that is down runs again with the next act. */
type Act = {
  act: 'renew' | 'renew, certificate later' | 'certify' | 'end' | 'withdraw' | 'look'
  wait: number
  distance: number
  isDown: boolean
}
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    act: fc.constantFrom<Act['act']>(
      'renew',
      'renew',
      'renew, certificate later',
      'certify',
      'end',
      'withdraw',
      'look',
    ),
    wait: fc.oneof(fc.nat(8), fc.nat(40)),
    distance: fc.nat(70),
    isDown: fc.boolean(),
  }),
  { minLength: 4, maxLength: 16 },
)

/** A life as the model has it, in days only. `issuedOn` is the day of the issue of each term that has one. */
type Model = { issuedOn: (string | null)[]; endsOn: string | null; isOver: boolean; sent: Set<string> }

const lastTerm = ({ issuedOn }: Model) => TERMS[issuedOn.length - 1] as (typeof TERMS)[number]
const lastCovered = (model: Model) => model.endsOn ?? lastTerm(model).grace

/** The notices that the model expects of a worker that runs on a day. */
function expected(model: Model, day: string): string[] {
  if (model.isOver || day > lastCovered(model)) return []
  const { from, to, slots } = lastTerm(model)
  const issuedOn = model.issuedOn.at(-1) ?? null
  const notices: string[] = []
  const begins = `${from} begins`
  const isAnnounced = issuedOn !== null && issuedOn < from && model.issuedOn.length > 1
  if (isAnnounced && from <= day && day <= to && !model.sent.has(begins)) {
    model.sent.add(begins)
    notices.push(begins)
  }
  const passed = slots.filter(({ count, on }) => on <= day && !model.sent.has(`${to} in ${count}`))
  if (issuedOn !== null && model.endsOn === null && day <= to && passed.length > 0) {
    for (const { count } of passed) model.sent.add(`${to} in ${count}`)
    notices.push(`${to} in ${daysFrom(day, to).length - 1}`)
  }
  return notices
}

describe('the notices of a policy, against a model of days', () => {
  it('are the same in random lives, with renewals, ends that are set and taken back, and workers that are down', () => {
    const reached = {
      renewedEarly: 0,
      renewedLate: 0,
      certified: 0,
      ended: 0,
      withdrawn: 0,
      missed: 0,
      begun: 0,
      due: 0,
    }
    fc.assert(
      fc.property(acts, (life) => {
        let [policy, today, noticesFrom]: [Policy, string, string | null] = [issued, FIRST, null]
        const model: Model = { issuedOn: [FIRST], endsOn: null, isOver: false, sent: new Set() }
        const all: string[] = []

        const work = (day: string): void => {
          ;({ policy } = afterCalendar(policy, day))
          const decided = decideNotices({ ...policy, noticesFrom }, { noticeDays: NOTICE_DAYS, today: day })
          noticesFrom = decided?.noticesFrom ?? noticesFrom
          const events = (decided?.events ?? []).map(({ data }) =>
            'days_left' in data
              ? [data['end_date'], 'in', data['days_left']].join(' ')
              : [data['start_date'], 'begins'].join(' '),
          )
          assert.deepEqual(events, expected(model, day), `on ${day}: ${JSON.stringify(model)} ${policy.status}`)
          const again = decideNotices({ ...policy, noticesFrom }, { noticeDays: NOTICE_DAYS, today: day })
          assert.deepEqual(again, undefined, 'a second worker has nothing to do')
          if (events.some((one) => !NOTICE_DAYS.some((count) => one.endsWith(` in ${count}`)) && one.includes(' in ')))
            reached.missed++
          for (const event of events) reached[event.endsWith('begins') ? 'begun' : 'due']++
          all.push(...events)
        }
        const tried = <T>(change: () => T): T | undefined => {
          try {
            return change()
          } catch (error) {
            assert.ok(error instanceof ProblemError, String(error))
            return undefined
          }
        }
        const setTo = (status: 'ISSUED' | 'REQUIRES_POLICY_REISSUANCE'): boolean => {
          const before = afterCalendar(policy, today).policy
          if (before.status === status) return false
          const context = { who: 'provider' as const, at: AT, today, conditions: FREE }
          const done = tried(() => decidePolicyTransition(before, { status, reason: 'a reason' }, context))
          if (!done) return false
          const isLonger = coversMore({ from: before.status, to: status }, { endDate: before.endDate, today })
          const begins = isLonger || before.beginsCover ? noticesOfTerm(done.policy, today) : null
          // As `greatest` in the statement.
          if (begins !== null && (noticesFrom === null || noticesFrom < begins)) noticesFrom = begins
          policy = afterCalendar(done.policy, today).policy
          if (isLonger) model.issuedOn.push(null)
          if (status === 'ISSUED' && model.issuedOn.at(-1) === null) {
            model.issuedOn[model.issuedOn.length - 1] = today
            const { from } = lastTerm(model)
            if (!isLonger) reached.certified++
            else if (today < from) reached.renewedEarly++
            else reached.renewedLate++
          }
          return true
        }

        for (const { act, wait, distance, isDown } of life) {
          const until = plus(today, wait)
          for (const day of daysFrom(today, until)) if (!isDown || day === until) work(day)
          today = until
          model.isOver ||= today > lastCovered(model)
          if (model.isOver) break
          const now = { who: 'provider' as const, at: AT, today, backdateDays: 45 }
          const found = { policy, end: null, conditions: FREE, snapshots: [] }
          if (act === 'end') {
            const on = plus(today, distance)
            const input = { on, code: 'LEFT' as const, reason: undefined, amountPaise: undefined }
            const done = tried(() => decideEnd(found, input, now))
            if (done) {
              reached.ended++
              policy = done.policy
              model.endsOn = on
            }
          } else if (act === 'withdraw') {
            const done = tried(() => decideWithdrawal(found, now))
            if (done) {
              reached.withdrawn++
              policy = done.policy
              model.endsOn = null
            }
          } else if (act === 'certify' && model.issuedOn.at(-1) === null) setTo('ISSUED')
          else if (model.issuedOn.length < TERMS.length && model.issuedOn.at(-1) !== null && model.endsOn === null) {
            if (act === 'renew' && today >= lastTerm(model).opens) setTo('ISSUED')
            if (act === 'renew, certificate later' && today >= lastTerm(model).opens)
              setTo('REQUIRES_POLICY_REISSUANCE')
          }
          work(today)
        }
        assert.equal(new Set(all).size, all.length, 'nothing is sent twice')
      }),
      { numRuns: 2_000 },
    )
    for (const [what, times] of Object.entries(reached)) assert.ok(times > 5, `${what}: ${times}`)
  })
})
