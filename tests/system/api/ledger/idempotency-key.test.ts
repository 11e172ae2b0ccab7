import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import pg from 'pg'
import { canonicalJson } from '../../../../src/kernel/canonical.ts'
import { deleteOldIdempotencyKeys } from '../../../../src/record/idempotency.ts'
import { type TestResponse, openTestApp } from '../../../support/app.ts'
import { type Holder, openBookings } from '../../../support/bookings.ts'
import { within } from '../../../support/deadline.ts'
import { WAITING } from '../../../support/meeting.ts'
import { errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const { holder, credit, debit, credited, assertBooked } = openBookings(t)

const DAY_SECONDS = 86_400
const WAITING_WITHIN_MS = 25_000

afterEach(() => void (t.clock.at = undefined))

const keptRows = async () => (await t.sql('select 1 from idempotency_keys')).length

function assertReplayed(again: TestResponse, first: TestResponse): void {
  assert.deepEqual([again.status, again.text], [first.status, first.text])
  assert.equal(again.headers['idempotent-replayed'], 'true')
}

function assertInProgress(response: TestResponse): void {
  assert.deepEqual([response.status, response.body.code], [409, 'idempotency_in_progress'], response.text)
  assert.equal(response.headers['retry-after'], '1')
}

function assertReused(response: TestResponse): void {
  assert.deepEqual([response.status, response.body.code], [422, 'idempotency_key_reused'], response.text)
}

describe('Idempotency-Key', () => {
  it('422 when it is missing or malformed; nothing is booked', async () => {
    const own = await holder()
    const ask = (headers: Record<string, string>) =>
      t.call('POST', `/v1/users/${own.user.id}/wallet/credits`, {
        token: own.platform.token,
        body: { amount: 1, reference: 'a' },
        headers,
      })
    assert.deepEqual(errorsOf(await ask({})), ['header:idempotency-key required'])
    for (const key of ['', 'two words', 'naïve', 'k'.repeat(256), 'tab\there']) {
      assert.deepEqual(errorsOf(await ask({ 'idempotency-key': key })), ['header:idempotency-key format'], key)
    }
    await assertBooked(own, { balance: 0, transactions: 0 })
    for (const key of ['k', '"quoted"', 'k'.repeat(255)]) {
      const { status, text } = await credit(own, { amount: 1, reference: `ref-${key.length}` }, key)
      assert.equal(status, 201, text)
    }
  })

  it('201 repeats the first response, marked as replayed, although the state has changed; booked once', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = { amount: 500, reference: 'a', description: 'May' }
    const first = await credit(own, input, key)
    assert.deepEqual([first.status, first.headers['idempotent-replayed']], [201, undefined])
    await debit(own, { amount: 200, reference: 'b' })
    await t.sql(`update wallets set wallet_status_partner = 'BLOCKED' where user_id = $1`, [own.user.id])
    const { description, reference, amount } = input
    assertReplayed(await credit(own, { description, reference, amount }, key), first) // members in any order
    assertReplayed(await credit(own, { ...input, ignored: true }, key), first)
    await assertBooked(own, { balance: 300, transactions: 2 })
  })

  it('422 idempotency_key_reused with another body; nothing is booked; keys of different users are independent', async () => {
    const own = await holder()
    const sibling = { ...own, user: await t.user(own.platform) }
    const wallet = await t.wallet(own.platform, sibling.user)
    const key = randomUUID()
    const first = await credit(own, { amount: 500, reference: 'a' }, key)
    for (const input of [
      { amount: 501, reference: 'a' },
      { amount: 500, reference: 'A' },
      { amount: 500, reference: 'a', description: 'x' },
    ])
      assertReused(await credit(own, input, key))
    const { status, headers } = await credit(sibling, { amount: 500, reference: 'a' }, key)
    assert.deepEqual([status, headers['idempotent-replayed']], [201, undefined])
    await assertBooked(own, { balance: 500, transactions: 1 })
    await assertBooked({ ...sibling, wallet }, { balance: 500, transactions: 1 })
    assertReplayed(await credit(own, { amount: 500, reference: 'a' }, key), first)
  })

  it('201 for 20 concurrent identical requests, booked once: the others get the first response', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = { amount: 500, reference: 'a' }
    const responses = await Promise.all(Array.from({ length: 20 }, () => credit(own, input, key)))
    const [first, ...firsts] = responses.filter(
      ({ status, headers }) => status === 201 && headers['idempotent-replayed'] === undefined,
    )
    assert(first && firsts.length === 0)
    for (const response of responses.filter((one) => one !== first)) assertReplayed(response, first)
    await assertBooked(own, { balance: 500, transactions: 1 })
    assertReplayed(await credit(own, input, key), first)
  })

  it('201 for each caller and each operation with the same key', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = (reference: string) => ({ amount: 10, reference })
    const as = (token: string) => ({ ...own, platform: { ...own.platform, token } })
    const responses = [
      await credit(own, input('by platform'), key),
      await credit(as(t.owner), input('by owner'), key),
      await credit(as(t.operator), input('by operator'), key),
      await debit(own, input('out'), key),
    ]
    for (const { status, headers, text } of responses)
      assert.deepEqual([status, headers['idempotent-replayed']], [201, undefined], text)
    await assertBooked(own, { balance: 20, transactions: 4 })

    const { status } = await credit(as(t.viewer), input('by platform'), key)
    assert.equal(status, 403, 'a response is given to its caller alone')
    const stranger = await holder()
    assert.equal((await credit({ ...stranger, user: own.user }, input('by platform'), key)).status, 404)
  })

  it('does not store errors: a rejected request can be repeated with the same key', async () => {
    const own = await holder()
    const key = randomUUID()
    const before = await keptRows()
    const input = { amount: 700, reference: 'a' }
    assert.equal((await debit(own, input, key)).status, 409)
    assert.equal((await debit(own, { amount: 0 }, key)).status, 422)
    const nobody = { ...own, user: { ...own.user, id: '999999999999' } }
    assert.equal((await debit(nobody, input, key)).status, 404)
    assert.equal(await keptRows(), before)
    await credited(own, 1_000)
    const booked = await debit(own, input, key)
    assert.deepEqual([booked.status, booked.headers['idempotent-replayed']], [201, undefined])
    await assertBooked(own, { balance: 300, transactions: 2 })
  })

  it('201 replayed for 24 hours; then the key is free, also for another body', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = { amount: 500, reference: 'a' }
    /** Makes what is stored this many seconds old. */
    const age = (seconds: number) =>
      t.sql('update idempotency_keys set stored_at = $1', [new Date(Date.now() - seconds * 1_000)])
    const first = await credit(own, input, key)
    await age(DAY_SECONDS - 600)
    assertReplayed(await credit(own, input, key), first)
    assertReused(await credit(own, { ...input, amount: 1 }, key))
    await deleteOldIdempotencyKeys(t.db)
    assertReplayed(await credit(own, input, key), first)
    await age(DAY_SECONDS)
    const next = await credit(own, { amount: 1, reference: 'b' }, key)
    assert.deepEqual([next.status, next.headers['idempotent-replayed']], [201, undefined])
    await assertBooked(own, { balance: 501, transactions: 2 })
    await age(DAY_SECONDS)
    await deleteOldIdempotencyKeys(t.db)
    assert.equal(await keptRows(), 0, 'nothing is kept for longer')
  })
})

/** Locks the user's wallet in another transaction, so that bookings wait. The returned function releases it. */
async function holdWallet({ user }: Holder): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from wallets where user_id = $1 for update', [user.id])
  return () => client.end()
}

const areWaiting = (count: number) => within(WAITING_WITHIN_MS, async () => (await t.sql(WAITING)).length === count)

/** Makes a booking that loses its connection midway. */
async function losesConnection(own: Holder, input: object, key: string): Promise<void> {
  const letGo = await holdWallet(own)
  const dying = credit(own, input, key)
  await areWaiting(1)
  await t.sql(`select pg_terminate_backend(pid) from (${WAITING}) w`)
  assert.equal((await dying).status, 503)
  await letGo()
}

describe('a request that does not complete', () => {
  it('503 when the connection is lost leaves nothing behind: an immediate retry books', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = { amount: 500, reference: 'a' }
    await losesConnection(own, input, key)
    await assertBooked(own, { balance: 0, transactions: 0 })
    const again = await credit(own, input, key)
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, undefined])
    await assertBooked(own, { balance: 500, transactions: 1 })
  })

  it('201 for identical requests while the first is running, with its response; 422 for another body', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = { amount: 500, reference: 'a' }
    const letGo = await holdWallet(own)
    const first = credit(own, input, key)
    await areWaiting(1)
    const equal = credit(own, input, key)
    const other = credit(own, { ...input, amount: 1 }, key)
    await letGo()
    assert.equal((await first).status, 201)
    assertReplayed(await equal, await first)
    assertReused(await other)
    await assertBooked(own, { balance: 500, transactions: 1 })
  })

  it('409 idempotency_in_progress when the first is still running after the timeout; nothing is booked twice', async () => {
    const own = await holder()
    const key = randomUUID()
    const input = { amount: 500, reference: 'a' }
    const letGo = await holdWallet(own)
    const first = credit(own, input, key)
    await areWaiting(1)
    const equal = await credit(own, input, key)
    assertInProgress(equal)
    assert.equal((await first).status, 503, 'the wallet was locked for longer than a request waits')
    await letGo()
    await assertBooked(own, { balance: 0, transactions: 0 })
    assert.equal((await credit(own, input, key)).status, 201)
    await assertBooked(own, { balance: 500, transactions: 1 })
  })
})

describe('the stored response of an Idempotency-Key', () => {
  it('is sealed under the key itself, which is not stored', async () => {
    const own = await holder()
    const key = `order-${randomUUID()}`
    const input = { amount: 123_456_789, reference: `invoice-${randomUUID()}`, description: 'for a private matter' }
    const { body } = await credit(own, input, key)
    const rows = await t.sql<{ text: string; sealed: string }>(
      'select k::text as text, k.sealed from idempotency_keys k',
    )
    const texts = rows.flatMap((row) => [row.text, Buffer.from(row.sealed, 'base64url').toString('latin1')])
    const secrets = [key, input.reference, input.description, String(input.amount), body.id, 'balance_after']
    for (const secret of secrets)
      for (const text of texts) {
        assert(!text.includes(secret), secret)
        assert(!text.includes(Buffer.from(secret).toString('hex')), secret)
      }
    const said = `/v1/users/${own.user.id}/wallet/credits\0${canonicalJson(input)}`
    const path = `/v1/users/${own.user.id}/wallet/credits`
    const guesses = [key, `platform:${own.platform.id}\0POST\0${path}\0${key}`, canonicalJson(input), said]
    for (const guess of guesses.map((text) => createHash('sha256').update(text).digest('hex')))
      for (const text of texts) assert(!text.includes(guess), 'a hash without a key lets a guess be checked')
    assertReplayed(await credit(own, input, key), await credit(own, input, key))
  })

  it('cannot be opened with another key: a response copied to another row is an error, never returned', async () => {
    const own = await holder()
    const [one, other] = [randomUUID(), randomUUID()]
    await t.sql('delete from idempotency_keys')
    const first = await credit(own, { amount: 1, reference: 'one' }, one)
    const [kept] = await t.sql<{ key_hash: Buffer; sealed: string }>('select key_hash, sealed from idempotency_keys')
    await credit(own, { amount: 2, reference: 'two' }, other)
    await t.sql('update idempotency_keys set sealed = $2 where key_hash <> $1', [kept?.key_hash, kept?.sealed])
    const copied = await credit(own, { amount: 2, reference: 'two' }, other)
    assert.deepEqual([copied.status, copied.body.code], [500, 'unreadable'])
    assert(!copied.text.includes(first.body.id))
    assertReplayed(await credit(own, { amount: 1, reference: 'one' }, one), first)
    await assertBooked(own, { balance: 3, transactions: 2 })
  })
})
