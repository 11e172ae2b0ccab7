import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { operatorDouble, provision, REFUSED, walletEvents, walletHistory } from '../../support/wallets.ts'

const t = await openTestApp()
const create = (token: string) => t.call('POST', '/wallet/v1/wallet', { token })

async function scene() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  return { platform, user, token: await t.walletToken(platform, user) }
}

/** All rows that creating a wallet writes. */
async function traces(userId: string) {
  const rows = await t.sql('select * from wallets where user_id = $1', [userId])
  const ids = await t.sql<{ partner_wallet_id: string }>('select * from wallet_ids where user_id = $1', [userId])
  const events = await walletEvents(t, ids[0]?.partner_wallet_id ?? '')
  const jobs = (await t.startedJobs('provision-wallet')).filter(({ user_id }) => user_id === userId)
  return { wallets: rows.length, ids: ids.length, events, jobs: jobs.length, ...(await walletHistory(t, userId)) }
}

const MADE_ONCE = {
  wallets: 1,
  ids: 1,
  events: ['null>CREATED', 'CREATED>PENDING'],
  jobs: 1,
  wallet: 'CREATED PENDING',
  partner: '',
}

describe('POST /wallet/v1/wallet', () => {
  it('201 creates the wallet, with one event that starts one job, of ids and states and nothing else', async () => {
    const { user, token } = await scene()
    const made = await create(token)

    assert.equal(made.status, 201, made.text)
    const { partner_wallet_id, ...rest } = made.body
    assert.match(partner_wallet_id, /^wal_[0-9a-z]+$/)
    assert.deepEqual(rest, {
      user_id: user.id,
      balance: 0,
      created: true,
      wallet_status: 'PENDING',
      wallet_status_partner: 'UNKNOWN',
    })
    assert.equal(made.headers['cache-control'], 'no-store')
    assert.deepEqual(await traces(user.id), MADE_ONCE)
    const [job] = (await t.startedJobs('provision-wallet')).filter(({ user_id }) => user_id === user.id)
    assert.deepEqual(job, {
      user_id: user.id,
      wallet_id: partner_wallet_id,
      from: 'CREATED',
      to: 'PENDING',
      partner_from: 'UNKNOWN',
      partner_to: 'UNKNOWN',
    })
  })

  it('200 the same wallet with `created` false when it exists, and nothing happens a second time', async () => {
    const { user, token } = await scene()
    const first = await create(token)
    const again = await create(token)

    assert.equal(again.status, 200)
    assert.deepEqual(again.body, { ...first.body, created: false })
    assert.deepEqual(await traces(user.id), MADE_ONCE)
  })

  it('200 returns balance and status of an active wallet', async () => {
    const { platform, user } = await scene()
    const { id, token } = await t.wallet(platform, user)
    await t.made('POST', `/v1/users/${user.id}/wallet/credits`, {
      token: platform.token,
      headers: { 'idempotency-key': `first-credit-of-${user.id}` },
      body: { amount: 12_345, reference: 'march' },
    })
    const again = await create(token)

    assert.equal(again.status, 200)
    assert.deepEqual(again.body, {
      partner_wallet_id: id,
      user_id: user.id,
      balance: 12_345,
      created: false,
      wallet_status: 'COMPLETED',
      wallet_status_partner: 'ACTIVE',
    })
    assert.equal((await traces(user.id)).jobs, 1)
  })

  it('201 once: 20 concurrent identical calls create one wallet, one job and one event', async () => {
    const { user, token } = await scene()
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(token)))

    assert.deepEqual(
      responses.map((response) => response.status).toSorted((a, b) => a - b),
      [...Array(19).fill(200), 201],
    )
    assert.equal(responses.filter((response) => response.body.created).length, 1)
    assert.equal(new Set(responses.map((response) => response.body.partner_wallet_id)).size, 1)
    assert.deepEqual(await traces(user.id), MADE_ONCE)
  })

  it('201 for each user a wallet of its own, however many call concurrently', async () => {
    const platform = await t.platform()
    const users = await Promise.all(Array.from({ length: 8 }, () => t.user(platform)))
    const responses = await Promise.all(users.map(async (user) => create(await t.walletToken(platform, user))))

    assert.deepEqual(
      responses.map(({ status, body }) => [status, body.user_id]),
      users.map((user) => [201, user.id]),
    )
    assert.equal(new Set(responses.map((response) => response.body.partner_wallet_id)).size, users.length)
  })

  it('200 a wallet whose provisioning failed is queued again, once, under the same id', async () => {
    const { user, token } = await scene()
    const id = (await create(token)).body.partner_wallet_id
    await provision(t, operatorDouble({ create: async () => REFUSED }).operator, user.id)
    t.clock.at = new Date(Date.now() + 60_000)
    try {
      const responses = await Promise.all(Array.from({ length: 10 }, () => create(token)))
      for (const { status, body } of responses) {
        assert.deepEqual(
          [status, body.partner_wallet_id, body.created, body.wallet_status],
          [200, id, false, 'PENDING'],
        )
        assert.equal(body.wallet_status_partner, 'UNKNOWN')
      }
      const { wallet, jobs, events } = await traces(user.id)
      assert.equal(wallet, 'CREATED PENDING IN_PROGRESS FAILED PENDING')
      assert.equal(events.at(-1), 'FAILED>PENDING')
      assert.equal(jobs, 2)
      const [row] = await t.sql<{ tries: number; queued_at: Date }>(
        'select tries, queued_at from wallets where user_id = $1',
        [user.id],
      )
      assert.deepEqual([row?.tries, row?.queued_at], [0, t.clock.at])
    } finally {
      t.clock.at = undefined
    }
  })

  it('401 without a token, and with one that is not for the wallet', async () => {
    const { platform, user } = await scene()
    const without = await t.call('POST', '/wallet/v1/wallet')
    assert.equal(without.status, 401)
    assert.equal(without.body.code, 'unauthenticated')
    assert.match(without.headers['www-authenticate'] ?? '', /^Bearer/)
    for (const token of [user.token, platform.token, t.owner, 'nonsense']) {
      const refused = await create(token)
      assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
    }
    assert.equal((await traces(user.id)).wallets, 0)
  })

  it('401 token_expired after 15 minutes', async () => {
    const { user, token } = await scene()
    t.clock.at = new Date(Date.now() + 16 * 60_000)
    try {
      const refused = await create(token)
      assert.deepEqual([refused.status, refused.body.code], [401, 'token_expired'])
    } finally {
      t.clock.at = undefined
    }
    assert.equal((await traces(user.id)).wallets, 0)
  })

  it('401 for a wallet token on the main interface', async () => {
    const { user, token } = await scene()
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token })).status, 401)
  })

  it('400 for a body that is not JSON, though none is required', async () => {
    const { user, token } = await scene()
    const refused = await t.call('POST', '/wallet/v1/wallet', { token, body: '{"a":' })
    assert.deepEqual([refused.status, refused.body.code], [400, 'malformed_json'])
    assert.equal((await traces(user.id)).wallets, 0)
  })

  it('422 names an unknown query parameter', async () => {
    const { user, token } = await scene()
    const refused = await t.call('POST', '/wallet/v1/wallet?currency=INR', { token })
    assert.deepEqual(errorsOf(refused), ['query:currency unknown'])
    assert.equal((await traces(user.id)).wallets, 0)
  })
})

describe('GET /wallet/v1/wallet', () => {
  const read = (token: string, headers: Record<string, string> = {}) =>
    t.call('GET', '/wallet/v1/wallet', { token, headers })

  it('200 the wallet as create returned it, with `created` false', async () => {
    const { token } = await scene()
    const made = await create(token)
    const found = await read(token)
    assert.equal(found.status, 200)
    assert.deepEqual(found.body, { ...made.body, created: false })
    assert.equal(found.headers['cache-control'], 'no-store')
  })

  it('304 while nothing has changed, and 200 with another ETag once something has', async () => {
    const { platform, user, token } = await scene()
    await t.wallet(platform, user)
    const { headers } = await read(token)
    const etag = headers['etag'] ?? ''
    assert.match(etag, /^"[\w-]+"$/)
    const same = await read(token, { 'if-none-match': etag })
    assert.deepEqual([same.status, same.text], [304, ''])

    await t.made('POST', `/v1/users/${user.id}/wallet/credits`, {
      token: platform.token,
      headers: { 'idempotency-key': `credit-of-${user.id}` },
      body: { amount: 1, reference: 'r1' },
    })
    const changed = await read(token, { 'if-none-match': etag })
    assert.deepEqual([changed.status, changed.body.balance], [200, 1])
    assert.notEqual(changed.headers['etag'], etag)
  })

  it('404 before it is created, and reading creates none', async () => {
    const { user, token } = await scene()
    const missing = await read(token)
    assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'])
    assert.equal((await traces(user.id)).wallets, 0)
  })

  it('401 without a token', async () => {
    assert.equal((await t.call('GET', '/wallet/v1/wallet')).status, 401)
  })
})

describe('GET /wallet/v1/wallet/{wallet_id}/status', () => {
  const status = (token: string, id: string) =>
    t.call('GET', `/wallet/v1/wallet/${encodeURIComponent(id)}/status`, { token })

  it('200 follows the wallet from PENDING to COMPLETED', async () => {
    const { platform, user, token } = await scene()
    const { body } = await create(token)
    const pending = await status(token, body.partner_wallet_id)
    assert.equal(pending.status, 200)
    assert.deepEqual(pending.body, { wallet_id: body.partner_wallet_id, wallet_status: 'PENDING' })

    const other = await t.user(platform)
    const held = await t.wallet(platform, other)
    const completed = await status(held.token, held.id)
    assert.deepEqual(completed.body, { wallet_id: held.id, wallet_status: 'COMPLETED' })
    assert.equal(user.id === other.id, false)
  })

  it('404 for another user’s wallet as for a missing one, whether or not the caller has one', async () => {
    const { platform, user, token } = await scene()
    const foreign = await t.wallet(platform, await t.user(platform))
    const elsewhere = await scene()
    await create(elsewhere.token)
    const missing = await status(token, 'wal_missing')
    for (const caller of [token, elsewhere.token]) {
      assertSameNotFound(await status(caller, foreign.id), missing)
      assertSameNotFound(await status(caller, user.id), missing)
    }
    await create(token)
    assertSameNotFound(await status(token, foreign.id), await status(token, 'wal_missing'))
  })

  it('401 comes before the check of the id', async () => {
    const refused = await t.call('GET', `/wallet/v1/wallet/${'x'.repeat(101)}/status`)
    assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
  })

  it('422 for an overlong id', async () => {
    const { token } = await scene()
    const refused = await status(token, 'x'.repeat(101))
    assert.deepEqual(errorsOf(refused), ['path:wallet_id too_long'])
  })
})
