import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const list = (user: { id: string }, token: string | undefined, query = '') =>
  t.call('GET', `/v1/users/${user.id}/accounts${query}`, token === undefined ? {} : { token })

const read = (user: { id: string }, id: string | undefined, token: string | undefined, headers = {}) =>
  t.call('GET', `/v1/users/${user.id}/accounts/${id}`, { ...(token && { token }), headers })

const idsOf = (response: TestResponse): string[] => response.body.data.map(({ id }: { id: string }) => id)

/** A user with SAVINGS (from onboarding), HSA and EDUCATION, of which HSA is ACTIVE and EDUCATION INACTIVE. */
async function scene() {
  const { platform } = await t.offer()
  const user = await t.onboardedUser(platform)
  const token = platform.token
  const [savings = ''] = idsOf(await list(user, token))
  const open = async (account_type: string): Promise<string> =>
    (await t.made('POST', `/v1/users/${user.id}/accounts`, { token, body: { account_type } })).id
  const [hsa, education] = [await open('HSA'), await open('EDUCATION')]
  await t.sql(
    `update accounts set status = 'ACTIVE', external_account_id = 'EXT-1', ifsc_code = 'BNYN0000001'
      where account_id = $1`,
    [hsa],
  )
  await t.sql(`update accounts set status = 'INACTIVE' where account_id = $1`, [education])
  return { platform, user, savings, hsa, education }
}

describe('GET /v1/users/{user_id}/accounts', () => {
  it('200 newest first, for platform, user and every administrator', async () => {
    const { platform, user, savings, hsa, education } = await scene()
    for (const token of [platform.token, user.token, t.viewer, t.operator, t.owner]) {
      const response = await list(user, token)
      assert.equal(response.status, 200)
      assert.deepEqual(idsOf(response), [education, hsa, savings])
      const { limit, offset, total } = response.body
      assert.deepEqual({ limit, offset, total }, { limit: 20, offset: 0, total: 3 })
    }
  })

  it('200 an account shows holder, type and what the account provider returned, but no status', async () => {
    const { platform, user, savings, hsa } = await scene()
    const { body } = await list(user, platform.token)
    const records = Object.fromEntries(body.data.map((account: { id: string }) => [account.id, account]))
    const { created_at: _, last_modified_at: __, ...waiting } = records[savings]
    assert.deepEqual(waiting, {
      id: savings,
      external_account_id: null,
      holder: `user:${user.id}`,
      account_details: { ifsc_code: null, account_type: 'SAVINGS' },
    })
    assert.equal(records[hsa].external_account_id, 'EXT-1')
    assert.deepEqual(records[hsa].account_details, { ifsc_code: 'BNYN0000001', account_type: 'HSA' })
  })

  it('200 status and account_type filter, may repeat, and determine the total', async () => {
    const { platform, user, savings, hsa, education } = await scene()
    for (const [query, expected] of [
      ['status=PENDING', [savings]],
      ['status=ACTIVE', [hsa]],
      ['status=INACTIVE', [education]],
      ['status=ACTIVE&status=PENDING', [hsa, savings]],
      ['account_type=EDUCATION', [education]],
      ['account_type=SAVINGS&account_type=HSA', [hsa, savings]],
      ['account_type=SPONSOR', []],
      ['status=ACTIVE&account_type=HSA', [hsa]],
      ['status=ACTIVE&account_type=SAVINGS', []],
      ['status=PENDING&status=INACTIVE&account_type=SAVINGS&account_type=EDUCATION', [education, savings]],
    ] as const) {
      const response = await list(user, platform.token, `?${query}`)
      assert.deepEqual([idsOf(response), response.body.total], [expected, expected.length], query)
    }
  })

  it('200 in pages with links that keep the filters; the total is exact past the last page', async () => {
    const { platform, user, savings } = await scene()
    const address = `/v1/users/${user.id}/accounts`
    const filter = 'status=PENDING&status=ACTIVE'
    const page = await list(user, platform.token, `?${filter}&limit=1&offset=1`)
    assert.deepEqual(idsOf(page), [savings])
    assert.deepEqual(String(page.headers['link']).split(', '), [
      `<${address}?${filter}&limit=1&offset=0>; rel="first"`,
      `<${address}?${filter}&limit=1&offset=0>; rel="prev"`,
      `<${address}?${filter}&limit=1&offset=1>; rel="last"`,
    ])
    const beyond = await list(user, platform.token, '?offset=50')
    assert.deepEqual(beyond.body, { data: [], limit: 20, offset: 50, total: 3 })
  })

  it('401 without a token, 403 for benefit providers', async () => {
    const { user } = await scene()
    assert.equal((await list(user, undefined)).status, 401)
    assert.equal((await list(user, (await t.provider()).token)).status, 403)
  })

  it('404 for another platform’s user as for a missing one, whatever the query', async () => {
    const { platform, user } = await scene()
    for (const { token } of [await t.platform(), await t.user(platform)]) {
      for (const query of ['', '?status=NOPE']) {
        assertSameNotFound(await list(user, token, query), await list({ id: '099999999999' }, token, query))
      }
    }
  })

  it('422 unknown values list the allowed ones; every error at once', async () => {
    const { platform, user } = await scene()
    const response = await list(user, platform.token, '?status=OPEN&account_type=CURRENT&limit=0&type=HSA')
    assert.deepEqual(errorsOf(response), [
      'query:account_type not_allowed',
      'query:limit too_small',
      'query:status not_allowed',
      'query:type unknown',
    ])
    for (const word of ['ACTIVE', 'INACTIVE', 'PENDING', 'SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR']) {
      assert.ok(response.text.includes(word))
    }
  })
})

describe('GET /v1/users/{user_id}/accounts/{account_id}', () => {
  it('200 for platform, user and every administrator, 304 for its ETag', async () => {
    const { platform, user, hsa } = await scene()
    for (const token of [platform.token, user.token, t.viewer, t.operator, t.owner]) {
      const response = await read(user, hsa, token)
      assert.deepEqual([response.status, response.body.id], [200, hsa])
      const known = await read(user, hsa, token, { 'if-none-match': String(response.headers['etag']) })
      assert.deepEqual([known.status, known.text], [304, ''])
    }
  })

  it('401 without a token, 403 for benefit providers', async () => {
    const { user, hsa } = await scene()
    assert.equal((await read(user, hsa, undefined)).status, 401)
    assert.equal((await read(user, hsa, (await t.provider()).token)).status, 403)
  })

  it('404 for somebody else’s account as for a missing one', async () => {
    const { platform, user, hsa } = await scene()
    const [stranger, neighbour] = [await t.platform(), await t.user(platform)]
    const missing = await read(user, 'acc_nothing', platform.token)
    assertSameNotFound(await read(user, hsa, stranger.token), missing)
    assertSameNotFound(await read(user, hsa, neighbour.token), missing)
    assertSameNotFound(await read(neighbour, hsa, platform.token), missing)
  })

  it('422 for malformed ids', async () => {
    const { platform } = await scene()
    const response = await read({ id: '0' }, 'x'.repeat(101), platform.token)
    assert.deepEqual(errorsOf(response), ['path:account_id too_long', 'path:user_id format'])
  })
})
