import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })
const WALLETS_MAX = 100

describe('POST /v1/wallets/retry', () => {
  it('200 retries 100 at once, the longest FAILED first, and says that there are more; without a platform those of all', async () => {
    const platforms = [await t.platform(), await t.platform()]
    const users = await Promise.all(
      Array.from({ length: WALLETS_MAX + 1 }, async (_, index) => t.user(platforms[index % 2] ?? assert.fail())),
    )
    await t.sql(
      `insert into wallets (user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner, queued_at, last_modified_at)
       select user_id, platform_id, 'wal_' || user_id, 'FAILED', 'UNKNOWN', now(),
              now() - case when user_id = $1 then interval '1 minute' else interval '1 hour' end
         from users`,
      [users[7]?.id],
    )
    const retry = async () =>
      (await t.made('POST', '/v1/wallets/retry', { token: t.operator, body: {} })) as {
        data: { user_id: string; outcome: string }[]
        has_more: boolean
      }
    const first = await retry()
    assert.deepEqual([first.data.length, first.has_more], [WALLETS_MAX, true])
    assert(first.data.every(({ user_id, outcome }) => outcome === 'RETRIED' && user_id !== users[7]?.id))
    assert.deepEqual(await retry(), { data: [{ user_id: users[7]?.id, outcome: 'RETRIED' }], has_more: false })
    assert.deepEqual(await retry(), { data: [], has_more: false })
    assert.equal((await t.startedJobs('provision-wallet')).length, users.length)
  })
})
