import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../../support/app.ts'
import { settled } from '../../../support/settled.ts'

const t = await openTestApp({ own: true })
const platform = await t.platform()
const asha = await t.onboardedUser(platform)
const ravi = await t.onboardedUser(platform)
const stranger = await t.platform()
await t.onboardedUser(stranger)

/** Another credential of the platform, which somebody steals. */
const { basic_token, credential_id: stolen } = await t.made('POST', `/v1/platforms/${platform.id}/credentials`, {
  token: t.owner,
})
const authorization = { authorization: `Basic ${basic_token}` }
const exchange = { headers: authorization, body: { grant_type: 'client_credentials' } }
const thief: string = (await t.made('POST', '/v1/oauth/token', exchange)).access_token
for (const at of [asha, asha, ravi]) await t.made('GET', `/v1/users/${at.id}`, { token: thief })
const body = { phone_country_code: '+91', phone_number: asha.phone }
const asUser: string = (await t.made('POST', '/v1/auth/token', { token: thief, body })).access_token
await t.made('GET', `/v1/users/${asha.id}/dependants`, { token: asUser })
await t.made('PUT', `/v1/platforms/${platform.id}/web_origins`, {
  token: thief,
  body: { web_origins: ['https://app.example'] },
})
await t.audit.reads.write()
await settled(t)

const list = (query: string, token = t.owner) => t.call('GET', `/v1/exposure?${query}`, { token })

/** Returns everything, read page by page. */
async function readAll(query: string, { token = t.owner, limit = 100 } = {}): Promise<Body[]> {
  const all: Body[] = []
  for (let after = ''; ; ) {
    const { status, body: page, text } = await list(`${query}&limit=${limit}${after}`, token)
    assert.equal(status, 200, text)
    all.push(...page.data)
    if (!page.has_more) return all
    after = `&after=${page.next}`
  }
}

const shortly = (all: readonly Body[]) =>
  all.map(({ user_id, subject, operation, action, count }) => [user_id, subject, operation, action, count])

const EXPOSED = [
  [asha.id, null, 'readUser', 'read', 2],
  [ravi.id, null, 'readUser', 'read', 1],
  [asha.id, null, 'listDependants', 'read', 1],
  [null, platform.id, 'setWebOrigins', 'change', 1],
]
/** Reads are written in batches, after the changes. */
const sorted = (rows: unknown[]) => rows.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))

describe('GET /v1/exposure', () => {
  it('200 has each person and operation of the credential once, also through its users’ tokens', async () => {
    const all = await readAll(`credential_id=${stolen}`)
    assert.deepEqual(sorted(shortly(all)), sorted(EXPOSED))
    const [twice] = all.filter(({ count }) => count === 2)
    assert(twice && twice.first_at <= twice.last_at)
    assert.equal(twice.summary, 'Read a user')
    assert.deepEqual(await readAll(`credential_id=${stolen}`, { limit: 1 }), all)
  })

  it('200 has nothing of another credential, although it reads the same persons', async () => {
    const others = await readAll(`credential_id=${platform.credentialId}`)
    assert(others.length > 0)
    assert(others.every(({ operation }) => !['listDependants', 'setWebOrigins', 'readUser'].includes(operation)))
    assert.deepEqual(await readAll('credential_id=crd_06bnv3m2r8f1s4k7q9t3v6w0y2'), [])
  })

  it('200 has what was done in the period only', async () => {
    await t.sql(`insert into audit_entries (audit_id, at, actor, operation, action, user_id, request_id, credential_id)
      values ('aud_00000000000000000000000001', '2026-01-10T10:00:00Z', 'platform:${platform.id}', 'readUser', 'read', '${asha.id}', 'req_1', '${stolen}'),
             ('aud_00000000000000000000000002', '2026-01-12T10:00:00Z', 'platform:${platform.id}', 'readUser', 'read', '${asha.id}', 'req_1', '${stolen}')`)
    await settled(t)
    const inJanuary = (query: string) => readAll(`credential_id=${stolen}&to=2026-01-31${query}`)
    const whole = await inJanuary('&from=2026-01-01')
    assert.deepEqual(shortly(whole), [[asha.id, null, 'readUser', 'read', 2]])
    assert.deepEqual([whole[0]?.first_at, whole[0]?.last_at], ['2026-01-10T10:00:00', '2026-01-12T10:00:00'])
    assert.deepEqual(shortly(await inJanuary('&from=2026-01-11')), [[asha.id, null, 'readUser', 'read', 1]])
    assert.deepEqual(await inJanuary('&from=2026-01-13'), [])
    assert.deepEqual(await readAll(`credential_id=${stolen}&from=2026-01-11&to=2026-01-11`), [])
  })

  it('200 as CSV has the same', async () => {
    const response = await list(`credential_id=${stolen}&from=2026-02-01&format=csv`)
    assert.equal(response.status, 200)
    const [header, ...lines] = response.text.trimEnd().split('\r\n')
    assert.equal(header, 'user_id,subject,operation,summary,action,count,first_at,last_at')
    assert.equal(lines.length, EXPOSED.length)
    assert.equal(lines.filter((line) => line.startsWith(`${asha.id},,readUser,`)).length, 1)
  })

  it('200 for the platform and its people, of own credentials, also revoked ones and after an erasure', async () => {
    const own = await readAll(`credential_id=${stolen}&from=2026-02-01`, { token: platform.token })
    assert.deepEqual(sorted(shortly(own)), sorted(EXPOSED))
    await t.made('DELETE', `/v1/platforms/${platform.id}/credentials/${stolen}`, { token: t.owner })
    await t.made('DELETE', `/v1/users/${ravi.id}`, { token: platform.token })
    const later = await readAll(`credential_id=${stolen}&from=2026-02-01`, { token: platform.token })
    assert.deepEqual(later, own)
  })

  it('200 with nothing for a platform that asks for the credential of another, as for a missing one', async () => {
    const [foreign, missing] = await Promise.all(
      [stolen, 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2'].map((id) => list(`credential_id=${id}`, stranger.token)),
    )
    assert.deepEqual(foreign?.body, missing?.body)
    assert.deepEqual(foreign?.body.data, [])
  })

  it('200 with nothing for a platform that asks for the credential of a benefit provider which reads its people', async () => {
    const { provider } = await t.offer()
    const { platform: of, benefit } = await t.offer()
    const user = await t.onboardedUser(of)
    const policyId = await t.policy(of, user, benefit)
    await t.made('GET', `/v1/users/${user.id}/insurance_policies/${policyId}`, { token: provider.token })
    await t.audit.reads.write()
    await settled(t)
    assert.deepEqual(await readAll(`credential_id=${provider.credentialId}`, { token: of.token }), [])
    assert((await readAll(`credential_id=${provider.credentialId}`)).length > 0, 'the owner sees it')
  })

  it('401, 403 for everybody else, 422 without a credential', async () => {
    assert.equal((await t.call('GET', `/v1/exposure?credential_id=${stolen}`)).status, 401)
    const provider = await t.provider()
    for (const token of [t.viewer, t.operator, asha.token, provider.token])
      assert.equal((await list(`credential_id=${stolen}`, token)).status, 403)
    const { status, body: problem } = await list('')
    assert.deepEqual([status, problem.errors.map(({ pointer }: Body) => pointer)], [422, ['query:credential_id']])
  })
})
