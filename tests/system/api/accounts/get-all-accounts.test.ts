import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../../support/app.ts'
import { errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true }) // administrators see the rows of every file

const list = (token: string, query = '') => t.call('GET', `/v1/accounts${query}`, { token })
const idsOf = ({ body, text }: Body): string[] => {
  assert(body.data, text)
  return body.data.map(({ id }: { id: string }) => id)
}

/** Users with one SAVINGS account each; the last one with an HSA account, too. Newest first. */
async function scene() {
  const platform = await t.platform()
  const users = [await t.onboardedUser(platform), await t.onboardedUser(platform)]
  const body = { account_type: 'HSA' }
  await t.made('POST', `/v1/users/${users[1]?.id}/accounts`, { token: platform.token, body })
  const ids: string[] = []
  for (const user of users.toReversed())
    for (const { id } of (await t.made('GET', `/v1/users/${user.id}/accounts`, { token: platform.token })).data)
      ids.push(id)
  for (const [index, id] of ids.entries())
    await t.sql(`update accounts set last_modified_at = now() - $2 * interval '1 hour' where account_id = $1`, [
      id,
      index,
    ])
  return { platform, ids }
}

describe('GET /v1/accounts', () => {
  it('200 the accounts of the platform’s users, last change first, page by page', async () => {
    const { platform, ids } = await scene()
    assert.deepEqual(idsOf(await list(platform.token)), ids)
    const first = await list(platform.token, '?limit=2')
    const second = await list(platform.token, `?limit=2&after=${first.body.next}`)
    assert.deepEqual([idsOf(first), idsOf(second), second.body.next], [ids.slice(0, 2), ids.slice(2), null])
    const oldest = await list(platform.token, '?limit=2&order=oldest')
    const newest = await list(platform.token, `?limit=2&order=oldest&after=${oldest.body.next}`)
    assert.deepEqual([...idsOf(oldest), ...idsOf(newest)], ids.toReversed())
    for (const token of [t.owner, t.viewer])
      assert.equal(idsOf(await list(token, '?order=oldest&account_type=SAVINGS'))[0], ids.at(-1))
    const [{ user_id, created_at, last_modified_at, ...entry }] = first.body.data
    assert.deepEqual(entry, { id: ids[0], platform_id: platform.id, account_type: 'HSA', status: 'PENDING' })
    assert([user_id, created_at, last_modified_at].every((text) => typeof text === 'string'))
  })

  it('200 filters by status, type and time of change', async () => {
    const { platform, ids } = await scene()
    await t.sql(`update accounts set status = 'INACTIVE' where account_id = $1`, [ids[2]])
    assert.deepEqual(idsOf(await list(platform.token, '?status=INACTIVE')), [ids[2]])
    assert.deepEqual(idsOf(await list(platform.token, '?account_type=HSA')), [ids[0]])
    assert.deepEqual(
      idsOf(await list(platform.token, '?account_type=HSA&account_type=SAVINGS&status=PENDING')),
      ids.slice(0, 2),
    )
    const hourAgo = new Date(Date.now() - 90 * 60_000).toISOString().slice(0, 19)
    assert.deepEqual(idsOf(await list(platform.token, `?changed_after=${hourAgo}`)), ids.slice(0, 2))
  })

  it('200 to administrators those of every platform, to a platform none of another', async () => {
    const [ours, theirs] = [await scene(), await scene()]
    for (const token of [t.viewer, t.operator, t.owner]) {
      const found = idsOf(await list(token, '?limit=100'))
      assert([ours.ids[0], theirs.ids[0]].every((id) => found.includes(id as string)))
    }
    assert.deepEqual(idsOf(await list(theirs.platform.token)), theirs.ids)
    const { next } = (await list(ours.platform.token, '?limit=1')).body
    assert.deepEqual(errorsOf(await list(theirs.platform.token, `?after=${next}`)), ['query:after unknown_reference'])
  })

  it('403 for a benefit provider', async () => {
    assert.equal((await list((await t.provider()).token)).status, 403)
  })
})
