import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addMonths, isDay } from '../../src/kernel/date.ts'

const two = (number: number) => String(number).padStart(2, '0')

it('a date exists in the calendar, from 1899 to 3001', () => {
  for (let year = 1899; year <= 3001; year++) {
    for (let month = 0; month <= 13; month++) {
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
      const isMonth = month >= 1 && month <= 12
      for (const day of [0, 1, 28, 29, 30, 31, 32]) {
        const text = `${year}-${two(month)}-${two(day)}`
        assert.equal(isDay(text), isMonth && day >= 1 && day <= last, text)
      }
    }
  }
})

it('the 31st becomes the last day of a shorter month, including February of leap years', () => {
  for (const [day, months, later] of [
    ['2026-01-31', 1, '2026-02-28'],
    ['2027-12-31', 2, '2028-02-29'],
    ['1999-08-31', 6, '2000-02-29'],
    ['2099-12-31', 2, '2100-02-28'],
    ['2026-03-31', 1, '2026-04-30'],
  ] as const) {
    assert.equal(addMonths(day, months), later)
  }
})
