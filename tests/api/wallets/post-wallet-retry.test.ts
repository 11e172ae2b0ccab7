import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WALLET_STATUSES, type WalletStatus } from '../../../src/domains/money/wallets/states.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'
import { REQUEST_OF_CHANGE } from '../../support/reasons.ts'
import { operatorDouble, provision, REFUSED, walletEvents, walletHistory } from '../../support/wallets.ts'

const t = await openTestApp()

type Who = { id: string }

const retry = (user: Who, token: string | undefined, { query = '', headers = {} } = {}) =>
  t.call('POST', `/v1/users/${user.id}/wallet/retry${query}`, { ...(token && { token }), headers })

/** A user whose wallet is FAILED: the operator has rejected it. */
async function scene() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const made = await t.made('POST', '/wallet/v1/wallet', { token: await t.walletToken(platform, user) })
  await provision(t, operatorDouble({ create: async () => REFUSED }).operator, user.id)
  return { platform, user, id: made.partner_wallet_id as string }
}

const rowOf = async (user: Who) => (await t.sql('select * from wallets where user_id = $1', [user.id]))[0]

const jobsOf = async (user: Who) =>
  (await t.startedJobs('provision-wallet')).filter(({ user_id }) => user_id === user.id).length

describe('POST /v1/users/{user_id}/wallet/retry', () => {
  it('200 a FAILED wallet is PENDING again under the same id, and its job is started', async () => {
    const { user, id } = await scene()
    const response = await retry(user, t.operator)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(response.body, {
      partner_wallet_id: id,
      user_id: user.id,
      balance: 0,
      created: false,
      wallet_status: 'PENDING',
      wallet_status_partner: 'UNKNOWN',
    })
    const read = await t.call('GET', `/v1/users/${user.id}/wallet`, { token: t.viewer })
    assert.deepEqual([read.body, read.headers['etag']], [response.body, response.headers['etag']])
    assert.equal((await walletHistory(t, user.id)).wallet, 'CREATED PENDING IN_PROGRESS FAILED PENDING')
    assert.equal((await walletEvents(t, id)).at(-1), 'FAILED>PENDING')
    assert.equal(await jobsOf(user), 2)
    const [transition] = await t.sql(
      `select actor, ${REQUEST_OF_CHANGE} from user_status_changes h where user_id = $1 order by change_id desc limit 1`,
      [user.id],
    )
    assert.deepEqual(transition, { actor: 'operator:test-operator', request_id: response.headers['x-request-id'] })
  })

  it('200 the list of all wallets says why it is FAILED, to administrators and until it is tried again', async () => {
    const { platform, user, id } = await scene()
    const reasonFor = async (token: string) => {
      const { data } = await t.made('GET', '/v1/wallets?limit=100', { token })
      return data.find((one: Body) => one.partner_wallet_id === id)?.failure_reason
    }
    assert.equal(await reasonFor(t.viewer), 'not this customer')
    assert.equal(await reasonFor(platform.token), null)
    await retry(user, t.operator)
    assert.equal(await reasonFor(t.viewer), null)
  })

  it('200 by an owner, with all its attempts available again, and it can complete', async () => {
    const { user } = await scene()
    await t.sql('update wallets set tries = 12, may_be_held = true where user_id = $1', [user.id])
    assert.equal((await retry(user, t.owner)).status, 200)
    assert.equal((await rowOf(user))?.['tries'], 0)
    const { operator, calls } = operatorDouble()
    await provision(t, operator, user.id)
    assert.equal((await rowOf(user))?.['wallet_status'], 'COMPLETED')
    assert.deepEqual(calls, ['find', 'create'], 'what may be held already is asked for first')
  })

  it('409 invalid_state in every other state, which the error names; nothing changes', async () => {
    for (const status of WALLET_STATUSES.filter((one) => one !== 'FAILED')) {
      const { user } = await scene()
      await storeStatus(user, status)
      const before = [await rowOf(user), await walletHistory(t, user.id), await jobsOf(user)]
      const { status: code, body } = await retry(user, t.owner)
      const { current_state, allowed_transitions } = body
      assert.deepEqual([code, body.code, current_state, allowed_transitions], [409, 'invalid_state', status, []])
      assert.match(body.detail, /Only a FAILED wallet/)
      assert.deepEqual([await rowOf(user), await walletHistory(t, user.id), await jobsOf(user)], before)
    }
  })

  it('200 once: one of ten concurrent calls retries, the others find it PENDING', async () => {
    const { user } = await scene()
    const responses = await Promise.all(Array.from({ length: 10 }, () => retry(user, t.operator)))
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [200, ...Array(9).fill(409)])
    assert.equal((await walletHistory(t, user.id)).wallet, 'CREATED PENDING IN_PROGRESS FAILED PENDING')
    assert.equal(await jobsOf(user), 2)
  })

  it('200 a retry with its Idempotency-Key gets the first response', async () => {
    const { user } = await scene()
    const headers = { 'idempotency-key': 'retry-1' }
    const first = await retry(user, t.operator, { headers })
    const again = await retry(user, t.operator, { headers })
    assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [200, first.text, 'true'])
    assert.equal(await jobsOf(user), 2)
  })

  it('401 without a token, 403 for everyone but operator and owner', async () => {
    const { platform, user } = await scene()
    const before = await rowOf(user)
    assert.equal((await retry(user, undefined)).status, 401)
    for (const token of [platform.token, user.token, (await t.provider()).token, t.viewer]) {
      assert.equal((await retry(user, token)).status, 403)
    }
    assert.deepEqual(await rowOf(user), before)
  })

  it('404 for a user without a wallet, which says so, and for a missing user; 422 for an unknown query parameter', async () => {
    const { platform, user } = await scene()
    const missing = await retry({ id: '099999999999' }, t.operator)
    const without = await retry(await t.user(platform), t.operator)
    assert.deepEqual([missing.status, without.status], [404, 404])
    assert.match(without.body.detail, /^The user has no wallet/)
    assert.deepEqual(errorsOf(await retry(user, t.operator, { query: '?force=true' })), ['query:force unknown'])
    assert.equal((await rowOf(user))?.['wallet_status'], 'FAILED')
  })
})

const storeStatus = (user: Who, status: WalletStatus) =>
  t.sql('update wallets set wallet_status = $2, wallet_status_partner = $3 where user_id = $1', [
    user.id,
    status,
    status === 'COMPLETED' ? 'ACTIVE' : 'UNKNOWN',
  ])
