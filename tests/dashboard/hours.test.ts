import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hoursOf } from '../../dashboard/src/screens/home/hours.ts'

const NOW = new Date('2026-04-04T19:10:00Z') // 00:40 in India
const at = (time: string) => new Date(`2026-04-04T${time}Z`)

describe('the changes of a day on the dashboard', () => {
  it('are counted by the hours of India, the present one last', () => {
    const times = [at('18:35:00'), at('18:29:59'), at('17:30:00'), at('16:00:00')]
    const hours = hoursOf(times, { hours: 3, since: at('16:30:00'), now: NOW })
    assert.deepEqual(
      hours.map(({ name, count }) => [name, count]),
      [
        ['22:00', 0],
        ['23:00', 2],
        ['00:00', 1],
      ],
    )
  })

  it('are not known to be all before the oldest that was read', () => {
    const hours = hoursOf([], { hours: 3, since: at('17:31:00'), now: NOW })
    assert.deepEqual(
      hours.map(({ isKnown }) => isKnown),
      [false, false, true],
    )
  })
})
