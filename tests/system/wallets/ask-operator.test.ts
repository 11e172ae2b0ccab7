import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { parseMetrics, valueOf } from '../../support/metrics-page.ts'
import { walletHistory } from '../../support/wallets.ts'
import { createCompany, createWorker, listenForCallbacks, untilStatus } from '../../wallets/company.ts'

const DEADLINE_MS = 120_000
const FAR = 9_007_199_254_740_991
/** The sweep is through every few seconds. */
const HOURS = 0.001

const t = await openTestApp({ own: true })
const { platform } = await t.offer()
const company = await createCompany()
const node = await t.openNode({ operator: company.operator })
const operatorCallbackUrl = await listenForCallbacks(node)
after(await createWorker(t, { operator: company.operator, operatorCallbackUrl }, { statusHours: HOURS }))

async function newWallet() {
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  await untilStatus(t, { id, token }, { is: 'COMPLETED', deadline_ms: DEADLINE_MS })
  return { id: id as string, userId: user.id, token }
}
type Wallet = Awaited<ReturnType<typeof newWallet>>

const statusOf = async ({ token }: Wallet): Promise<string> =>
  (await t.made('GET', '/wallet/v1/wallet', { token })).wallet_status_partner
const untilIs = (wallet: Wallet, status: string) => within(DEADLINE_MS, async () => (await statusOf(wallet)) === status)

const book = ({ userId }: Wallet, kind: 'credits' | 'debits') =>
  t.call('POST', `/v1/users/${userId}/wallet/${kind}`, {
    token: platform.token,
    body: { amount: 100, reference: randomUUID() },
    headers: { 'idempotency-key': randomUUID() },
  })

const contradicting = async () => valueOf(parseMetrics(await t.metrics.page()), 'operator_events_contradicting_total')

const refresh = ({ userId }: { userId: string }, token: string | undefined = t.operator) =>
  node.call('POST', `/v1/users/${userId}/wallet/refresh`, { ...(token && { token }) })

/** What the operator does when nothing of it arrives here. */
async function setSilently(wallet: Wallet, status: 'ACTIVE' | 'BLOCKED') {
  await company.behave({ mode: 'ok', callbacks: false })
  await company.set(wallet.id, status)
  await company.behave({ mode: 'ok', callbacks: true })
}

describe('a status of the operator whose event was lost', () => {
  it('is found by the sweep: a wallet that it blocked takes no debits any more', async () => {
    const wallet = await newWallet()
    assert.equal((await book(wallet, 'credits')).status, 201)
    await setSilently(wallet, 'BLOCKED')
    await untilIs(wallet, 'BLOCKED')
    assert.equal((await book(wallet, 'debits')).status, 409)
    assert.equal((await walletHistory(t, wallet.userId)).partner, 'ACTIVE BLOCKED')
    await company.set(wallet.id, 'ACTIVE')
    await untilIs(wallet, 'ACTIVE')
    assert.equal((await book(wallet, 'debits')).status, 201)
  })
})

describe('an event of the operator that contradicts what is stored', () => {
  it('with a sequence far ahead is a 422 and changes nothing; true ones count afterwards', async () => {
    const wallet = await newWallet()
    const before = (await contradicting()) ?? 0
    assert.equal(await company.report(wallet.id, { status: 'BLOCKED', sequence: FAR }), 422)
    assert.equal(await contradicting(), before + 1)
    assert.equal(await statusOf(wallet), 'ACTIVE')
    await company.set(wallet.id, 'BLOCKED')
    assert.equal(await statusOf(wallet), 'BLOCKED')
  })

  it('has the operator asked at once: its word wins over a sequence that was too high, and true events count again', async () => {
    const wallet = await newWallet()
    await t.sql(
      `update wallets set operator_sequence = $2, operator_status = 'BLOCKED', wallet_status_partner = 'BLOCKED' where user_id = $1`,
      [wallet.userId, FAR - 5],
    )
    assert.equal(await company.report(wallet.id, { status: 'ACTIVE', sequence: 2 }), 200)
    await untilIs(wallet, 'ACTIVE')
    await company.set(wallet.id, 'BLOCKED')
    await untilIs(wallet, 'BLOCKED')
    const [row] = await t.sql('select operator_sequence::int from wallets where user_id = $1', [wallet.userId])
    assert.deepEqual(row, { operator_sequence: 2 })
  })

  it('with an id used before for another wallet is not applied to either, and finds out that the operator blocked that one', async () => {
    const [one, other] = [await newWallet(), await newWallet()]
    const event_id = randomUUID()
    assert.equal(await company.report(one.id, { event_id, sequence: 2 }), 200)
    await setSilently(other, 'BLOCKED')
    const before = (await contradicting()) ?? 0
    assert.equal(await company.report(other.id, { event_id, status: 'BLOCKED', sequence: 2 }), 200)
    assert.equal(await contradicting(), before + 1)
    await untilIs(other, 'BLOCKED')
    assert.equal(await statusOf(one), 'ACTIVE')
  })
})

describe('POST /v1/users/{user_id}/wallet/refresh', () => {
  it('200 the wallet as the operator has it now, with one entry of the audit by the administrator each', async () => {
    const wallet = await newWallet()
    const same = await refresh(wallet)
    assert.deepEqual([same.status, same.body.wallet_status_partner, same.body.created], [200, 'ACTIVE', false])
    await setSilently(wallet, 'BLOCKED')
    const { status, body, headers } = await refresh(wallet, t.owner)
    assert.deepEqual([status, body.partner_wallet_id, body.wallet_status_partner], [200, wallet.id, 'BLOCKED'])
    assert(headers['etag'])
    const entries = await t.sql(
      `select split_part(actor, ':', 1) as actor from audit_entries where user_id = $1 and operation = 'refreshWallet' order by audit_id`,
      [wallet.userId],
    )
    assert.deepEqual(entries, [{ actor: 'operator' }, { actor: 'owner' }])
  })

  it('503 with Retry-After while the operator gives no definite response; the wallet stays as it is', async () => {
    const wallet = await newWallet()
    await company.behave({ mode: 'error' })
    const { status, headers, body } = await refresh(wallet)
    await company.behave({ mode: 'ok' })
    assert.deepEqual([status, body.code, Number(headers['retry-after']) > 0], [503, 'unavailable', true])
    assert.equal(await statusOf(wallet), 'ACTIVE')
  })

  it('409 for a wallet that the operator does not know, or that is not COMPLETED', async () => {
    const holder = await t.user(platform)
    await company.behave({ mode: 'error' }) // so that the worker cannot open it there
    await t.wallet(platform, holder) // of another operator
    await company.behave({ mode: 'ok' })
    const unknown = await refresh({ userId: holder.id })
    assert.deepEqual([unknown.status, unknown.body.code], [409, 'invalid_state'])
    assert.match(unknown.body.detail, /does not know this wallet/)
    await t.sql(`update wallets set wallet_status = 'FAILED', wallet_status_partner = 'UNKNOWN' where user_id = $1`, [
      holder.id,
    ])
    const failed = await refresh({ userId: holder.id })
    assert.deepEqual(
      [failed.status, failed.body.current_state, failed.body.allowed_transitions],
      [409, 'FAILED', ['PENDING']],
    )
  })

  it('401 without a token, 403 for all but operator and owner, 404 for a user without a wallet', async () => {
    const wallet = await newWallet()
    assert.equal((await refresh(wallet, '')).status, 401)
    for (const token of [platform.token, t.viewer, wallet.token])
      assert([401, 403].includes((await refresh(wallet, token)).status))
    assert.equal((await refresh({ userId: (await t.user(platform)).id })).status, 404)
  })
})

describe('POST /v1/wallets/retry', () => {
  it('200 after the operator rejected everybody by mistake, one request completes the wallets of the platform', async () => {
    await company.behave({ mode: 'reject' })
    const own = await t.platform()
    const wallets = await Promise.all(
      [1, 2, 3].map(async () => {
        const token = await t.walletToken(own, await t.user(own))
        const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
        await untilStatus(t, { id, token }, { is: 'FAILED', deadline_ms: DEADLINE_MS })
        return { id, token }
      }),
    )
    await company.behave({ mode: 'ok', callbacks: true })
    const { data, has_more } = await t.made('POST', '/v1/wallets/retry', {
      token: t.owner,
      body: { platform_id: own.id },
    })
    assert.deepEqual([data.length, has_more], [3, false])
    for (const wallet of wallets) await untilStatus(t, wallet, { is: 'COMPLETED', deadline_ms: DEADLINE_MS })
  })
})
