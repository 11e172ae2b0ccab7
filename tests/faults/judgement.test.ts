import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkBookings } from './check-money.ts'
import { checkHistory } from './check-records.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { frameReader } from './frames.ts'
import { acknowledge, type Journal, possiblyLast, least, most, createJournal } from './journal.ts'
import type { Transition } from './stored.ts'
import { writeWatch } from './statements.ts'
import type { Target } from './stage.ts'
import type { World } from './world.ts'

const beginRename = (journal: Journal, name: string) =>
  journal.begin({ kind: 'sponsor', of: 'spn_1', name, isOnce: false })

describe('the outcomes that the journal allows', () => {
  it('an acknowledged write exists once; attempts without a response add at most one each, unless idempotent', () => {
    const journal = createJournal()
    const once = journal.begin({ kind: 'booking', of: 'u', name: 'r', isOnce: true })
    once.pending = 2
    assert.deepEqual([least([once]), most([once])], [0, 1])
    acknowledge(once, {})
    assert.deepEqual([least([once]), most([once])], [1, 1])
    const often = beginRename(journal, 'A')
    often.pending = 2
    acknowledge(often, {})
    assert.deepEqual([least([often]), most([often])], [1, 3])
  })

  it('a write whose every attempt was rejected does not exist', () => {
    const entry = beginRename(createJournal(), 'A')
    entry.state = 'refused'
    assert.equal(most([entry]), 0)
  })

  it('of sequential changes the last acknowledged one is current; one without a response may still be applied', () => {
    const journal = createJournal()
    for (const name of ['A', 'B']) acknowledge(beginRename(journal, name), {})
    const namesOfLast = () => possiblyLast(journal.entries('sponsor', 'spn_1')).map(({ name }) => name)
    assert.deepEqual(namesOfLast(), ['B'])
    beginRename(journal, 'C').pending = 1
    acknowledge(beginRename(journal, 'D'), {})
    assert.deepEqual(namesOfLast(), ['C', 'D'])
  })

  it('of overlapping changes any may be the last', () => {
    const journal = createJournal()
    const [one, other] = [beginRename(journal, 'A'), beginRename(journal, 'B')]
    acknowledge(other, {})
    acknowledge(one, {})
    assert.equal(possiblyLast([one, other]).length, 2)
  })
})

type Booked = { reference: string; amount?: number }

/** A wallet with one acknowledged credit, and its stored rows. */
function worldWith(stored: Booked[], { balance = 100 } = {}): World {
  const journal = createJournal()
  const entry = journal.begin({ kind: 'booking', of: 'u', name: 'r1', isOnce: true })
  acknowledge(entry, { id: 't', amount: 100, transaction_type: 'CREDIT' })
  const bookings = stored.map(({ reference, amount = 100 }) => ({
    user_id: 'u',
    reference,
    transaction_id: 't',
    type: 'CREDIT',
    amount,
  }))
  const events = [{ type: 'wallet.balance_changed', subject: 'w', user_id: 'u', to: null, count: stored.length }]
  const wallets = [{ user_id: 'u', partner_wallet_id: 'w', wallet_status: 'COMPLETED', balance }]
  return {
    journal,
    stored: { users: [], transitions: [], accounts: [], wallets, bookings, events },
  } as unknown as World
}

const findingsOf = (world: World) => [...new Set(checkBookings(world).map(({ sort }) => sort))]

describe('violations at the end', () => {
  it('none, when the booking exists once and the balance is its sum', () => {
    assert.deepEqual(checkBookings(worldWith([{ reference: 'r1' }])), [])
  })

  it('a booking that is lost, duplicated, different from the acknowledged one, or not acknowledged', () => {
    assert.deepEqual(findingsOf(worldWith([], { balance: 0 })), ['lost'])
    assert.deepEqual(findingsOf(worldWith([{ reference: 'r1' }, { reference: 'r1' }], { balance: 200 })), ['doubled'])
    assert.deepEqual(findingsOf(worldWith([{ reference: 'r1', amount: 90 }], { balance: 90 })), ['wrong'])
    assert.deepEqual(findingsOf(worldWith([{ reference: 'r1' }, { reference: 'r2' }], { balance: 200 })), ['wrong'])
  })

  it('a balance that is not the sum of its bookings', () => {
    assert.deepEqual(findingsOf(worldWith([{ reference: 'r1' }], { balance: 101 })), ['wrong'])
  })

  it('a history with a missing or an extra row', () => {
    const transition = (from_status: string | null, to_status: string): Transition => ({
      entity_id: 'p',
      user_id: 'u',
      from_status,
      to_status,
    })
    const found = (...transitions: Transition[]) =>
      checkHistory({ stored: { transitions, wallets: [] } } as unknown as World).length
    assert.equal(found(transition(null, 'PENDING'), transition('PENDING', 'VERIFICATION')), 0)
    assert.equal(found(transition(null, 'PENDING'), transition('VERIFICATION', 'APPROVED')), 1)
    assert.equal(found(transition(null, 'PENDING'), transition(null, 'PENDING')), 1)
  })
})

/** Returns the violations when these arrived at a receiver, in this order, of three events of one subject. */
function findingsOfDeliveries(
  ids: string[],
  {
    tries = 1,
    texts = ['a'],
    stage = {},
  }: { tries?: number; texts?: string[]; stage?: Pick<Target, 'eventTypes'> } = {},
): string[] {
  const logged = ['e1', 'e2', 'e3'].map((id) => ({ id, subject: 'u', type: 'user.updated' }))
  const taken = new Map(ids.map((id) => [id, new Set(texts)]))
  const receivers = [{ name: 'steady', taken, unverified: 0, endpoint: { id: 'whe' } }]
  const deliveries = logged.map(({ id }) => ({ endpoint_id: 'whe', event_id: id, tries: id === 'e1' ? tries : 1 }))
  const found = checkWebhooks({ logged, receivers, stored: { deliveries }, stage } as unknown as World)
  return found.map(({ sort }) => sort)
}

describe('violations among the events sent', () => {
  it('none, when all arrived, in order, or out of order behind one that failed', () => {
    assert.deepEqual(findingsOfDeliveries(['e1', 'e2', 'e3']), [])
    assert.deepEqual(findingsOfDeliveries(['e2', 'e1', 'e3'], { tries: 2 }), [])
  })

  it('an event that is missing, unknown, changed, or ahead of its predecessor', () => {
    assert.deepEqual(findingsOfDeliveries(['e1', 'e3']), ['lost'])
    assert.deepEqual(findingsOfDeliveries(['e1', 'e2', 'e3', 'e4']), ['wrong'])
    assert.deepEqual(findingsOfDeliveries(['e1', 'e2', 'e3'], { texts: ['a', 'b'] }), ['wrong', 'wrong', 'wrong'])
    assert.deepEqual(findingsOfDeliveries(['e2', 'e1', 'e3']), ['wrong'])
  })

  it('an event that the log lacks, but for one of a type that the version does not know', () => {
    const stage = { eventTypes: new Set(['user.updated']) }
    const came = (type: string) =>
      findingsOfDeliveries(['e1', 'e2', 'e3', 'e4'], { texts: [JSON.stringify({ type })], stage })
    assert.deepEqual(came('user.updated'), ['wrong'])
    assert.deepEqual(came('policy.corrected'), [])
  })
})

/** A message of the protocol, as a client sends it. */
function message(type: string, ...texts: string[]): Buffer {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(''))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

describe('the message that makes a write final', () => {
  /** The numbers of the messages that make a write final. */
  function finalOf(...messages: Buffer[]): number[] {
    const [read, makesFinal] = [frameReader({ isClient: false }), writeWatch()]
    const bytes = Buffer.concat(messages)
    // However the stream is split.
    const frames = [...read(bytes.subarray(0, 7)), ...read(bytes.subarray(7))]
    assert.equal(frames.length, messages.length)
    return frames.flatMap((frame, index) => (makesFinal(frame) ? [index] : []))
  }

  it('is the commit of a transaction that wrote, not of one that only read', () => {
    const parse = message('P', 'save', 'update users set sealed = $1')
    assert.deepEqual(finalOf(message('Q', 'begin'), parse, message('B', '', 'save'), message('Q', 'commit')), [3])
    assert.deepEqual(finalOf(message('Q', 'begin'), message('Q', 'select 1'), message('Q', 'commit')), [])
    assert.deepEqual(finalOf(message('Q', 'begin'), parse, message('B', '', 'save'), message('Q', 'rollback')), [])
  })

  it('is a write outside a transaction, each time its prepared statement is used', () => {
    const parse = message('P', 'save', 'with a as (insert into events values (1)) select 1')
    assert.deepEqual(finalOf(parse, message('B', '', 'save'), message('B', '', 'save')), [1, 2])
  })
})
