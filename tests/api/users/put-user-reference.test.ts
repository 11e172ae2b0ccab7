import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestPlatform, type TestUser } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

type Owned = { platform: TestPlatform; user: TestUser }

const urlOf = (user: { id: string }) => `/v1/users/${user.id}/reference`
const put = ({ platform, user }: Owned, employee_number: unknown) =>
  t.call('PUT', urlOf(user), { token: platform.token, body: { employee_number } })
const numberOf = async ({ platform, user }: Owned) =>
  (await t.made('GET', urlOf(user), { token: platform.token })).employee_number

async function found(token: string, employee_number: string, more = {}): Promise<string[]> {
  const { data } = await t.made('POST', '/v1/users/search', { token, body: { employee_number, ...more } })
  return data.map(({ user_id }: { user_id: string }) => user_id)
}

async function scene(): Promise<Owned> {
  const platform = await t.platform()
  return { platform, user: await t.user(platform, { first_name: 'Asha', last_name: 'Example' }) }
}

const lookups = ({ user }: Owned) => t.sql('select 1 from user_references where user_id = $1', [user.id])

describe('PUT /v1/users/{user_id}/reference', () => {
  it('200 is shown as it was sent, found however it is typed, and gone with null', async () => {
    const at = await scene()
    assert.equal(await numberOf(at), null)
    const { body } = await put(at, ' emp-004711')
    assert.deepEqual(body, { user_id: at.user.id, employee_number: ' emp-004711' })
    assert.equal(await numberOf(at), ' emp-004711')
    for (const typed of ['EMP-004711', 'emp-004711 ', 'ＥＭＰ-004711']) {
      assert.deepEqual(await found(at.platform.token, typed), [at.user.id], typed)
      const platform_id = at.platform.id
      assert.deepEqual(await found(t.viewer, typed, { platform_id }), [at.user.id], 'administrators, too')
    }
    for (const other of ['EMP-00471', 'EMP-0047111', '004711']) {
      assert.deepEqual(await found(at.platform.token, other), [], other)
    }
    assert.equal((await put(at, null)).body.employee_number, null)
    assert.deepEqual([await numberOf(at), await found(at.platform.token, 'EMP-004711')], [null, []])
    assert.deepEqual(await lookups(at), [])
  })

  it('200 another number frees the former; another spelling stays one number', async () => {
    const at = await scene()
    await put(at, 'E1')
    await put(at, 'e1')
    assert.deepEqual([await numberOf(at), (await lookups(at)).length], ['e1', 1])
    await put(at, 'E2')
    assert.deepEqual(await found(at.platform.token, 'E1'), [])
    const other = { ...at, user: await t.user(at.platform) }
    assert.equal((await put(other, 'E1')).status, 200)
    assert.deepEqual(await found(at.platform.token, 'E2'), [at.user.id])
  })

  it('200 changes no version of the user, leaves no event, and the same again writes nothing', async () => {
    const at = await scene()
    const record = () => t.call('GET', `/v1/users/${at.user.id}`, { token: at.platform.token })
    const row = () => t.sql('select xmin::text, reference_sealed from users where user_id = $1', [at.user.id])
    const events = () => t.sql('select 1 from events where subject = $1', [at.user.id])
    const [before, count] = [await record(), (await events()).length]
    await put(at, 'E1')
    const stored = await row()
    await put(at, 'E1')
    assert.deepEqual(await row(), stored)
    const after = await record()
    assert.deepEqual([after.text, after.headers['etag']], [before.text, before.headers['etag']])
    assert.equal((await events()).length, count)
    assert.doesNotMatch(JSON.stringify(stored), /E1"/)
  })

  it('409 already_exists for the number of another user of the platform; other platforms have their own', async () => {
    const at = await scene()
    await put(at, 'E1')
    const other = { ...at, user: await t.user(at.platform) }
    const refused = await put(other, ' e1 ')
    assert.equal(conflictOf(refused), `already_exists ${at.user.id}`)
    assert.deepEqual([await numberOf(other), await lookups(other)], [null, []])
    const elsewhere = await scene()
    assert.equal((await put(elsewhere, 'E1')).status, 200)
    assert.deepEqual(await found(at.platform.token, 'E1'), [at.user.id])
    assert.deepEqual(await found(elsewhere.platform.token, 'E1'), [elsewhere.user.id])
  })

  it('one of two users gets a number that both are given at once', async () => {
    const at = await scene()
    const users = [at.user, await t.user(at.platform), await t.user(at.platform)]
    const responses = await Promise.all(users.map((user) => put({ ...at, user }, 'E7')))
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 409, 409],
    )
    assert.equal((await found(at.platform.token, 'E7')).length, 1)
  })

  it('is a column of the CSV of users, and of no page of them; the export of the person has it', async () => {
    const at = await scene()
    await put(at, '=E1')
    const list = async (query = '') => (await t.call('GET', `/v1/users${query}`, { token: at.platform.token })).text
    const [head = '', row = ''] = (await list('?format=csv')).split('\r\n')
    const column = head.split(',').indexOf('employee_number')
    assert.equal(row.split(',')[column], `'=E1`, 'and no formula')
    assert.doesNotMatch(await list(), /employee_number|E1/)
    const exported = await t.made('GET', `/v1/users/${at.user.id}/export`, { token: at.platform.token })
    assert.equal(exported.employee_number, '=E1')
  })

  it('is gone with the person, whose number is free', async () => {
    const at = await scene()
    await put(at, 'E1')
    await t.made('DELETE', `/v1/users/${at.user.id}`, { token: at.platform.token })
    assert.deepEqual(await t.sql('select reference_sealed from users where user_id = $1', [at.user.id]), [
      { reference_sealed: null },
    ])
    assert.deepEqual([await lookups(at), await found(at.platform.token, 'E1')], [[], []])
    assert.equal((await put({ ...at, user: await t.user(at.platform) }, 'E1')).status, 200)
  })

  it('who sets it stands in the audit, without the number', async () => {
    const at = await scene()
    await put(at, 'E1-of-Asha')
    const entries = await t.sql('select * from audit_entries where operation = $2 and user_id = $1', [
      at.user.id,
      'setUserReference',
    ])
    assert.equal(entries.length, 1)
    assert.doesNotMatch(JSON.stringify(entries), /E1-of-Asha/)
  })

  it('401, 403 for users, providers and administrators, 404 for another platform’s as for a missing one, 422', async () => {
    const at = await scene()
    const body = { employee_number: 'E1' }
    assert.equal((await t.call('PUT', urlOf(at.user), { body })).status, 401)
    const { token: provider } = await t.provider()
    for (const token of [at.user.token, provider, t.viewer, t.operator, t.owner]) {
      assert.equal((await t.call('PUT', urlOf(at.user), { token, body })).status, 403)
    }
    for (const token of [at.user.token, provider]) {
      assert.equal((await t.call('GET', urlOf(at.user), { token })).status, 403)
    }
    const foreign = await t.platform()
    for (const method of ['PUT', 'GET'] as const) {
      const call = { token: foreign.token, ...(method === 'PUT' && { body }) }
      assertSameNotFound(
        await t.call(method, urlOf(at.user), call),
        await t.call(method, urlOf({ id: '099999999999' }), call),
      )
    }
    assert.deepEqual(errorsOf(await put(at, undefined)), ['/employee_number required'])
    assert.deepEqual(errorsOf(await put(at, '  ')), ['/employee_number format'])
    assert.deepEqual(errorsOf(await put(at, 'x'.repeat(201))), ['/employee_number too_long'])
    assert.deepEqual(errorsOf(await put(at, 4711)), ['/employee_number type'])
    assert.equal(await numberOf(at), null)
  })
})
