import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findRejection, splitDays } from '../../src/kernel/settings/setting.ts'
import { daysFor } from '../../src/settings/read-deadlines.ts'

const KIND = { kind: 'days', min: 1, max: 365 } as const

describe('a number of days', () => {
  it('holds from the day on that is written before it', () => {
    const deadline = splitDays('7, 2027-01-01:5,2028-01-01:3') ?? assert.fail()
    const days = ['2026-12-31', '2027-01-01', '2027-12-31', '2028-01-01'].map((day) => daysFor(deadline, day))
    assert.deepEqual(days, [7, 5, 5, 3])
    assert.equal(daysFor(splitDays('30') ?? [], '1999-01-01'), 30)
  })

  it('is rejected where it is none, has no day, or is out of order or range', () => {
    const wrong = ['', '0', '366', 'x', '2027-01-01:5', '7,5', '7,2027-02-30:5', '7,2027-01-01:0', '7,']
    const outOfOrder = ['7,2027-01-01:5,2027-01-01:4', '7,2028-01-01:5,2027-01-01:4']
    for (const text of [...wrong, ...outOfOrder])
      assert.match(findRejection('DECISION_DAYS', KIND, text) ?? '', /^DECISION_DAYS must be a number of days/, text)
    for (const text of ['7', '7,2027-01-01:5']) assert.equal(findRejection('DECISION_DAYS', KIND, text), undefined)
  })
})
