import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp, type TestPlatform } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const list = (token: string | undefined, query = '') => t.call('GET', `/v1/users${query}`, { ...(token && { token }) })

const idsIn = ({ body }: TestResponse): string[] => body.data.map((user: { user_id: string }) => user.user_id)

/** Users of a platform, newest first. */
async function usersOf(platform: TestPlatform, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++) ids.unshift((await t.user(platform)).id)
  return ids
}

describe('GET /v1/users', () => {
  it('200 lists a platform’s own users, newest first, identical to those read by id', async () => {
    const [platform, stranger] = [await t.platform(), await t.platform()]
    const ids = await usersOf(platform, 3)
    await t.user(stranger)
    const response = await list(platform.token)
    const records = await Promise.all(ids.map((id) => t.made('GET', `/v1/users/${id}`, { token: platform.token })))
    assert.deepEqual(response.body, { data: records, limit: 20, offset: 0, total: 3 })
    assert.equal(response.headers['cache-control'], 'no-store')
  })

  it('200 shows every administrator the users of all platforms', async () => {
    const [one, other] = [await t.user(await t.platform()), await t.user(await t.platform())]
    const [row] = await t.sql<{ count: number }>('select count(*)::int as count from users where data_key is not null')
    for (const token of [t.viewer, t.operator, t.owner]) {
      const response = await list(token, '?limit=2')
      assert.deepEqual(idsIn(response), [other.id, one.id])
      assert.equal(response.body.total, row?.count)
    }
  })

  it('200 in pages with exact totals and links; empty past the last page', async () => {
    const platform = await t.platform()
    const ids = await usersOf(platform, 5)
    const page = await list(platform.token, '?limit=2&offset=2')
    assert.deepEqual(idsIn(page), ids.slice(2, 4))
    const at = (offset: number, rel: string) => `</v1/users?limit=2&offset=${offset}>; rel="${rel}"`
    const links = [at(0, 'first'), at(0, 'prev'), at(4, 'next'), at(4, 'last')]
    assert.equal(page.headers['link'], links.join(', '))
    const encoded = await list(platform.token, '?%6cimit=2&offset=2')
    assert.equal(encoded.headers['link'], links.join(', '), 'a parameter is named once, however it was written')
    const farBeyond = await list(platform.token, '?limit=2&offset=100')
    assert.equal(farBeyond.headers['link'], [at(0, 'first'), at(4, 'prev'), at(4, 'last')].join(', '))
    const beyond = await list(platform.token, '?offset=5')
    assert.deepEqual([beyond.body.data, beyond.body.total], [[], 5])
    assert.equal((await list((await t.platform()).token)).body.total, 0)
  })

  it('200 ties are ordered by id', async () => {
    const platform = await t.platform()
    const ids = await usersOf(platform, 4)
    await t.sql('update users set created_at = $2 where platform_id = $1', [platform.id, '2026-04-01T09:30:00Z'])
    assert.deepEqual(idsIn(await list(platform.token)), ids.toSorted().toReversed())
  })

  it('401 without a token, 403 for app users and benefit providers, 422 for invalid paging', async () => {
    const user = await t.user(await t.platform())
    assert.equal((await list(undefined)).status, 401)
    for (const token of [user.token, (await t.provider()).token]) assert.equal((await list(token)).status, 403)
    assert.deepEqual(errorsOf(await list(t.viewer, '?limit=0&offset=-1&phone_number=1')), [
      'query:limit too_small',
      'query:offset too_small',
      'query:phone_number unknown',
    ])
  })
})
