import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { newId } from '../../../src/kernel/id.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })

const WITHIN_MS = 120_000

type Event = { id: string; type: string; subject: string; data: Body }

/** A reader that continues where the last page ended, and collects the events. */
function reader(token: string, filter = '') {
  const events: Event[] = []
  let next = ''
  /** Reads one page; true when there is more. */
  async function read(limit = 100): Promise<boolean> {
    const url = `/v1/events?limit=${limit}${filter}${next && `&after=${next}`}`
    const { status, body, text } = await t.call('GET', url, { token })
    assert.equal(status, 200, text)
    events.push(...body.data)
    next = body.next ?? ''
    return body.has_more
  }
  const readAll = async () => {
    while (await read());
  }
  return { events, read, readAll, subjects: () => events.map(({ subject }) => subject) }
}

/** A reader that has read everything until now. */
async function readerFromNow(token: string, filter: string) {
  const { events, ...rest } = reader(token, filter)
  await settled(t)
  await rest.readAll()
  events.length = 0
  return rest
}

const INSERT = 'insert into events (event_id, type, platform_id, subject, data) values ($1, $2, $3, $4, $5)'

const newUser = (platformId: string) => {
  const user_id = newId('usr')
  return { user_id, values: [newId('evt'), 'user.created', platformId, user_id, { user_id }] }
}

async function emitted(platformId: string): Promise<string> {
  const { user_id, values } = newUser(platformId)
  await t.sql(INSERT, values)
  return user_id
}

/** Inserts an event in a transaction that stays open until it is ended. */
async function emittedLater(platformId: string) {
  const { user_id, values } = newUser(platformId)
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  after(() => client.end())
  await client.query('begin')
  await client.query(INSERT, values)
  return { user_id, end: (how: 'commit' | 'rollback') => client.query(how) }
}

describe('a reader of the event log', () => {
  it('gets an event written early and committed late, because later ones wait for it', async () => {
    const { id, token } = await t.platform()
    const readers = await Promise.all([token, t.viewer].map((one) => readerFromNow(one, '&type=user.created')))
    const late = await emittedLater(id)
    const meanwhile = [await emitted(id), await emitted(id)]
    const stored = await t.sql('select 1 from events where subject = any ($1)', [meanwhile])
    assert.equal(stored.length, 2, 'they are committed')
    for (const { readAll, subjects } of readers) {
      for (let round = 0; round < 3; round++) await readAll()
      assert.deepEqual(subjects(), [], 'but not listed: an earlier transaction is running')
    }

    await late.end('commit')
    await settled(t)
    for (const { readAll, subjects } of readers) {
      await readAll()
      assert.deepEqual(subjects(), [late.user_id, ...meanwhile])
    }
  })

  it('gets nothing of a rolled-back transaction, and is not blocked by it', async () => {
    const { id, token } = await t.platform()
    const { readAll, subjects } = await readerFromNow(token, '&type=user.created')
    const undone = await emittedLater(id)
    const next = await emitted(id)
    await undone.end('rollback')
    await settled(t)
    await readAll()
    assert.deepEqual(subjects(), [next])
  })

  it('gets each event once and each subject’s events in order, while several servers write', async () => {
    const platform = await t.platform()
    const nodes = await t.openNodes(3)
    const users = await Promise.all(Array.from({ length: 4 }, () => t.onboardedUser(platform)))
    const wallets = await Promise.all(users.map((user) => t.wallet(platform, user)))
    const bookings = 24
    const booked: { userId: string; id: string; balance: number }[] = []
    const write = async (number: number) => {
      const user = users[number % users.length]
      const call = nodes[number % nodes.length]
      assert(user && call)
      const { status, text, body } = await call('POST', `/v1/users/${user.id}/wallet/credits`, {
        token: platform.token,
        headers: { 'idempotency-key': newId('key') },
        body: { amount: 100, reference: `credit-${number}` },
      })
      assert([200, 201].includes(status), text)
      booked.push({ userId: user.id, id: body.id, balance: body.balance_after })
    }
    const writing = Promise.all(Array.from({ length: bookings }, (_, number) => write(number)))
    const { events, read, readAll } = reader(platform.token, '&type=wallet.balance_changed')
    while (booked.length < bookings) await read(3)
    await writing
    await within(WITHIN_MS, async () => {
      await readAll()
      return events.length >= bookings
    })

    assert.equal(new Set(events.map(({ id }) => id)).size, bookings)
    for (const { id, userId } of wallets) {
      const reported = events.filter(({ subject }) => subject === id).map(({ data }) => data.transaction_id)
      const inOrder = booked.filter((one) => one.userId === userId).toSorted((a, b) => a.balance - b.balance)
      assert.deepEqual(
        reported,
        inOrder.map((one) => one.id),
      )
    }
  })

  it('pages through thousands of events of other types and misses none of its own', async () => {
    const { id, token } = await t.platform()
    const first = await emitted(id)
    await t.sql(
      `insert into events (event_id, type, platform_id, subject, data)
       select 'evt_' || lpad(i::text, 26, '0'), 'user.updated', $1, 'user-' || i, jsonb_build_object('user_id', 'user-' || i)
         from generate_series(1, 3500) i`,
      [id],
    )
    const last = await emitted(id)
    await settled(t)
    const { subjects, read } = reader(token, '&type=user.created')
    let pages = 1
    while (await read(1)) pages++
    assert.deepEqual(subjects(), [first, last])
    assert(pages >= 4 && pages <= 8, `${pages} pages, none of which looks at everything`)
  })
})
