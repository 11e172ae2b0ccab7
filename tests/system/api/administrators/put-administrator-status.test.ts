import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestApp, ORIGIN } from '../../../support/app.ts'
import { beginSession, FROM_OUR_PAGE, openLoginApp, openNode, SESSION_COOKIE } from '../../../support/administrators.ts'
import { startIdentityProviderDouble } from '../../../support/identity-provider-double.ts'
import { DEADLINE_MS } from '../../../support/deadline.ts'

const t = await openTestApp({ own: true })
const other = (await openNode(t, { origin: ORIGIN, login: null })).app
const double = await startIdentityProviderDouble()
const site = await openLoginApp(t, { issuer: double.issuer })

type Session = { cookie: string; token: string }

const setStatus = (id: string, status: string, headers: Record<string, string> = {}, more: object = {}) =>
  t.call('PUT', `/v1/administrators/${id}/status`, {
    ...(Object.keys(headers).length === 0 ? { token: t.owner } : { headers }),
    body: { status, ...more },
  })

async function seen({ cookie, token }: Session): Promise<number[]> {
  const shown = [{ authorization: `Bearer ${token}` }, { cookie: `${SESSION_COOKIE}=${cookie}` }]
  const calls = shown.flatMap((headers) =>
    [t.app, other].map((app) => app.inject({ method: 'GET', url: '/v1/platforms', headers })),
  )
  return (await Promise.all(calls)).map(({ statusCode }) => statusCode)
}

async function isDeadWithinASecond(session: Session): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const statuses = await seen(session)
    if (statuses.every((status) => status === 401)) return
    assert(performance.now() < deadline, `after ${DEADLINE_MS} ms the processes still return ${String(statuses)}`)
    await sleep(20)
  }
}

describe('a disabled administrator', () => {
  it('200, and loses access everywhere within a second; nobody else does', async () => {
    const [session, same] = [await beginSession(t, 'operator'), await beginSession(t, 'operator')]
    const { status, body } = await setStatus(session.administratorId, 'DISABLED', {}, { reason: 'Has left us' })
    assert.equal(status, 200)
    const { last_seen_at, ...rest } = body
    assert.deepEqual(rest, {
      id: session.administratorId,
      name: 'Asha Example',
      role: 'operator',
      owner_id: null,
      status: 'DISABLED',
    })
    assert.match(last_seen_at, /^\d{4}-/)
    await isDeadWithinASecond(session)
    assert.deepEqual(await seen(same), [200, 200, 200, 200])
  })

  it('403 at the next login, and 302 once enabled; old sessions and tokens stay revoked', async () => {
    double.behave({ claims: { sub: 'leaving', roles: ['owner'] } })
    const browser = site.openBrowser()
    await browser.logIn('sandbox-owner')
    const { body } = await browser.fetch('GET', '/v1/auth/session')
    const { body: token } = await browser.fetch('POST', '/v1/auth/session/token', { body: {} })
    await setStatus(body.administrator_id, 'DISABLED')
    await isDeadWithinASecond({ cookie: browser.cookie() ?? '', token: token.access_token })

    const refused = await browser.go(await browser.callbackUrl('sandbox-owner'))
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.text, /Your account here is disabled/)
    const sessions = await t.call('GET', `/v1/administrators/${body.administrator_id}/sessions`, { token: t.owner })
    assert.equal(sessions.body.total, 0)

    assert.equal((await setStatus(body.administrator_id, 'ACTIVE')).status, 200)
    const before = browser.cookie() ?? ''
    const headers = { cookie: `${SESSION_COOKIE}=${before}` }
    assert.equal((await t.call('GET', '/v1/auth/session', { headers })).status, 401)
    await browser.logIn('sandbox-owner')
    assert.equal((await browser.fetch('GET', '/v1/auth/session')).status, 200)
    assert.equal((await t.call('GET', '/v1/platforms', { token: token.access_token })).status, 401)
  })

  it('loses access even when logging in at the same moment', async () => {
    double.behave({ claims: { sub: 'racing', roles: ['viewer'] } })
    const first = site.openBrowser()
    await first.logIn('sandbox-viewer')
    const { administrator_id: id } = (await first.fetch('GET', '/v1/auth/session')).body
    for (let round = 0; round < 8; round++) {
      const browsers = [site.openBrowser(), site.openBrowser(), site.openBrowser()]
      const addresses = await Promise.all(browsers.map((browser) => browser.callbackUrl('sandbox-viewer')))
      const logins = browsers.map((browser, index) => browser.go(addresses[index] ?? ''))
      const [disabled] = await Promise.all([setStatus(id, 'DISABLED'), ...logins])
      assert.equal(disabled.status, 200)
      const live = 'select 1 from administrator_sessions where administrator_id = $1 and ended_at is null'
      assert.deepEqual(await t.sql(live, [id]), [])
      for (const browser of browsers) {
        assert.equal((await browser.fetch('GET', '/v1/auth/session')).status, 401)
      }
      await setStatus(id, 'ACTIVE')
    }
  })
})

describe('the status of an administrator', () => {
  it('403 for oneself, so that somebody can undo it; the last owner can be disabled from the host', async () => {
    const owner = await beginSession(t, 'owner')
    const headers = { ...FROM_OUR_PAGE, cookie: `${SESSION_COOKIE}=${owner.cookie}` }
    const refused = await setStatus(owner.administratorId, 'DISABLED', headers)
    assert.equal(refused.status, 403)
    assert.match(refused.body.detail, /another owner/)
    assert.deepEqual(await seen(owner), [200, 200, 200, 200])
    assert.equal((await setStatus(owner.administratorId, 'ACTIVE', headers)).status, 200)
    assert.equal((await setStatus(owner.administratorId, 'DISABLED')).status, 200)
  })

  it('200 without history for the current status; each change is reported once, with a sealed reason', async () => {
    const { administratorId: id } = await beginSession(t, 'viewer')
    await setStatus(id, 'ACTIVE')
    for (const status of ['DISABLED', 'DISABLED', 'ACTIVE']) {
      assert.equal((await setStatus(id, status, {}, { reason: 'On leave' })).status, 200)
    }
    const changes = await t.sql(
      'select from_status, to_status, actor, reason from catalogue_status_changes where entity_id = $1 order by at',
      [id],
    )
    assert.deepEqual(
      changes.map(({ from_status, to_status, actor }) => [from_status, to_status, actor]),
      [
        [null, 'ACTIVE', `viewer:${id}`],
        ['ACTIVE', 'DISABLED', 'owner:test-owner'],
        ['DISABLED', 'ACTIVE', 'owner:test-owner'],
      ],
    )
    for (const { reason } of changes) assert.doesNotMatch(String(reason), /leave/)
    const events = await t.sql('select 1 from events where subject = $1', [id])
    assert.equal(events.length, 3)
  })

  it('404 for a missing one, 422 for an unknown status', async () => {
    assert.equal((await setStatus('adm_missing', 'DISABLED')).status, 404)
    const { administratorId } = await beginSession(t, 'viewer')
    const { status, body } = await setStatus(administratorId, 'INACTIVE')
    assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [422, '/status', 'not_allowed'])
  })
})
