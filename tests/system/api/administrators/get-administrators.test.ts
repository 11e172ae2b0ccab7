import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { openTestApp } from '../../../support/app.ts'
import { beginSession, SESSION_COOKIE } from '../../../support/administrators.ts'

const t = await openTestApp({ own: true })
const { owner: token } = t
const MINUTE_MS = 60_000

afterEach(() => (t.clock.at = undefined))

const list = (query = '') => t.call('GET', `/v1/administrators${query}`, { token })
const sessionsOf = (id: string, query = '') => t.call('GET', `/v1/administrators/${id}/sessions${query}`, { token })
const end = (id: string, session: string) => t.call('DELETE', `/v1/administrators/${id}/sessions/${session}`, { token })
const use = (cookie: string) =>
  t.call('GET', '/v1/auth/session', { headers: { cookie: `${SESSION_COOKIE}=${cookie}` } })

describe('the list of administrators', () => {
  it('200 with everyone who has logged in, newest first, paged and filtered by status', async () => {
    const known = [await beginSession(t, 'viewer'), await beginSession(t, 'operator'), await beginSession(t, 'owner')]
    const ids = known.map(({ administratorId }) => administratorId).toReversed()
    const { status, body, headers } = await list('?limit=2')
    assert.deepEqual([status, body.total, body.limit], [200, 3, 2])
    assert.match(String(headers['link']), /rel="next"/)
    const next = await list('?limit=2&offset=2')
    assert.deepEqual(
      [...body.data, ...next.body.data].map(({ id }: { id: string }) => id),
      ids,
    )
    assert.deepEqual(Object.keys(body.data[0]), ['id', 'name', 'role', 'owner_id', 'status', 'last_seen_at'])

    await t.made('PUT', `/v1/administrators/${ids[1]}/status`, { token, body: { status: 'DISABLED' } })
    assert.deepEqual(
      (await list('?status=DISABLED')).body.data.map(({ id }: { id: string }) => id),
      [ids[1]],
    )
    assert.equal((await list('?status=ACTIVE')).body.total, 2)
    assert.equal((await list('?status=GONE')).status, 422)
  })

  it('has when each was last seen, to the minute', async () => {
    const { administratorId, cookie } = await beginSession(t, 'viewer')
    const lastSeen = async () =>
      (await list()).body.data.find(({ id }: { id: string }) => id === administratorId).last_seen_at
    const first = await lastSeen()
    t.clock.at = new Date(Date.now() + 30_000)
    await use(cookie)
    assert.equal(await lastSeen(), first)
    t.clock.at = new Date(Date.now() + 5 * MINUTE_MS)
    await use(cookie)
    assert.equal(await lastSeen(), t.clock.at.toISOString().slice(0, 19))
  })
})

describe('the sessions of an administrator', () => {
  it('200 with the active ones', async () => {
    const { administratorId: id, id: session, cookie } = await beginSession(t, 'operator')
    const { status, body } = await sessionsOf(id)
    assert.deepEqual([status, body.total], [200, 1])
    const { created_at, last_seen_at, expires_at, ...rest } = body.data[0]
    assert.deepEqual(rest, { id: session, role: 'operator' })
    assert.equal(created_at, last_seen_at)
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 30 * MINUTE_MS)
    assert(!JSON.stringify(body).includes(cookie.slice(8)), 'nothing of its secret')
    t.clock.at = new Date(Date.now() + 31 * MINUTE_MS)
    const { token: fresh } = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'later' })
    const idle = await t.call('GET', `/v1/administrators/${id}/sessions`, { token: fresh })
    assert.deepEqual(idle.body.data, [])
    t.clock.at = undefined
    assert.equal((await sessionsOf('adm_missing')).status, 404)
    assert.equal((await sessionsOf(id, '?limit=0')).status, 422)
  })

  it('200 ends one: its cookie is rejected immediately, the others still work', async () => {
    const [session, other] = [await beginSession(t, 'owner'), await beginSession(t, 'owner')]
    assert.deepEqual((await end(session.administratorId, session.id)).body, { ended: true })
    assert.equal((await use(session.cookie)).status, 401)
    assert.equal((await use(other.cookie)).status, 200)
    assert.deepEqual((await end(session.administratorId, session.id)).body, { ended: false })
    const revoked = await t.sql('select revoked from revocations where subject = $1', [`session:${session.id}`])
    assert.deepEqual(revoked, [{ revoked: true }])
  })

  it('200 with ended: false for another administrator’s session, which continues; 404 for a missing one', async () => {
    const [one, other] = [await beginSession(t, 'owner'), await beginSession(t, 'owner')]
    assert.deepEqual((await end(one.administratorId, other.id)).body, { ended: false })
    assert.equal((await use(other.cookie)).status, 200)
    assert.equal((await end('adm_missing', other.id)).status, 404)
    assert.equal((await use(other.cookie)).status, 200)
  })
})
