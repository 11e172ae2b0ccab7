import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestUser } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const list = (user: { id: string }, token: string | undefined, query = '') =>
  t.call('GET', `/v1/users/${user.id}/dependants${query}`, token === undefined ? {} : { token })

const read = (user: { id: string }, id: string, token: string | undefined, headers = {}) =>
  t.call('GET', `/v1/users/${user.id}/dependants/${id}`, { ...(token && { token }), headers })

async function scene(names = ['Ravi', 'Mira', 'Tara']) {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const ids: string[] = []
  for (const name of names) ids.push(...(await t.dependants({ ...user, token: platform.token }, [name])))
  return { platform, user, newestFirst: ids.toReversed() }
}

const idsOf = (response: { body: { data: { id: string }[] } }) => response.body.data.map(({ id }) => id)

const correct = (user: TestUser, id: string, token: string) =>
  t.made('PATCH', `/v1/users/${user.id}/dependants/${id}`, { token, body: { last_name: 'Corrected' } })

describe('GET /v1/users/{user_id}/dependants', () => {
  it('200 newest first, for the platform, the user and every administrator', async () => {
    const { platform, user, newestFirst } = await scene()
    for (const token of [platform.token, user.token, t.viewer, t.operator, t.owner]) {
      const response = await list(user, token)
      assert.equal(response.status, 200)
      assert.deepEqual(idsOf(response), newestFirst)
      const { limit, offset, total } = response.body
      assert.deepEqual({ limit, offset, total }, { limit: 20, offset: 0, total: 3 })
    }
  })

  it('200 in pages with links; the total is exact past the last page', async () => {
    const { platform, user, newestFirst } = await scene(['A', 'B', 'C', 'D', 'E'])
    const address = `/v1/users/${user.id}/dependants`
    const page = await list(user, platform.token, '?limit=2&offset=2')
    assert.deepEqual(idsOf(page), newestFirst.slice(2, 4))
    assert.deepEqual(String(page.headers['link']).split(', '), [
      `<${address}?limit=2&offset=0>; rel="first"`,
      `<${address}?limit=2&offset=0>; rel="prev"`,
      `<${address}?limit=2&offset=4>; rel="next"`,
      `<${address}?limit=2&offset=4>; rel="last"`,
    ])
    const beyond = await list(user, platform.token, '?offset=100000')
    assert.deepEqual(beyond.body, { data: [], limit: 20, offset: 100_000, total: 5 })
  })

  it('200 empty for a user without dependants', async () => {
    const platform = await t.platform()
    const response = await list(await t.user(platform), platform.token)
    assert.deepEqual(response.body, { data: [], limit: 20, offset: 0, total: 0 })
  })

  it('200 lists the successor of a replaced version instead of it', async () => {
    const { platform, user, newestFirst } = await scene()
    const [, middle = ''] = newestFirst
    const next = await correct(user, middle, platform.token)
    const response = await list(user, platform.token)
    assert.deepEqual(idsOf(response), [next.id, newestFirst[0], newestFirst[2]])
    assert.equal(response.body.total, 3)
  })

  it('401 without a token, 403 for benefit providers', async () => {
    const { user } = await scene([])
    assert.equal((await list(user, undefined)).status, 401)
    assert.equal((await list(user, (await t.provider()).token)).status, 403)
  })

  it('404 for another platform’s user as for a missing one, whatever the query', async () => {
    const { platform, user } = await scene(['Ravi'])
    for (const token of [(await t.platform()).token, (await t.user(platform)).token]) {
      for (const query of ['', '?limit=0']) {
        assertSameNotFound(await list(user, token, query), await list({ id: '099999999999' }, token, query))
      }
    }
  })

  it('422 for invalid paging and unknown parameters, all at once', async () => {
    const { platform, user } = await scene([])
    const response = await list(user, platform.token, '?limit=101&offset=-1&status=ACTIVE')
    assert.deepEqual(errorsOf(response), ['query:limit too_large', 'query:offset too_small', 'query:status unknown'])
  })
})

describe('GET /v1/users/{user_id}/dependants/{dependant_id}', () => {
  it('200 one dependant, 304 for its ETag', async () => {
    const { platform, user, newestFirst } = await scene(['Ravi'])
    const [id = ''] = newestFirst
    for (const token of [platform.token, user.token, t.viewer]) {
      const response = await read(user, id, token)
      assert.equal(response.status, 200)
      const { created_at: _, last_modified_at: __, ...rest } = response.body
      assert.deepEqual(rest, {
        id,
        date_of_birth: '2015-08-02',
        first_name: 'Ravi',
        last_name: 'Example',
        primary_user_id: user.id,
        previous_version_id: null,
      })
      const known = await read(user, id, token, { 'if-none-match': String(response.headers['etag']) })
      assert.deepEqual([known.status, known.text], [304, ''])
    }
  })

  it('200 a replaced version stays readable', async () => {
    const { platform, user, newestFirst } = await scene(['Ravi'])
    const [id = ''] = newestFirst
    const next = await correct(user, id, platform.token)
    assert.equal((await read(user, id, platform.token)).body.last_name, 'Example')
    const response = await read(user, next.id, platform.token)
    assert.deepEqual([response.body.last_name, response.body.previous_version_id], ['Corrected', id])
  })

  it('401 without a token, 403 for benefit providers', async () => {
    const { user, newestFirst } = await scene(['Ravi'])
    assert.equal((await read(user, String(newestFirst[0]), undefined)).status, 401)
    assert.equal((await read(user, String(newestFirst[0]), (await t.provider()).token)).status, 403)
  })

  it('404 for somebody else’s dependant as for a missing one', async () => {
    const { platform, user, newestFirst } = await scene(['Ravi'])
    const [neighbour, stranger] = [await t.user(platform), await t.platform()]
    const id = String(newestFirst[0])
    const foreign = [
      await read(neighbour, id, platform.token), // another user's path
      await read(user, id, stranger.token),
      await read(user, id, neighbour.token),
    ]
    const missing = await read(user, 'dep_nothing', platform.token)
    for (const response of foreign) assertSameNotFound(response, missing)
  })

  it('422 for malformed ids', async () => {
    const { platform, user } = await scene([])
    assert.deepEqual(errorsOf(await read({ id: '1' }, 'x'.repeat(101), platform.token)), [
      'path:dependant_id too_long',
      'path:user_id format',
    ])
    assert.deepEqual(errorsOf(await read(user, 'dep%0A', platform.token)), ['path:dependant_id format'])
  })
})
