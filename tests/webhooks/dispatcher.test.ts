import assert from 'node:assert/strict'
import { setImmediate as settle } from 'node:timers/promises'
import { describe, it } from 'node:test'
import type { DueDelivery } from '../../src/domains/integration/webhooks/sender-store.ts'
import { HELD_MAX, createDispatcher } from '../../src/domains/integration/webhooks/create-dispatcher.ts'

const delivery = (number: number, subject = `subject ${number}`): DueDelivery => ({
  endpointId: 'whe_1',
  tries: 0,
  dueAt: '2026-11-22 09:30:00+00',
  traceparent: null,
  event: {
    id: `evt_${number}`,
    type: 'user.updated',
    occurredAt: new Date(0),
    subject,
    platformId: 'plt_1',
    data: {},
  },
})
const deliveries = (count: number) => Array.from({ length: count }, (_, index) => delivery(index))

/** A dispatcher whose attempts end on command, and a clock that a test sets. */
function createHeldDispatcher() {
  const clock = { ms: 0, now: () => new Date(clock.ms) }
  const begun: { id: string; end: (isTaken: boolean) => void }[] = []
  const attempt = ({ event }: DueDelivery) => new Promise<boolean>((end) => void begun.push({ id: event.id, end }))
  let lows = 0
  const dispatcher = createDispatcher({ attempt, onLow: () => lows++, clock })
  const end = async (index: number, isTaken: boolean) => {
    begun[index]?.end(isTaken)
    await settle()
  }
  return { dispatcher, clock, begun, end, lows: () => lows }
}

describe('the dispatcher of an endpoint', () => {
  it('makes a limited number of calls at a time, one per subject, in order', async () => {
    const { dispatcher, begun, end } = createHeldDispatcher()
    dispatcher.take([delivery(1, 'a'), delivery(2, 'a'), delivery(3, 'b'), delivery(4, 'a')], { all: true })
    assert.deepEqual(
      begun.map(({ id }) => id),
      ['evt_1', 'evt_3'],
    )
    await end(1, true)
    assert.equal(begun.length, 2)
    await end(0, false)
    assert.deepEqual(
      begun.map(({ id }) => id),
      ['evt_1', 'evt_3', 'evt_2'],
    )

    const wide = createHeldDispatcher()
    wide.dispatcher.take(deliveries(150), { all: true })
    assert.equal(wide.begun.length, 32)
  })

  it('asks for more when half of it is done, if there is more', async () => {
    for (const all of [true, false]) {
      const { dispatcher, begun, end, lows } = createHeldDispatcher()
      assert.equal(dispatcher.room(), HELD_MAX)
      dispatcher.take(deliveries(HELD_MAX), { all })
      assert.equal(dispatcher.room(), 0)
      for (let index = 0; index < HELD_MAX; index++) {
        assert(begun[index], `${index} has begun`)
        assert(index >= HELD_MAX / 2 - 1 || lows() === 0)
        await end(index, true)
      }
      assert.equal(lows() > 0, !all)
      assert.equal(dispatcher.room(), HELD_MAX)
    }
  })

  it('calls one at a time after five failures in a row, with pauses growing to a minute, and in parallel after a success', async () => {
    const { dispatcher, clock, begun, end } = createHeldDispatcher()
    dispatcher.take(deliveries(40), { all: true })
    for (let index = 0; index < 32; index++) await end(index, false)
    assert.equal(begun.length, 36, 'four of those that waited began before the fifth failure')
    for (let index = 32; index < 36; index++) await end(index, false)
    assert.deepEqual(dispatcher.inMemory(), [], 'what has not begun is left to the next fetch')

    for (const pause_s of [5, 10, 20, 40, 60, 60]) {
      clock.ms += pause_s * 1_000 - 1
      assert.equal(dispatcher.room(), 0, `${pause_s} s`)
      clock.ms += 1
      assert.equal(dispatcher.room(), 1)
      dispatcher.take([delivery(100), delivery(101)], { all: false })
      const probe: number = begun.length - 1
      assert.equal(begun[probe]?.id, 'evt_100')
      await end(probe, false)
      assert.equal(begun.length, probe + 1)
    }
    clock.ms += 60_000
    dispatcher.take([delivery(200)], { all: false })
    await end(begun.length - 1, true)
    const before = begun.length
    dispatcher.take(deliveries(40), { all: true })
    assert.equal(begun.length, before + 32)
  })

  it('resumes immediately when its owner changes the endpoint, and a clock set back prolongs no pause', async () => {
    const { dispatcher, clock, end } = createHeldDispatcher()
    dispatcher.take(deliveries(5), { all: true })
    for (let index = 0; index < 5; index++) await end(index, false)
    assert.equal(dispatcher.room(), 0)
    clock.ms = -86_400_000
    assert.equal(dispatcher.room(), 1)
    dispatcher.close()
    assert.equal(dispatcher.room(), HELD_MAX)
  })
})
