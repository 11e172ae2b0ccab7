import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../../support/app.ts'
import { errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true }) // administrators see the rows of every file

const list = (token: string, query = '') => t.call('GET', `/v1/wallets${query}`, { token })
const idsOf = ({ body, text }: Body): string[] => {
  assert(body.data, text)
  return body.data.map((wallet: { partner_wallet_id: string }) => wallet.partner_wallet_id)
}

/** Three wallets, newest first: one ACTIVE, one BLOCKED, one that is not provisioned yet. */
async function scene() {
  const platform = await t.platform()
  const users = [await t.user(platform), await t.user(platform), await t.user(platform)] as const
  const active = await t.wallet(platform, users[0])
  const blocked = await t.wallet(platform, users[1], 'BLOCKED')
  const token = await t.walletToken(platform, users[2])
  const { partner_wallet_id } = await t.made('POST', '/wallet/v1/wallet', { token })
  return { platform, users, ids: [partner_wallet_id, blocked.id, active.id] as string[] }
}

describe('GET /v1/wallets', () => {
  it('200 the wallets of the platform’s users, last change first, without balances', async () => {
    const { platform, users, ids } = await scene()
    assert.deepEqual(idsOf(await list(platform.token)), ids)
    const { next } = (await list(platform.token, '?limit=2')).body
    assert.deepEqual(idsOf(await list(platform.token, `?limit=2&after=${next}`)), ids.slice(2))
    const oldest = (await list(platform.token, '?limit=2&order=oldest')).body
    const newest = await list(platform.token, `?limit=2&order=oldest&after=${oldest.next}`)
    assert.deepEqual([...idsOf({ body: oldest, text: '' }), ...idsOf(newest)], ids.toReversed())
    const blocked = `?order=oldest&wallet_status_partner=BLOCKED`
    assert.deepEqual(
      [idsOf(await list(platform.token, blocked)), idsOf(await list(t.owner, blocked))],
      [[ids[1]], [ids[1]]],
    )
    const [{ created_at, last_modified_at, ...entry }] = (await list(platform.token)).body.data
    assert.deepEqual(entry, {
      partner_wallet_id: ids[0],
      user_id: users[2].id,
      platform_id: platform.id,
      wallet_status: 'PENDING',
      wallet_status_partner: 'UNKNOWN',
      failure_reason: null,
    })
    assert([created_at, last_modified_at].every((text) => typeof text === 'string'))
  })

  it('200 filters by either status, and a booking is a change', async () => {
    const { platform, users, ids } = await scene()
    assert.deepEqual(idsOf(await list(platform.token, '?wallet_status=PENDING&wallet_status=FAILED')), [ids[0]])
    assert.deepEqual(idsOf(await list(platform.token, '?wallet_status_partner=BLOCKED')), [ids[1]])
    assert.deepEqual(idsOf(await list(platform.token, '?wallet_status=FAILED&wallet_status_partner=BLOCKED')), [])
    assert.deepEqual(idsOf(await list(platform.token, '?wallet_status_partner=UNKNOWN')), [ids[0]])
    assert.deepEqual(idsOf(await list(platform.token, '?wallet_status=COMPLETED&wallet_status_partner=UNKNOWN')), [])
    assert.deepEqual(
      idsOf(await list(platform.token, '?wallet_status_partner=BLOCKED&wallet_status_partner=UNKNOWN')),
      ids.slice(0, 2),
    )
    assert.deepEqual(idsOf(await list(platform.token, '?wallet_status=COMPLETED&wallet_status_partner=ACTIVE')), [
      ids[2],
    ])
    const body = { amount: 100, reference: 'salary' }
    const headers = { 'idempotency-key': 'salary' }
    await t.made('POST', `/v1/users/${users[0].id}/wallet/credits`, { token: platform.token, body, headers })
    assert.deepEqual(idsOf(await list(platform.token)), [ids[2], ids[0], ids[1]])
  })

  it('200 to administrators, and never those of another platform', async () => {
    const [ours, theirs] = [await scene(), await scene()]
    for (const token of [t.viewer, t.operator, t.owner])
      assert(idsOf(await list(token, '?limit=100&wallet_status=PENDING')).includes(ours.ids[0] as string))
    assert.deepEqual(idsOf(await list(theirs.platform.token)), theirs.ids)
    const { next } = (await list(ours.platform.token, '?limit=1')).body
    assert.deepEqual(errorsOf(await list(theirs.platform.token, `?after=${next}`)), ['query:after unknown_reference'])
  })

  it('403 for a benefit provider', async () => {
    assert.equal((await list((await t.provider()).token)).status, 403)
  })
})
