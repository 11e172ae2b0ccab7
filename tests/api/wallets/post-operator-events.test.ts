import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { OPERATOR_SECRET } from '../../support/operator.ts'
import { assertSameProblem, errorsOf } from '../../support/problems.ts'
import {
  operatorDouble,
  provision,
  provisioningJobs,
  REFUSED,
  walletEvents,
  walletHistory,
} from '../../support/wallets.ts'

const t = await openTestApp()
const ADDRESS = '/wallet/v1/operator/events'
const SECONDS_TOLERATED = 300

type Status = 'ACTIVE' | 'BLOCKED'
type Event = { event_id: string; reference: string; status: Status; sequence: number }

let events = 0
const eventOf = (reference: string, status: Status, sequence: number): Event => ({
  event_id: `op-evt-${++events}`,
  reference,
  status,
  sequence,
})

const nowSeconds = () => Math.floor((t.clock.at ?? new Date()).getTime() / 1000)

function signatureOf(body: string, { time = nowSeconds(), secret = OPERATOR_SECRET } = {}): string {
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`
}

const post = (body: string, headers: Record<string, string>) => t.call('POST', ADDRESS, { body, headers })

/** Sends an event as the operator does. */
const report = (event: Event) => {
  const body = JSON.stringify(event)
  return post(body, { 'operator-signature': signatureOf(body) })
}

async function received(event: Event): Promise<boolean> {
  const response = await report(event)
  assert.equal(response.status, 200, response.text)
  return response.body.received
}

/** A user whose wallet is not yet provisioned. */
async function newWallet() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  return { id: id as string, userId: user.id, token }
}

/** A user whose wallet is provisioned; its sequence is 1. */
async function heldWallet(status: Status = 'ACTIVE') {
  const { platform } = await t.offer()
  return t.wallet(platform, await t.user(platform), status)
}

type Ids = { id: string; userId: string }

/** Everything that a callback could change. */
async function everythingOf({ id, userId }: Ids) {
  const [wallet] = await t.sql('select * from wallets where user_id = $1', [userId])
  return {
    wallet,
    history: await walletHistory(t, userId),
    reported: await walletEvents(t, id),
    jobs: await provisioningJobs(t, userId),
  }
}

const statusesOf = async ({ token }: { token: string }) => {
  const { wallet_status, wallet_status_partner } = await t.made('GET', '/wallet/v1/wallet', { token })
  return `${wallet_status} ${wallet_status_partner}`
}

const isQuestioned = async ({ userId }: { userId: string }) =>
  (await t.sql('select 1 from wallet_questions where user_id = $1', [userId])).length === 1

const askLess = ({ userId }: { userId: string }) => t.sql('delete from wallet_questions where user_id = $1', [userId])

const isKnown = async (eventId: string) =>
  (await t.sql('select 1 from operator_events where event_id = $1', [eventId])).length === 1

describe('POST /wallet/v1/operator/events', () => {
  it('200 blocks and unblocks a wallet, with one history row and one event each', async () => {
    const wallet = await heldWallet()
    const before = await everythingOf(wallet)
    assert.equal(await received(eventOf(wallet.id, 'BLOCKED', 2)), true)
    assert.equal(await statusesOf(wallet), 'COMPLETED BLOCKED')
    assert.equal(await received(eventOf(wallet.id, 'ACTIVE', 3)), true)
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')

    const { history, reported, jobs } = await everythingOf(wallet)
    assert.equal(history.partner, 'ACTIVE BLOCKED ACTIVE')
    assert.equal(history.wallet, before.history.wallet)
    assert.deepEqual(reported, [...before.reported, 'ACTIVE>BLOCKED', 'BLOCKED>ACTIVE'])
    assert.deepEqual(jobs, before.jobs)
  })

  it('200 with `received` false the second time; a known event id changes nothing, whatever else it carries', async () => {
    const wallet = await heldWallet()
    const event = eventOf(wallet.id, 'BLOCKED', 2)
    assert.equal(await received(event), true)
    const after = await everythingOf(wallet)
    assert.equal(await received(event), false)
    assert.equal(await received({ ...event, status: 'ACTIVE', sequence: 9 }), false)
    assert.deepEqual(await everythingOf(wallet), after)
  })

  it('200 once: of 20 concurrent identical callbacks one is received', async () => {
    const wallet = await heldWallet()
    const event = eventOf(wallet.id, 'BLOCKED', 2)
    const responses = await Promise.all(Array.from({ length: 20 }, () => received(event)))
    assert.equal(responses.filter(Boolean).length, 1)
    assert.equal((await walletHistory(t, wallet.userId)).partner, 'ACTIVE BLOCKED')
  })

  it('200 out of order: an event older than the last known status changes nothing', async () => {
    const wallet = await heldWallet()
    await received(eventOf(wallet.id, 'BLOCKED', 5))
    const after = await everythingOf(wallet)
    for (const late of [eventOf(wallet.id, 'ACTIVE', 4), eventOf(wallet.id, 'ACTIVE', 5)]) {
      assert.equal(await received(late), true)
      assert.deepEqual(await everythingOf(wallet), after)
    }
  })

  it('200 what contradicts the stored status changes nothing, and the operator is asked for the wallet', async () => {
    for (const late of [eventOf('', 'ACTIVE', 4), eventOf('', 'ACTIVE', 5)]) {
      const wallet = await heldWallet()
      await received(eventOf(wallet.id, 'BLOCKED', 5))
      await askLess(wallet)
      assert.equal(await received({ ...late, reference: wallet.id }), true)
      assert.deepEqual([await isQuestioned(wallet), await statusesOf(wallet)], [true, 'COMPLETED BLOCKED'])
    }
  })

  it('200 what repeats the stored status late, or an event as it was, is no reason to ask', async () => {
    const wallet = await heldWallet()
    const event = eventOf(wallet.id, 'BLOCKED', 5)
    await received(event)
    assert.equal(await isQuestioned(wallet), true, 'what closes a wallet is asked about')
    await askLess(wallet)
    await received(eventOf(wallet.id, 'BLOCKED', 4))
    await received(event)
    assert.equal(await isQuestioned(wallet), false)
  })

  it('200 with `received` false an event id that was used for another wallet, which is asked for; the first one is not', async () => {
    const [first, second] = [await heldWallet(), await heldWallet()]
    const event = eventOf(first.id, 'ACTIVE', 2)
    await received(event)
    assert.equal(await received({ ...event, reference: second.id }), false)
    assert.deepEqual([await isQuestioned(first), await isQuestioned(second)], [false, true])
    await t.sql('update operator_events set content = null where event_id = $1', [event.event_id])
    const third = await heldWallet()
    assert.equal(await received({ ...event, reference: third.id }), false)
    assert.equal(await isQuestioned(third), false, 'an earlier version did not note what it said')
  })

  it('422 a sequence more than 1,000,000 ahead: nothing changes, its id stays free, and the operator is asked', async () => {
    const wallet = await heldWallet()
    const before = await everythingOf(wallet)
    for (const sequence of [1_000_002, Number.MAX_SAFE_INTEGER]) {
      const event = eventOf(wallet.id, 'BLOCKED', sequence)
      const refused = await report(event)
      assert.deepEqual([refused.status, errorsOf(refused)], [422, ['/sequence too_large']])
      assert.match(refused.body.errors[0].detail, /1,000,000 ahead.* asked for instead/)
      assert.equal(await isKnown(event.event_id), false)
    }
    assert.deepEqual(await everythingOf(wallet), before)
    assert.equal(await isQuestioned(wallet), true)
    assert.equal(await received(eventOf(wallet.id, 'BLOCKED', 1_000_001)), true)
    assert.equal(await statusesOf(wallet), 'COMPLETED BLOCKED')
  })

  it('200 concurrently in any order, the newest wins', async () => {
    const wallet = await heldWallet()
    const statuses: Status[] = ['BLOCKED', 'ACTIVE', 'BLOCKED', 'ACTIVE', 'BLOCKED', 'ACTIVE', 'BLOCKED']
    await Promise.all(statuses.map((status, index) => received(eventOf(wallet.id, status, index + 2))))
    assert.equal(await statusesOf(wallet), 'COMPLETED BLOCKED')
    await walletHistory(t, wallet.userId) // every row is a transition of the table
  })

  it('200 the same status again is no transition, but events older than it are still outdated', async () => {
    const wallet = await heldWallet()
    const before = await everythingOf(wallet)
    await received(eventOf(wallet.id, 'ACTIVE', 7))
    await received(eventOf(wallet.id, 'BLOCKED', 6))
    const { history, reported } = await everythingOf(wallet)
    assert.deepEqual({ history, reported }, { history: before.history, reported: before.reported })
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')
  })

  it('200 early: an event before the response to the call is stored; the newer of the two counts', async () => {
    const scenes = [
      { reported: ['BLOCKED', 2], returned: ['ACTIVE', 1], ends: 'BLOCKED' },
      { reported: ['ACTIVE', 1], returned: ['BLOCKED', 2], ends: 'BLOCKED' },
      { reported: ['ACTIVE', 1], returned: ['ACTIVE', 1], ends: 'ACTIVE' },
    ] as const
    for (const { reported, returned, ends } of scenes) {
      const wallet = await newWallet()
      const { operator } = operatorDouble({
        create: async (reference) => {
          assert.equal(await received(eventOf(reference, reported[0], reported[1])), true)
          assert.equal(await statusesOf(wallet), 'IN_PROGRESS UNKNOWN')
          return { outcome: 'held', wallet: { status: returned[0], sequence: returned[1] } }
        },
      })
      await provision(t, operator, wallet.userId)
      assert.equal(await statusesOf(wallet), `COMPLETED ${ends}`)
      assert.equal((await walletHistory(t, wallet.userId)).partner, ends)
    }
  })

  it('200 changes no wallet that is not provisioned', async () => {
    const pending = await newWallet()
    const failed = await newWallet()
    await provision(t, operatorDouble({ create: async () => REFUSED }).operator, failed.userId)
    for (const [wallet, status] of [
      [pending, 'PENDING UNKNOWN'],
      [failed, 'FAILED UNKNOWN'],
    ] as const) {
      const { history, reported, jobs } = await everythingOf(wallet)
      assert.equal(await received(eventOf(wallet.id, 'ACTIVE', 1)), true)
      assert.equal(await statusesOf(wallet), status)
      const after = await everythingOf(wallet)
      assert.deepEqual(
        { history, reported, jobs },
        { history: after.history, reported: after.reported, jobs: after.jobs },
      )
    }
  })

  it('200 for an unknown reference, without effect', async () => {
    const wallet = await heldWallet()
    const before = await everythingOf(wallet)
    assert.equal(await received(eventOf('wal_nobody', 'BLOCKED', 2)), true)
    assert.equal(await received(eventOf(wallet.userId, 'BLOCKED', 2)), true) // an id, but no reference
    assert.deepEqual(await everythingOf(wallet), before)
    assert.deepEqual(await t.sql(`select 1 from wallets where partner_wallet_id = 'wal_nobody'`), [])
  })
})

describe('POST /wallet/v1/operator/events, signature', () => {
  /** Asserts that it is rejected as unsigned, changes nothing, and its event id can still be used by the operator. */
  async function assertRefused(headersOf: (body: string) => Record<string, string>): Promise<void> {
    const wallet = await heldWallet()
    const event = eventOf(wallet.id, 'BLOCKED', 2)
    const before = await everythingOf(wallet)
    const refused = await post(JSON.stringify(event), headersOf(JSON.stringify(event)))
    assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
    assert.equal(refused.headers['www-authenticate'], 'Operator-Signature')
    assert.deepEqual(await everythingOf(wallet), before)
    assert.equal(await isKnown(event.event_id), false)
    assert.equal(await received(event), true)
  }

  const signed = (signature: string) => ({ 'operator-signature': signature })

  it('401 without one', () => assertRefused(() => ({})))
  it('401 with a token in its place', () => assertRefused(() => ({ authorization: `Bearer ${t.owner}` })))
  it('401 under another secret', () =>
    assertRefused((body) => signed(signatureOf(body, { secret: 'another secret altogether' }))))
  it('401 for another body', () => assertRefused((body) => signed(signatureOf(body.replace('BLOCKED', 'ACTIVE')))))
  it('401 for the same members in other bytes', () => assertRefused((body) => signed(signatureOf(`${body} `))))
  it('401 with another time than the signed one', () =>
    assertRefused((body) => signed(signatureOf(body).replace(/^t=\d+/, `t=${nowSeconds() + 1}`))))
  it('401 in another format', async () => {
    await assertRefused((body) => signed(signatureOf(body).toUpperCase()))
    await assertRefused((body) => signed(signatureOf(body).replace('t=', 't= ')))
    await assertRefused((body) => signed(signatureOf(body).slice(0, -1)))
    await assertRefused((body) => signed(`${signatureOf(body)},v1=${'0'.repeat(64)}`))
  })

  it('401 when it is more than five minutes off in either direction; 200 at five minutes', async () => {
    t.clock.at = new Date()
    try {
      for (const sign of [-1, 1]) {
        const off = (seconds: number) => ({ time: nowSeconds() + sign * seconds })
        await assertRefused((body) => signed(signatureOf(body, off(SECONDS_TOLERATED + 1))))
        const body = JSON.stringify(eventOf((await heldWallet()).id, 'BLOCKED', 2))
        const taken = await post(body, signed(signatureOf(body, off(SECONDS_TOLERATED))))
        assert.deepEqual([taken.status, taken.body.received], [200, true])
      }
    } finally {
      t.clock.at = undefined
    }
  })

  it('401 before the body is parsed, and always the same', async () => {
    const without = await post(JSON.stringify(eventOf('wal_nobody', 'ACTIVE', 1)), {})
    const badly = signed(`t=${nowSeconds()},v1=${'0'.repeat(64)}`)
    for (const body of ['{"event_id":', '[]', '{}', '', ' ']) {
      assertSameProblem(await post(body, {}), without)
      assertSameProblem(await post(body, badly), without)
    }
  })

  it('401 an empty body without a signature, declared as JSON or not at all', async () => {
    const without = await post(JSON.stringify(eventOf('wal_nobody', 'ACTIVE', 1)), {})
    assertSameProblem(await t.call('POST', ADDRESS), without)
    assertSameProblem(await t.call('POST', ADDRESS, { headers: { 'content-type': 'application/json' } }), without)
    assertSameProblem(await t.call('POST', ADDRESS, { headers: signed(signatureOf('x')) }), without)
  })

  it('422 an empty body that is signed', async () => {
    assert.deepEqual(errorsOf(await t.call('POST', ADDRESS, { headers: signed(signatureOf('')) })), [' required'])
    assert.deepEqual(errorsOf(await post('', signed(signatureOf('')))), [' required'])
  })

  it('400 a signed body that is not JSON', async () => {
    const refused = await post('{"event_id":', signed(signatureOf('{"event_id":')))
    assert.deepEqual([refused.status, refused.body.code], [400, 'malformed_json'])
  })

  it('422 reports every error of a signed body at once, and its event id stays free', async () => {
    const body = JSON.stringify({ event_id: 'op-evt-faulty', reference: '', status: 'CLOSED', sequence: -1 })
    assert.deepEqual(errorsOf(await post(body, signed(signatureOf(body)))), [
      '/reference too_short',
      '/sequence too_small',
      '/status not_allowed',
    ])
    assert.equal(await isKnown('op-evt-faulty'), false)
    assert.deepEqual(errorsOf(await post('{}', signed(signatureOf('{}')))), [
      '/event_id required',
      '/reference required',
      '/sequence required',
      '/status required',
    ])
  })

  it('200 over the bytes as received, however they are formatted', async () => {
    const wallet = await heldWallet()
    const body = JSON.stringify({ note: 'நிறுத்து ₹', ...eventOf(wallet.id, 'BLOCKED', 2) }, null, 3)
    const taken = await post(body, signed(signatureOf(body)))
    assert.deepEqual([taken.status, taken.body], [200, { received: true }])
    assert.equal(await statusesOf(wallet), 'COMPLETED BLOCKED')
  })
})
