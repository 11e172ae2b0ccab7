import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, describe, it } from 'node:test'
import { createMetrics, type Metrics } from '../../../src/kernel/metrics.ts'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { parseMetrics, valueOf } from '../../support/metrics-page.ts'
import { settled } from '../../support/settled.ts'
import { createCompany, createWorker, listenForCallbacks, untilStatus } from '../../wallets/company.ts'

const DEADLINE_MS = 120_000
/** The day within which every wallet is asked for lasts some seconds here. */
const DAY_HOURS = 0.0003
const LOADED = 50_000

const t = await openTestApp({ own: true })
const { platform } = await t.offer()
const company = await createCompany()
const node = await t.openNode({ operator: company.operator })
const operatorCallbackUrl = await listenForCallbacks(node)
const metrics = createMetrics()
after(await createWorker(t, { operator: company.operator, operatorCallbackUrl }, { statusHours: DAY_HOURS, metrics }))
afterEach(async () => {
  await company.behave({ mode: 'ok', lie: 'none' })
  // The next test has wallets of its own; a day is longer the more the operator is asked in vain.
  await t.sql(`update wallets set wallet_status = 'FAILED', wallet_status_partner = 'UNKNOWN'`)
})

type Status = 'ACTIVE' | 'BLOCKED'
type Wallet = { id: string; userId: string; token: string }

/** A wallet with ₹500, which the operator holds in this status and has said so in both ways. */
async function loadedWallet(status: Status = 'ACTIVE'): Promise<Wallet> {
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  await untilStatus(t, { id, token }, { is: 'COMPLETED', deadline_ms: DEADLINE_MS })
  const wallet = { id: id as string, userId: user.id, token }
  assert.equal((await book(wallet, 'credits', LOADED)).status, 201)
  if (status === 'BLOCKED') {
    await company.set(wallet.id, 'BLOCKED')
    await aDay()
    assert.equal(await statusOf(wallet), 'BLOCKED')
  }
  return wallet
}
const book = ({ userId }: Wallet, kind: 'credits' | 'debits', amount = 100) =>
  t.call('POST', `/v1/users/${userId}/wallet/${kind}`, {
    token: platform.token,
    body: { amount, reference: randomUUID() },
    headers: { 'idempotency-key': randomUUID() },
  })

const walletOf = ({ token }: Wallet) => t.made('GET', '/wallet/v1/wallet', { token })
const statusOf = async (wallet: Wallet): Promise<string> => (await walletOf(wallet))['wallet_status_partner']
const untilIs = (wallet: Wallet, status: Status) => within(DEADLINE_MS, async () => (await statusOf(wallet)) === status)

/** Waits until every wallet has been asked for at least once from now on. */
async function aDay(): Promise<void> {
  const beganAt = async () => (await t.sql<{ at: string }>('select began_at::text as at from wallet_sweeps'))[0]?.at
  for (const _sweep of ['the one that runs', 'the next one']) {
    const before = await beganAt()
    await within(DEADLINE_MS, async () => (await beganAt()) !== before)
  }
}

const counted = async (of: Pick<Metrics, 'page'>) =>
  valueOf(parseMetrics(await of.page()), 'operator_events_contradicting_total') ?? 0
const found = async () => (await counted(t.metrics)) + (await counted(metrics))

/** What the platform has heard of the operator's view of a wallet. */
async function heard({ id }: Wallet): Promise<string[]> {
  await settled(t)
  const { data } = await t.made('GET', `/v1/events?type=wallet.status_changed&limit=100`, { token: platform.token })
  const own = data.filter((event: { data: { wallet_id: string } }) => event.data.wallet_id === id)
  const views = own.map((event: { data: { partner_to: string } }) => event.data.partner_to)
  return views.filter((view: string, at: number) => view !== 'UNKNOWN' && view !== views[at - 1])
}

/** Asserts that nothing has come of a lie: the status, the money, what the platform has heard, and what may be spent. */
async function assertNothingCame(wallet: Wallet, status: Status, views: string[]) {
  assert.deepEqual([await statusOf(wallet), await heard(wallet)], [status, views])
  assert.equal((await book(wallet, 'debits')).status, status === 'BLOCKED' ? 409 : 201)
  assert.equal((await walletOf(wallet))['balance'], status === 'BLOCKED' ? LOADED : LOADED - 100)
}

/** Has the operator lie in all that it responds, for a day at least; returns how often that was counted. */
async function lieForADay(lie: string): Promise<number> {
  const before = await found()
  await company.behave({ mode: 'ok', lie })
  await aDay()
  return (await found()) - before
}

describe('an operator whose events lie', () => {
  it('opens no wallet that it has blocked: it is asked, and what it says then counts', async () => {
    const wallet = await loadedWallet('BLOCKED')
    const before = await found()
    assert.equal(await company.report(wallet.id, { status: 'ACTIVE', sequence: 3 }), 200)
    assert.equal(await found(), before + 1)
    await assertNothingCame(wallet, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
    await aDay()
    await assertNothingCame(wallet, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
  })

  it('opens one that it has opened, at once', async () => {
    const wallet = await loadedWallet('BLOCKED')
    const before = await found()
    await company.set(wallet.id, 'ACTIVE')
    assert.equal(await statusOf(wallet), 'ACTIVE')
    assert.equal(await found(), before)
  })

  it('closes a wallet for moments only: debits are refused until it was asked, and no money has gone', async () => {
    const wallet = await loadedWallet()
    assert.equal(await company.report(wallet.id, { status: 'BLOCKED', sequence: 2 }), 200)
    await untilIs(wallet, 'ACTIVE')
    await assertNothingCame(wallet, 'ACTIVE', ['ACTIVE', 'BLOCKED', 'ACTIVE'])
  })

  it('does not replay an old status under a new id', async () => {
    const wallet = await loadedWallet('BLOCKED')
    const before = await found()
    for (const sequence of [1, 2]) assert.equal(await company.report(wallet.id, { status: 'ACTIVE', sequence }), 200)
    assert.equal(await found(), before + 2)
    await aDay()
    await assertNothingCame(wallet, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
  })

  it('does not open a wallet while nobody can be asked; it opens when the operator says so', async () => {
    const wallet = await loadedWallet('BLOCKED')
    await company.behave({ mode: 'error' })
    await company.report(wallet.id, { status: 'ACTIVE', sequence: 3 })
    assert.equal(await statusOf(wallet), 'BLOCKED')
    await company.behave({ mode: 'ok', callbacks: false })
    await company.set(wallet.id, 'ACTIVE')
    await company.behave({ mode: 'ok', callbacks: true })
    await untilIs(wallet, 'ACTIVE')
  })
})

describe('an operator whose responses lie', () => {
  it('is found out within a day when it says the other status: what is blocked stays so', async () => {
    const wallet = await loadedWallet('BLOCKED')
    assert((await lieForADay('other_status')) >= 1)
    await assertNothingCame(wallet, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
  })

  it('is found out within a day when it repeats the first status: what is blocked stays so, also with an old event', async () => {
    const wallet = await loadedWallet('BLOCKED')
    assert((await lieForADay('first_status')) >= 1)
    await company.report(wallet.id, { status: 'ACTIVE', sequence: 1 })
    await company.report(wallet.id, { status: 'ACTIVE', sequence: 9 })
    await aDay()
    await assertNothingCame(wallet, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
  })

  it('is found out within a day when it swaps two people: neither wallet changes', async () => {
    const open = await loadedWallet()
    const blocked = await loadedWallet('BLOCKED')
    assert((await lieForADay('swapped')) >= 2)
    await assertNothingCame(open, 'ACTIVE', ['ACTIVE'])
    await assertNothingCame(blocked, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
  })

  it('is found out within a day when it hides the swap: nothing opens, and an administrator settles it', async () => {
    const open = await loadedWallet()
    const blocked = await loadedWallet('BLOCKED')
    assert((await lieForADay('swapped_unnoticed')) >= 1)
    await assertNothingCame(blocked, 'BLOCKED', ['ACTIVE', 'BLOCKED'])
    assert.equal((await book(open, 'debits')).status, 409, 'what it closes is closed, until it is clear')
    await company.behave({ mode: 'ok', lie: 'none' })
    await node.call('POST', `/v1/users/${open.userId}/wallet/refresh`, { token: t.operator })
    await assertNothingCame(open, 'ACTIVE', ['ACTIVE', 'BLOCKED', 'ACTIVE'])
  })

  it('names a balance in vain: money is what was booked', async () => {
    const wallet = await loadedWallet()
    await lieForADay('balance')
    await assertNothingCame(wallet, 'ACTIVE', ['ACTIVE'])
  })
})
