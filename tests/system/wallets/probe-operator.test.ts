import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { probeOperator } from '../../../src/domains/money/wallets/index.ts'
import { openTestApp } from '../../support/app.ts'
import { HELD, operatorDouble, provision, walletHistory } from '../../support/wallets.ts'

const t = await openTestApp({ own: true })

async function scene() {
  const platform = await t.platform()
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', { token })
  return { id: id as string, userId: user.id }
}

const silence = () => Promise.reject(new Error('no response came'))

/** An operator whose open time is over; a response closes its circuit. */
function createHalfOpenOperator() {
  const asked: string[] = []
  const retried: string[] = []
  let isHalfOpen = true
  let responses = false
  const ask = (reference: string) => {
    asked.push(reference)
    if (!responses) return silence()
    isHalfOpen = false
    return Promise.resolve(undefined)
  }
  const double = operatorDouble({ create: async (reference) => ask(reference).then(() => HELD), find: ask })
  const operator = { ...double.operator, isHalfOpen: () => isHalfOpen }
  const queue = { send: async () => {}, work: async () => {}, stop: async () => {} }
  const retryNow = async (job: string) => void retried.push(job)
  const context = { ...t.deps, operator, callbackUrl: 'http://banyan.test/events', queue: { ...queue, retryNow } }
  return {
    probe: () => probeOperator(context),
    asked,
    retried,
    calls: double.calls,
    response: () => (responses = true),
  }
}

describe('probing whether the operator is back', () => {
  it('uses another wallet each time, without using up attempts of those already tried', async () => {
    const wallets = [await scene(), await scene(), await scene()]
    const failing = operatorDouble({ create: silence }).operator
    for (const { userId } of wallets) await assert.rejects(provision(t, failing, userId))
    const { probe, asked, retried, calls } = createHalfOpenOperator()
    for (let round = 0; round < 2 * wallets.length; round++) await probe()
    const ids = wallets.map(({ id }) => id)
    assert.deepEqual(asked, [...ids, ...ids])
    assert.deepEqual(new Set(calls), new Set(['find']), 'nothing is created without having asked')
    assert.deepEqual(retried, [], 'it is not back')
    for (const { userId } of wallets) {
      const { wallet } = await walletHistory(t, userId)
      assert.equal(wallet, 'CREATED PENDING IN_PROGRESS RETRYING')
    }
    assert.deepEqual(await t.sql('select distinct tries from wallets'), [{ tries: 1 }])
    await t.sql(`update wallets set wallet_status = 'FAILED'`)
  })

  it('provisions a wallet that was never tried, so that its next attempt looks it up first', async () => {
    const { userId } = await scene()
    const { probe, calls } = createHalfOpenOperator()
    await probe()
    await probe()
    assert.deepEqual(calls, ['create', 'find'])
    assert.equal((await walletHistory(t, userId)).wallet, 'CREATED PENDING IN_PROGRESS RETRYING')
    await t.sql(`update wallets set wallet_status = 'FAILED'`)
  })

  it('runs all pending ones when it succeeds, once; no probe while its circuit is closed or nothing is pending', async () => {
    const { probe, asked, retried, response } = createHalfOpenOperator()
    await probe()
    assert.deepEqual(asked, [])
    await scene()
    response()
    await probe()
    await probe()
    assert.equal(asked.length, 1)
    assert.deepEqual(retried, ['provision-wallet'])
  })
})
