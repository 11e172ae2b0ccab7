import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../../support/app.ts'
import { beginSession } from '../../../support/administrators.ts'
import { errorsOf } from '../../../support/problems.ts'
import { settled } from '../../../support/settled.ts'

const t = await openTestApp({ own: true })
const platform = await t.platform()
const user = await t.onboardedUser(platform)
const sibling = await t.onboardedUser(platform)
const at = `/v1/users/${user.id}`
await t.call('GET', at, { token: t.viewer, headers: { purpose: 'Ticket 4711' } })
await t.audit.reads.write()

const list = (query = '', token = t.owner) => t.call('GET', `/v1/audit_log${query}`, { token })

/** Returns all entries, read page by page. */
async function readAll(query = '', limit = 100): Promise<Body[]> {
  await settled(t)
  const entries: Body[] = []
  for (let after = ''; ; ) {
    const { status, body, text } = await list(`?limit=${limit}${query}${after && `&after=${after}`}`)
    assert.equal(status, 200, text)
    entries.push(...body.data)
    after = body.next ?? ''
    if (!body.has_more) return entries
  }
}

describe('GET /v1/audit_log', () => {
  it('lists every entry once, oldest first, whatever the page size', async () => {
    const all = await readAll()
    const stored = await t.sql<{ audit_id: string }>('select audit_id from audit_entries order by xid, audit_id')
    assert.deepEqual(
      all.map(({ id }) => id),
      stored.map(({ audit_id }) => audit_id),
    )
    assert.deepEqual(await readAll('', 2), all)
  })

  it('has the actor, the person, the request and the purpose of each read', async () => {
    const [entry, ...others] = await readAll('&actor=viewer:test-viewer')
    assert.deepEqual(others, [])
    assert.match(entry.request_id, /^req_/)
    assert.match(entry.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    const { id: _id, at: _at, request_id: _request, ...rest } = entry
    assert.deepEqual(rest, {
      actor: 'viewer:test-viewer',
      operation: 'readUser',
      summary: 'Read a user',
      action: 'read',
      subject: user.id,
      user_id: user.id,
      purpose: 'Ticket 4711',
      credential_id: null,
    })
  })

  it('has one entry for a list of names, however many it shows', async () => {
    await t.sponsor(platform)
    await t.sponsor(platform)
    const { body } = await t.call('GET', '/v1/sponsor_names', { token: t.operator, headers: { purpose: 'A list' } })
    assert(body.data.length > 1)
    await t.audit.reads.write()
    const entries = (await readAll('&actor=operator:test-operator')).filter(({ purpose }) => purpose === 'A list')
    assert.deepEqual(
      entries.map(({ operation, subject, user_id }) => [operation, subject, user_id]),
      [['listSponsorNames', null, null]],
    )
  })

  it('can be filtered by subject and by action', async () => {
    const ofUser = await readAll(`&subject=${user.id}`)
    assert(ofUser.length > 1)
    assert(ofUser.every(({ subject }) => subject === user.id))
    assert((await readAll('&action=change')).every(({ action }) => action === 'change'))
    assert.deepEqual(await readAll('&actor=nobody:at-all'), [])
    const both = await readAll('&action=read&action=change')
    assert.deepEqual(both, await readAll())
  })

  it('holds no personal data', async () => {
    const text = JSON.stringify(await readAll())
    for (const secret of ['Asha', user.phone, 'asha@example.com', '1990-05-17']) assert(!text.includes(secret), secret)
  })

  it('200 to everybody else, and to an owner who asks for it, what they have done themselves', async () => {
    const person = await beginSession(t, 'operator')
    for (const token of [person.token, t.owner]) {
      const url = `/v1/platforms/${(await t.platform()).id}/status`
      await t.made('PUT', url, { token, body: { status: 'INACTIVE' } })
    }
    await settled(t)
    const all = await readAll()
    const of = (actor: string) => all.filter((entry) => entry.actor === actor).map(({ id }) => id)
    for (const [token, actor] of [
      [person.token, `operator:${person.administratorId}`],
      [t.viewer, 'viewer:test-viewer'],
      [t.owner, 'owner:test-owner'],
    ] as const) {
      const own = of(actor)
      assert(own.length > 0, actor)
      for (const query of ['?limit=100&actor=me', ...(actor.startsWith('owner') ? [] : ['?limit=100'])])
        assert.deepEqual(
          (await list(query, token)).body.data.map(({ id }: Body) => id),
          own,
          `${actor} ${query}`,
        )
    }
    const newest = (await list('?limit=1&order=desc&action=revoke', person.token)).body
    assert.deepEqual([newest.data[0].operation, newest.has_more], ['setPlatformStatus', false])
  })

  it('401 without a token, 403 for users and companies, 422 for a malformed cursor and the entries of others', async () => {
    assert.equal((await t.call('GET', '/v1/audit_log')).status, 401)
    for (const { token } of [user, platform, await t.provider()]) {
      assert.equal((await list('', token)).status, 403)
      assert.equal((await list('?actor=me', token)).status, 403)
    }
    for (const token of [t.viewer, t.operator])
      assert.deepEqual(errorsOf(await list('?actor=owner:test-owner', token)), ['query:actor not_allowed'])
    assert.deepEqual(errorsOf(await list('?after=1')), ['query:after format'])
    assert.deepEqual(errorsOf(await list('?action=look')), ['query:action not_allowed'])
  })
})

describe('GET /v1/users/{user_id}/access_log', () => {
  const log = (token: string, query = '', of = user.id) =>
    t.call('GET', `/v1/users/${of}/access_log${query}`, { token })

  it('shows the person, in plain words, who viewed or changed their data, newest first', async () => {
    const { body } = await log(user.token)
    assert.deepEqual(withoutTime(body.data[0]), {
      actor: { kind: 'administrator', name: 'test-viewer' },
      operation: operationInWords('/v1/users/{user_id}', 'get'),
      purpose: 'Ticket 4711',
    })
    const times = body.data.map((entry: Body) => entry.at)
    assert.deepEqual(times, times.toSorted().toReversed())
    assert(body.data.some(({ actor }: Body) => actor.kind === 'platform' && actor.name === 'Acme Benefits'))
  })

  it('is the same for the platform and for an owner, and is paged', async () => {
    const { body } = await log(user.token)
    assert.deepEqual((await log(platform.token)).body.data, body.data)
    assert.deepEqual((await log(t.owner)).body.data, body.data)
    const entries: Body[] = []
    for (let after = ''; ; ) {
      const page = (await log(user.token, `?limit=1${after && `&after=${after}`}`)).body
      entries.push(...page.data)
      after = page.next
      if (!page.has_more) break
    }
    assert.deepEqual(entries, body.data)
  })

  it('shows nobody else’s entries, and is 404 for another platform’s user as for a missing one', async () => {
    const own = (await log(sibling.token, '', sibling.id)).body.data
    assert(own.every((entry: Body) => entry.purpose !== 'Ticket 4711'))
    const other = await t.platform()
    assert.equal((await log(other.token)).status, 404)
    assert.equal((await log(sibling.token)).status, 404)
    assert.equal((await log(t.viewer)).status, 403)
    assert.equal((await log(t.operator)).status, 403)
    assert.equal((await t.call('GET', `${at}/access_log`)).status, 401)
    assert.deepEqual(errorsOf(await log(user.token, '?after=x')), ['query:after format'])
  })
})

const withoutTime = ({ at: _at, ...rest }: Body) => rest

function operationInWords(path: string, method: string): string {
  const paths = (t.app.document().paths ?? {}) as Record<string, Record<string, { summary: string }>>
  return paths[path]?.[method]?.summary ?? ''
}
