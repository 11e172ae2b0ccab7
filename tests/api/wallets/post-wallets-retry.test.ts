import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestPlatform } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'
import { operatorDouble, provision, REFUSED, walletEvents, walletHistory } from '../../support/wallets.ts'

const t = await openTestApp()
const RETRIED = 'CREATED PENDING IN_PROGRESS FAILED PENDING'

const retry = (body: object, token: string | undefined = t.operator, headers: Record<string, string> = {}) =>
  t.call('POST', '/v1/wallets/retry', { ...(token && { token }), body, headers })

/** A user whose wallet the operator has rejected. */
async function failed(platform: TestPlatform) {
  const user = await t.user(platform)
  const { partner_wallet_id: id } = await t.made('POST', '/wallet/v1/wallet', {
    token: await t.walletToken(platform, user),
  })
  await provision(t, operatorDouble({ create: async () => REFUSED }).operator, user.id)
  return { userId: user.id, id: id as string }
}

const statusOf = async ({ userId }: { userId: string }) =>
  (await t.sql('select wallet_status from wallets where user_id = $1', [userId]))[0]?.['wallet_status']

const jobsOf = async (userId: string) =>
  (await t.startedJobs('provision-wallet')).filter(({ user_id }) => user_id === userId).length

describe('POST /v1/wallets/retry', () => {
  it('200 the named FAILED wallets are PENDING again, each with its history, event and job; what becomes of the others is said', async () => {
    const platform = await t.platform()
    const [one, two] = [await failed(platform), await failed(platform)]
    const [working, without] = [await t.user(platform), await t.user(platform)]
    const held = await t.wallet(platform, working)
    const users = [one.userId, working.id, ` ${two.userId} `, without.id, one.userId]
    const { status, body } = await retry({ user_ids: users })
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          data: [
            { user_id: one.userId, outcome: 'RETRIED' },
            { user_id: working.id, outcome: 'NOT_FAILED' },
            { user_id: two.userId, outcome: 'RETRIED' },
            { user_id: without.id, outcome: 'NO_WALLET' },
          ],
          has_more: false,
        },
      ],
    )
    for (const { userId, id } of [one, two]) {
      assert.equal((await walletHistory(t, userId)).wallet, RETRIED)
      assert.equal((await walletEvents(t, id)).at(-1), 'FAILED>PENDING')
      assert.equal(await jobsOf(userId), 2)
    }
    assert.equal(await statusOf(held), 'COMPLETED')
    const audited = await t.sql(
      `select split_part(actor, ':', 1) as actor, user_id from audit_entries where operation = 'retryWallets' and user_id = any ($1)`,
      [[one.userId, two.userId, working.id]],
    )
    assert.deepEqual(
      audited.toSorted((a, b) => String(a['user_id']).localeCompare(String(b['user_id']))),
      [one.userId, two.userId].toSorted().map((user_id) => ({ actor: 'operator', user_id })),
    )
  })

  it('200 the FAILED wallets of a platform and of no other, and says whether there are more', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const [one, two, foreign] = [await failed(platform), await failed(platform), await failed(other)]
    const { body } = await retry({ platform_id: platform.id })
    assert.deepEqual(
      body.data.map(({ user_id }: { user_id: string }) => user_id),
      [one.userId, two.userId],
    )
    assert.equal(body.has_more, false)
    assert.deepEqual(
      [await statusOf(one), await statusOf(two), await statusOf(foreign)],
      ['PENDING', 'PENDING', 'FAILED'],
    )
    assert.deepEqual((await retry({ platform_id: platform.id })).body, { data: [], has_more: false })
  })

  it('200 the first response to a request that is repeated with its key, also when the wallet has failed again', async () => {
    const wallet = await failed(await t.platform())
    const headers = { 'idempotency-key': `many-${wallet.id}` }
    const first = await retry({ user_ids: [wallet.userId] }, t.owner, headers)
    await provision(t, operatorDouble({ create: async () => REFUSED }).operator, wallet.userId)
    const again = await retry({ user_ids: [wallet.userId] }, t.owner, headers)
    assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [200, first.text, 'true'])
    assert.equal(await statusOf(wallet), 'FAILED')
    const reused = await retry({ user_ids: [wallet.userId, '012345678901'] }, t.owner, headers)
    assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'])
  })

  it('200 each once when ten ask at a time', async () => {
    const platform = await t.platform()
    const wallets = [await failed(platform), await failed(platform), await failed(platform)]
    const responses = await Promise.all(Array.from({ length: 10 }, () => retry({ platform_id: platform.id })))
    const outcomes = responses.flatMap(({ body }) => body.data).filter(({ outcome }) => outcome === 'RETRIED')
    assert.equal(outcomes.length, wallets.length)
    for (const { userId } of wallets) assert.equal((await walletHistory(t, userId)).wallet, RETRIED)
  })

  it('401 without a token, 403 for everyone but operator and owner', async () => {
    const platform = await t.platform()
    const wallet = await failed(platform)
    assert.equal((await retry({}, '')).status, 401)
    for (const token of [platform.token, (await t.provider()).token, t.viewer])
      assert.equal((await retry({ platform_id: platform.id }, token)).status, 403)
    assert.equal(await statusOf(wallet), 'FAILED')
  })

  it('422 for none, for more than a hundred, for no user id, and for users alongside a platform', async () => {
    const id = '012345678901'
    assert.deepEqual(errorsOf(await retry({ user_ids: [] })), ['/user_ids too_few'])
    assert.deepEqual(errorsOf(await retry({ user_ids: Array(101).fill(id) })), ['/user_ids too_many'])
    assert.deepEqual(errorsOf(await retry({ user_ids: ['12'] })), ['/user_ids/0 format'])
    assert.deepEqual(errorsOf(await retry({ user_ids: [id], platform_id: 'plt_1' })), ['/platform_id not_allowed'])
  })
})
