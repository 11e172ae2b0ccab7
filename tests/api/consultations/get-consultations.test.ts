import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const list = (user: { id: string }, token: string | undefined, query = '') =>
  t.call('GET', `/v1/users/${user.id}/consultations${query}`, token === undefined ? {} : { token })

const read = (user: { id: string }, id: string | undefined, token: string | undefined, headers = {}) =>
  t.call('GET', `/v1/users/${user.id}/consultations/${id}`, { ...(token && { token }), headers })

const idsOf = (response: TestResponse): string[] => response.body.data.map(({ id }: { id: string }) => id)

/** A user with three consultations of one benefit provider, the second of them closed. */
async function scene() {
  const { platform, provider } = await t.offer()
  const user = await t.user(platform)
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push(await t.consultation(platform, user, provider))
  const closing = { token: platform.token, body: { status: 'CLOSED' } }
  await t.made('PUT', `/v1/users/${user.id}/consultations/${ids[1]}/status`, closing)
  return { platform, provider, user, newestFirst: ids.toReversed() }
}

describe('GET /v1/users/{user_id}/consultations', () => {
  it('200 newest first, for platform, user, benefit provider and owner', async () => {
    const { platform, provider, user, newestFirst } = await scene()
    for (const token of [platform.token, user.token, provider.token, t.owner]) {
      const response = await list(user, token)
      assert.equal(response.status, 200)
      assert.deepEqual(idsOf(response), newestFirst)
      const { limit, offset, total } = response.body
      assert.deepEqual({ limit, offset, total }, { limit: 20, offset: 0, total: 3 })
      assert.deepEqual(response.body.data[1], (await read(user, newestFirst[1], token)).body)
    }
  })

  it('200 status filters and may repeat; pages have links and an exact total', async () => {
    const { platform, user, newestFirst } = await scene()
    const [third, second, first] = newestFirst
    for (const [query, expected] of [
      ['status=CLOSED', [second]],
      ['status=OPEN', [third, first]],
      ['status=OPEN&status=CLOSED', newestFirst],
    ] as const) {
      const response = await list(user, platform.token, `?${query}`)
      assert.deepEqual([idsOf(response), response.body.total], [expected, expected.length])
    }
    const page = await list(user, platform.token, '?status=OPEN&limit=1')
    const url = `/v1/users/${user.id}/consultations`
    assert.deepEqual([idsOf(page), page.body.total], [[third], 2])
    assert.deepEqual(String(page.headers['link']).split(', '), [
      `<${url}?status=OPEN&limit=1&offset=0>; rel="first"`,
      `<${url}?status=OPEN&limit=1&offset=1>; rel="next"`,
      `<${url}?status=OPEN&limit=1&offset=1>; rel="last"`,
    ])
    const beyond = await list(user, platform.token, '?offset=9')
    assert.deepEqual(beyond.body, { data: [], limit: 20, offset: 9, total: 3 })
  })

  it('200 a benefit provider sees and counts only its own; the owner sees all', async () => {
    const { platform, provider, user, newestFirst } = await scene()
    const second = await t.provider()
    const theirs = await t.consultation(platform, user, second)
    assert.deepEqual(idsOf(await list(user, t.owner)), [theirs, ...newestFirst])
    const [first, other] = [await list(user, provider.token), await list(user, second.token)]
    assert.deepEqual([idsOf(first), first.body.total], [newestFirst, 3])
    assert.deepEqual([idsOf(other), other.body.total, other.body.data[0].provider], [[theirs], 1, second.code])
  })

  it('401 without a token, 403 for administrators below owner', async () => {
    const { user } = await scene()
    assert.equal((await list(user, undefined)).status, 401)
    for (const token of [t.viewer, t.operator]) assert.equal((await list(user, token)).status, 403)
  })

  it('404 for another platform’s user as for a missing one, whatever the query', async () => {
    const { platform, user } = await scene()
    for (const { token } of [await t.platform(), await t.user(platform), await t.provider()]) {
      for (const query of ['', '?limit=0']) {
        assertSameNotFound(await list(user, token, query), await list({ id: '099999999999' }, token, query))
      }
    }
  })

  it('422 reports every error at once, and lists the allowed values of a status', async () => {
    const { platform, user } = await scene()
    const response = await list(user, platform.token, '?status=DONE&limit=0&page=1')
    assert.deepEqual(errorsOf(response), ['query:limit too_small', 'query:page unknown', 'query:status not_allowed'])
    assert.match(response.text, /OPEN, CLOSED/)
  })
})

describe('GET /v1/users/{user_id}/consultations/{consultation_id}', () => {
  it('200 for platform, user, benefit provider and owner, 304 for its ETag until it is closed', async () => {
    const { platform, provider, user, newestFirst } = await scene()
    const [id] = newestFirst
    const etags = new Set<string | undefined>()
    for (const token of [platform.token, user.token, provider.token, t.owner]) {
      const response = await read(user, id, token)
      assert.deepEqual([response.status, response.body.id, response.body.provider], [200, id, provider.code])
      etags.add(response.headers['etag'])
    }
    const [etag, ...others] = etags
    assert.deepEqual(others, [])
    const known = await read(user, id, user.token, { 'if-none-match': String(etag) })
    assert.deepEqual([known.status, known.text], [304, ''])
    const closing = { token: user.token, body: { status: 'CLOSED' } }
    await t.made('PUT', `/v1/users/${user.id}/consultations/${id}/status`, closing)
    assert.equal((await read(user, id, user.token, { 'if-none-match': String(etag) })).status, 200)
  })

  it('401 without a token, 403 for administrators below owner', async () => {
    const { user, newestFirst } = await scene()
    assert.equal((await read(user, newestFirst[0], undefined)).status, 401)
    for (const token of [t.viewer, t.operator]) {
      assert.equal((await read(user, newestFirst[0], token)).status, 403)
    }
  })

  it('404 for somebody else’s consultation as for a missing one', async () => {
    const { platform, user, newestFirst } = await scene()
    const [stranger, neighbour, second] = [await t.platform(), await t.user(platform), await t.provider()]
    await t.consultation(platform, user, second)
    const missing = await read(user, 'con_nothing', platform.token)
    for (const { token } of [stranger, neighbour, second]) {
      assertSameNotFound(await read(user, newestFirst[0], token), missing)
    }
    for (const token of [platform.token, t.owner]) {
      assertSameNotFound(await read(neighbour, newestFirst[0], token), missing)
    }
  })

  it('422 for malformed ids', async () => {
    const { platform } = await scene()
    const response = await read({ id: '0' }, 'x'.repeat(101), platform.token)
    assert.deepEqual(errorsOf(response), ['path:consultation_id too_long', 'path:user_id format'])
  })
})
