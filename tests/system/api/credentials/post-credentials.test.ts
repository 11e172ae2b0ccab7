import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../../support/problems.ts'
import { everythingStored } from '../../../support/stored.ts'

const t = await openTestApp({ own: true })

const LIVE_MAX = 20

/** A new owner without credentials. */
const OWNERS = [
  {
    kind: 'platform',
    collection: '/v1/platforms',
    input: () => ({ name: 'Acme Benefits' }),
    withCredential: () => t.platform(),
  },
  {
    kind: 'provider',
    collection: '/v1/benefit_providers',
    input: () => ({ name: 'Suraksha General', code: `C${process.hrtime.bigint()}` }),
    withCredential: () => t.provider(),
  },
]

const count = async (table: 'credentials' | 'events') =>
  (await t.sql<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count

for (const { kind, collection, input, withCredential } of OWNERS) {
  const newOwner = async (): Promise<string> => (await t.made('POST', collection, { token: t.owner, body: input() })).id
  const addressOf = (id: string) => `${collection}/${id}/credentials`
  const create = (id: string, token: string = t.operator) => t.call('POST', addressOf(id), { token })
  const list = async (id: string, token: string = t.viewer): Promise<string[]> => {
    const { credentials } = await t.made('GET', addressOf(id), { token })
    return credentials.map((entry: object) => {
      assert.deepEqual(Object.keys(entry), ['credential_id'])
      return Object.values(entry)[0]
    })
  }

  describe(`POST ${collection}/{id}/credentials`, () => {
    it('201 returns a basic token ready for use', async () => {
      const id = await newOwner()
      const response = await create(id)
      assert.equal(response.status, 201)
      assert.deepEqual(Object.keys(response.body).toSorted(), ['basic_token', 'credential_id'])
      const { basic_token, credential_id } = response.body
      const plain = Buffer.from(basic_token, 'base64').toString()
      assert.equal(Buffer.from(plain).toString('base64'), basic_token)
      // 43 characters of base64url are 256 bits; the prefix and the checksum are for secret scanners
      assert.match(plain, new RegExp(`^${credential_id}:byn_sec_[A-Za-z0-9_-]{43}_[0-9a-z]{7}$`))

      const headers = { authorization: `Basic ${basic_token}` }
      const exchanged = await t.call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
      assert.equal(exchanged.status, 200)
      assert.deepEqual(await list(id, exchanged.body.access_token), [credential_id]) // it is this owner's token
    })

    it('201 shows the secret once: it is not listed, not stored in clear text, not in an event', async () => {
      const id = await newOwner()
      const { basic_token, credential_id } = (await create(id)).body
      const secret = Buffer.from(basic_token, 'base64').toString().split(':')[1] ?? ''

      const listed = await t.call('GET', addressOf(id), { token: t.owner })
      assert.deepEqual(listed.body, { credentials: [{ credential_id }] })
      const stored = await everythingStored(t)
      assert(stored.includes(credential_id))
      for (const trace of [secret, basic_token, Buffer.from(secret).toString('hex'), secret.slice(8, 51)]) {
        assert(!stored.includes(trace))
      }
      const events = await t.sql('select type, platform_id, subject, data from events where subject = $1', [
        credential_id,
      ])
      assert.deepEqual(events, [
        {
          type: 'credential.created',
          platform_id: kind === 'platform' ? id : null,
          subject: credential_id,
          data: { credential_id, owner_kind: kind, owner_id: id },
        },
      ])
    })

    it('201 creates another credential each time, also for a client that announces JSON and sends none', async () => {
      const id = await newOwner()
      const first = (await create(id)).body
      const headers = { 'content-type': 'application/json' }
      const second = await t.call('POST', addressOf(id), { token: t.owner, headers })
      assert.equal(second.status, 201)
      assert.notEqual(second.body.basic_token, first.basic_token)
      assert.deepEqual(await list(id), [second.body.credential_id, first.credential_id]) // newest first
    })

    it('409 conflict above 20 active ones, even under concurrent calls; a revoked one makes room', async () => {
      const id = await newOwner()
      const neighbour = await newOwner()
      const responses = await Promise.all(Array.from({ length: LIVE_MAX + 8 }, () => create(id)))
      const made = responses.filter(({ status }) => status === 201)
      const refused = responses.filter(({ status }) => status !== 201)
      assert.equal(made.length, LIVE_MAX)
      assert.deepEqual(new Set(refused.map(conflictOf)), new Set(['limit_reached']))
      assert.equal(new Set(made.map(({ body }) => body.basic_token)).size, LIVE_MAX)
      assert.deepEqual(new Set(await list(id)), new Set(made.map(({ body }) => body.credential_id)))
      const events = await t.sql(`select 1 from events where data ->> 'owner_id' = $1`, [id])
      assert.equal(events.length, LIVE_MAX)
      assert.equal((await create(neighbour)).status, 201) // each owner has its own 20

      await t.made('DELETE', `${addressOf(id)}/${made[0]?.body.credential_id}`, { token: t.owner })
      assert.equal((await create(id)).status, 201)
      assert.equal((await create(id)).status, 409)
    })

    it('500 without a credential when its event cannot be written: both or neither', async () => {
      const id = await newOwner()
      await t.sql('alter table events add constraint full_up check (false) not valid')
      const response = await create(id)
      await t.sql('alter table events drop constraint full_up')
      assert.deepEqual([response.status, response.body.code], [500, 'internal'])
      assert.deepEqual(await list(id), [])
    })

    it('401 and 403 create nothing: a leaked credential cannot mint more', async () => {
      const own = await withCredential()
      const platform = await t.platform()
      const provider = await t.provider()
      const user = await t.user(platform)
      const before = [await count('credentials'), await count('events')]
      assert.equal((await t.call('POST', addressOf(own.id))).status, 401)
      for (const token of [own.token, platform.token, provider.token, user.token, t.viewer]) {
        assert.equal((await create(own.id, token)).body.code, 'forbidden')
      }
      assert.deepEqual([await count('credentials'), await count('events')], before)
    })

    it('404 for a missing owner, 422 for an overlong id or an unknown parameter', async () => {
      const id = await newOwner()
      assertSameNotFound(
        await create('none'),
        await t.call('POST', `${addressOf('none')}?colour=red`, { token: t.owner }),
      )
      const long = addressOf('x'.repeat(101))
      assert.equal((await t.call('POST', long)).status, 401)
      assert.match(errorsOf(await t.call('POST', long, { token: t.owner }))[0] ?? '', /^path:\w+_id too_long$/)
      const unknown = await t.call('POST', `${addressOf(id)}?colour=red`, { token: t.owner })
      assert.deepEqual(errorsOf(unknown), ['query:colour unknown'])
      assert.deepEqual(await list(id), [])
    })

    it('400 and 415 for an unreadable body create nothing', async () => {
      const id = await newOwner()
      const text = { token: t.owner, body: 'hello', headers: { 'content-type': 'text/plain' } }
      assert.equal((await t.call('POST', addressOf(id), text)).body.code, 'unsupported_media_type')
      assert.equal((await t.call('POST', addressOf(id), { token: t.owner, body: '{' })).body.code, 'malformed_json')
      assert.deepEqual(await list(id), [])
    })
  })

  describe(`GET ${collection}/{id}/credentials`, () => {
    it('200 for its owner and for every administrator, without paging fields', async () => {
      const own = await withCredential()
      for (const token of [own.token, t.viewer, t.operator, t.owner]) {
        const response = await t.call('GET', addressOf(own.id), { token })
        assert.equal(response.status, 200)
        assert.deepEqual(response.body, { credentials: [{ credential_id: own.credentialId }] })
      }
      assert.deepEqual(await list(await newOwner()), [])
    })

    it('401 without a token, 403 for a user and for the other kind of owner', async () => {
      const own = await withCredential()
      const platform = await t.platform()
      const other = kind === 'platform' ? await t.provider() : platform
      assert.equal((await t.call('GET', addressOf(own.id))).status, 401)
      for (const token of [(await t.user(platform)).token, other.token]) {
        assert.equal((await t.call('GET', addressOf(own.id), { token })).body.code, 'forbidden')
      }
    })

    it('404 for another owner, the same as for a missing one', async () => {
      const own = await withCredential()
      const stranger = await withCredential()
      const asStranger = (url: string) => t.call('GET', url, { token: stranger.token })
      assertSameNotFound(await asStranger(addressOf(own.id)), await asStranger(addressOf('none')))
      assertSameNotFound(await asStranger(`${addressOf(own.id)}?limit=5`), await asStranger(addressOf('none')))
      assertSameNotFound(
        await t.call('GET', addressOf('none'), { token: t.viewer }),
        await asStranger(addressOf('none')),
      )
    })

    it('422 for an unknown parameter: the list is not paged', async () => {
      const own = await withCredential()
      const response = await t.call('GET', `${addressOf(own.id)}?limit=5`, { token: own.token })
      assert.deepEqual(errorsOf(response), ['query:limit unknown'])
    })
  })
}
