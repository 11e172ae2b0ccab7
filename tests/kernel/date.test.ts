import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { todayIn } from '../../src/kernel/clock.ts'
import { addDays, addMonths, isDay, lastDayOfTerm, longDay, monthsBetween } from '../../src/kernel/date.ts'
import { newAjv } from '../../src/kernel/http/keywords.ts'
import { BirthDay } from '../../src/domains/people/users/index.ts'
import {
  boundaryDay,
  dayOf,
  daysFrom,
  lengthOf,
  midnightIn,
  monthsLater,
  partsOf,
  tomorrowOf,
  yesterdayOf,
} from '../support/days.ts'

const NUMBERS_END = 33

describe('a date', () => {
  it('is one of the calendar: every day of four hundred years, and no other', () => {
    for (let year = 1900; year <= 2300; year++) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day < NUMBERS_END; day++) {
          const exists = month >= 1 && month <= 12 && day >= 1 && day <= lengthOf(year, month)
          assert.equal(isDay(dayOf(year, month, day)), exists, dayOf(year, month, day))
        }
      }
    }
  })

  it('has a single notation', () => {
    for (const text of [
      '2026-4-01',
      '26-04-01',
      '2026/04/01',
      '2026-04-01T00:00:00',
      ' 2026-04-01',
      '2026-04-01\n',
      '',
    ])
      assert.equal(isDay(text), false, JSON.stringify(text))
    assert.equal(isDay('२०२६-०४-०१'), false)
    assert.equal(isDay('0000-01-01'), false)
  })

  it('has the next and the previous calendar day, across months, years and leap days', () => {
    for (const day of daysFrom('1899-12-01', '2101-03-31')) {
      assert.equal(addDays(day, 1), tomorrowOf(day))
      assert.equal(addDays(day, -1), yesterdayOf(day))
    }
    const count = fc.integer({ min: -3_000, max: 3_000 })
    fc.assert(
      fc.property(boundaryDay, count, count, (day, one, other) => {
        assert.equal(addDays(addDays(day, one), other), addDays(day, one + other))
      }),
    )
  })

  it('plus months keeps the day of the month, or takes the last one of a shorter month', () => {
    fc.assert(
      fc.property(boundaryDay, fc.integer({ min: 0, max: 700 }), (day, months) => {
        const later = addMonths(day, months)
        assert.equal(later, monthsLater(day, months))
        assert.equal(monthsBetween({ from: day, to: later }), months)
        assert.equal(monthsBetween({ from: later, to: day }), 0 - months)
      }),
    )
  })

  it('starts a term that ends the day before the same day, with at least 28 days a month', () => {
    fc.assert(
      fc.property(boundaryDay, fc.integer({ min: 1, max: 36 }), (start, months) => {
        const last = lastDayOfTerm(start, months)
        assert.equal(tomorrowOf(last), monthsLater(start, months))
        assert.ok(daysFrom(start, last).length >= 28 * months, `${start} to ${last}`)
      }),
    )
  })

  it('is printed with the name of its month, without a leading zero', () => {
    const names = 'January February March April May June July August September October November December'.split(' ')
    fc.assert(
      fc.property(boundaryDay, (text) => {
        const [year, month, day] = partsOf(text)
        assert.equal(longDay(text), `${day} ${names[month - 1]} ${year}`)
      }),
    )
  })
})

const at = (time: number) => ({ now: () => new Date(time) })

describe('today', () => {
  it('begins at midnight in India, to the millisecond, whatever date was computed before', () => {
    fc.assert(
      fc.property(boundaryDay, (day) => {
        const midnight = midnightIn(day)
        assert.equal(todayIn(at(midnight)), day)
        assert.equal(todayIn(at(midnight - 1)), yesterdayOf(day), 'a clock that goes back')
        assert.equal(todayIn(at(midnight + 86_399_999)), day)
        assert.equal(todayIn(at(midnight + 86_400_000)), tomorrowOf(day))
      }),
    )
  })

  it('agrees with a calendar in Asia/Kolkata at every moment', () => {
    const inIndia = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata', dateStyle: 'short' })
    const moment = fc.date({ min: new Date('1946-01-01Z'), max: new Date('2999-12-31Z'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, (now) => {
        assert.equal(todayIn({ now: () => now }), inIndia.format(now))
      }),
    )
  })
})

describe('a date of birth', () => {
  it('is from 1900-01-01 to today in India, even while it is still yesterday in UTC', () => {
    let now = 0
    const isBirth = newAjv({ now: () => new Date(now) }).compile(BirthDay())
    const shift = fc.constantFrom(0, 1, 19_800_000, 86_399_999)
    fc.assert(
      fc.property(boundaryDay, shift, (today, shift_ms) => {
        now = midnightIn(today) + shift_ms
        for (const [day, fits] of [
          [today, today >= '1900-01-01'],
          [yesterdayOf(today), yesterdayOf(today) >= '1900-01-01'],
          [tomorrowOf(today), false],
        ] as const) {
          assert.equal(isBirth(day), fits, `${day} on ${today}`)
        }
      }),
    )
    now = midnightIn('2026-06-15')
    for (const [day, fits] of [
      ['1899-12-31', false],
      ['1900-01-01', true],
      ['1900-02-29', false],
      ['2000-02-29', true],
      ['2025-02-29', false],
    ] as const) {
      assert.equal(isBirth(day), fits, day)
    }
  })
})
