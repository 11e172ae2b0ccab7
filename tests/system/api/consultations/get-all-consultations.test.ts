import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../../support/app.ts'
import { errorsOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true }) // administrators see the rows of every file

const list = (token: string, query = '') => t.call('GET', `/v1/consultations${query}`, { token })
const idsOf = ({ body, text }: Body): string[] => {
  assert(body.data, text)
  return body.data.map(({ id }: { id: string }) => id)
}

/** A clinic with consultations of three users, newest first. */
async function scene() {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const users = [await t.user(platform), await t.user(platform), await t.user(platform)].toReversed()
  const ids: string[] = []
  for (const user of users.toReversed()) ids.unshift(await t.consultation(platform, user, provider))
  const write = (token: string, index: number) =>
    t.made('POST', `/v1/users/${users[index]?.id}/consultations/${ids[index]}/messages`, {
      token,
      body: { body: { content: 'Hello', message_type: 'TEXT' } },
    })
  const close = (token: string, index: number) =>
    t.made('PUT', `/v1/users/${users[index]?.id}/consultations/${ids[index]}/status`, {
      token,
      body: { status: 'CLOSED' },
    })
  return { platform, provider, users, ids, write, close }
}

describe('GET /v1/consultations', () => {
  it('200 last change first, where a message is a change, to the benefit provider, the platform and owners', async () => {
    const { platform, provider, users, ids, write } = await scene()
    const [newest, middle, oldest] = ids
    assert.deepEqual(idsOf(await list(provider.token)), ids)
    await write(users[2]?.token ?? '', 2)
    for (const token of [provider.token, platform.token])
      assert.deepEqual(idsOf(await list(token)), [oldest, newest, middle])
    assert.equal(idsOf(await list(t.owner))[0], oldest)
    const { next } = (await list(provider.token, '?limit=1')).body
    assert.deepEqual(idsOf(await list(provider.token, `?after=${next}`)), [newest, middle])
    for (const token of [provider.token, platform.token]) {
      const first = (await list(token, '?limit=2&order=oldest')).body
      const second = await list(token, `?limit=2&order=oldest&after=${first.next}`)
      assert.deepEqual([...idsOf({ body: first, text: '' }), ...idsOf(second)], [middle, newest, oldest])
    }
    assert.equal(idsOf(await list(t.owner, '?order=oldest&unanswered_by=provider'))[0], middle)
    const [{ created_at, last_modified_at, last_message_at, ...entry }] = (await list(provider.token)).body.data
    assert.deepEqual(entry, {
      id: oldest,
      user_id: users[2]?.id,
      platform_id: platform.id,
      benefit_provider_id: provider.id,
      provider: provider.code,
      status: 'OPEN',
      unanswered_by: 'provider',
    })
    assert([created_at, last_modified_at, last_message_at].every((text) => typeof text === 'string'))
  })

  it('200 what waits for the benefit provider: not what it wrote last, and nothing closed', async () => {
    const { platform, provider, users, ids, write, close } = await scene()
    const waiting = async (token = provider.token) => idsOf(await list(token, '?unanswered_by=provider'))
    assert.deepEqual(await waiting(), ids)
    await write(provider.token, 0)
    assert.deepEqual(await waiting(), ids.slice(1))
    await write(users[0]?.token ?? '', 0)
    assert.deepEqual(await waiting(platform.token), ids)
    await write(provider.token, 0)
    await write(platform.token, 0)
    await close(provider.token, 1)
    assert.deepEqual(await waiting(), [ids[0], ids[2]])
    assert.deepEqual(idsOf(await list(provider.token, '?status=CLOSED')), [ids[1]])
    assert.deepEqual(idsOf(await list(provider.token, '?status=CLOSED&unanswered_by=provider')), [])
    const closed = (await list(provider.token, '?status=CLOSED')).body.data[0]
    assert.deepEqual([closed.unanswered_by, closed.last_message_at], [null, null])
    assert.deepEqual(errorsOf(await list(provider.token, '?unanswered_by=user')), ['query:unanswered_by not_allowed'])
  })

  it('200 concurrent messages of both sides: all are written, and one of them is the last', async () => {
    const { provider, users, ids, write } = await scene()
    const tokens = Array.from({ length: 12 }, (_, index) => (index % 2 ? provider.token : (users[0]?.token ?? '')))
    await Promise.all(tokens.map((token) => write(token, 0)))
    const url = `/v1/users/${users[0]?.id}/consultations/${ids[0]}/messages`
    assert.equal((await t.made('GET', url, { token: provider.token })).total, tokens.length)
    assert.equal(idsOf(await list(provider.token))[0], ids[0])
  })

  it('200 never those of another benefit provider or platform', async () => {
    const [ours, theirs] = [await scene(), await scene()]
    assert.deepEqual(idsOf(await list(theirs.provider.token)), theirs.ids)
    assert.deepEqual(idsOf(await list(theirs.platform.token)), theirs.ids)
    const { next } = (await list(ours.provider.token, '?limit=1')).body
    assert.deepEqual(errorsOf(await list(theirs.provider.token, `?after=${next}`)), ['query:after unknown_reference'])
  })

  it('403 for viewers and operators: that somebody consults a clinic is health data', async () => {
    for (const token of [t.viewer, t.operator]) assert.equal((await list(token)).status, 403)
  })
})
