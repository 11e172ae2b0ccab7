import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ageOn,
  agoText,
  countText,
  daysAfter,
  daysFromNow,
  dayText,
  timeText,
  today,
} from '../../dashboard/src/parts/texts.ts'

/** Half past midnight in India, the evening before in UTC. */
const NIGHT = new Date('2026-04-04T19:00:00Z')

describe('dates of the dashboard', () => {
  it('are written as in India, and no zone shifts a day', () => {
    assert.equal(dayText('2026-04-05'), '5 Apr 2026')
    assert.equal(timeText(NIGHT), '5 Apr 2026, 00:30')
  })

  it('count days by the calendar of India', () => {
    assert.equal(today(NIGHT), '2026-04-05')
    assert.equal(daysFromNow('2026-04-05', NIGHT), 'today')
    assert.equal(daysFromNow('2026-04-17', NIGHT), 'in 12 days')
    assert.equal(daysAfter('2026-02-27', 2), '2026-03-01')
  })

  it('count whole years of age', () => {
    for (const [day, born, age] of [
      ['2026-04-05', '2016-04-05', 10],
      ['2026-04-04', '2016-04-05', 9],
      ['2026-02-28', '2016-02-29', 9],
      ['2026-03-01', '2016-02-29', 10],
    ] as const)
      assert.equal(ageOn(day, born), age)
  })

  it('say how long ago, never more than has passed', () => {
    const after = (ms: number) => agoText(NIGHT, new Date(NIGHT.getTime() + ms))
    assert.deepEqual([30_000, 119_000, 3_600_000, 3 * 86_400_000].map(after), [
      'just now',
      '1 minute ago',
      '1 hour ago',
      '3 days ago',
    ])
  })
})

describe('numbers of the dashboard', () => {
  it('are grouped as in India', () => {
    assert.equal(countText(123_456), '1,23,456')
  })
})
