import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createCredentialUses } from '../../../src/domains/partners/credentials/index.ts'
import { ONBOARDING, openTestApp } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const STOPS_WITHIN_MS = 1_000

afterEach(() => void (t.clock.at = undefined))

const OWNERS = [
  { collection: '/v1/platforms', owner: () => t.platform() },
  { collection: '/v1/benefit_providers', owner: () => t.provider() },
]
const addressOf = (collection: string, { id }: { id: string }) => `${collection}/${id}/credentials`

const create = (address: string, body?: object, node = t.call) =>
  node('POST', address, { token: t.operator, ...(body && { body }) })
const read = (address: string, id: string, token: string = t.viewer) => t.call('GET', `${address}/${id}`, { token })

const exchange = (basicToken: string, remoteAddress = '127.0.0.1') =>
  t.call('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
    remoteAddress,
  })

/** Returns the time this many seconds from now, in wire format. */
const inSeconds = (seconds: number) => new Date(t.clock.now().getTime() + seconds * 1000).toISOString().slice(0, 19)

for (const { collection, owner } of OWNERS) {
  describe(`POST ${collection}/{id}/credentials with limits`, () => {
    it('201 shows its limits at its own URL, and never the secret; without a body it has no limits', async () => {
      const own = await owner()
      const address = addressOf(collection, own)
      const expires_at = inSeconds(86_400)
      const made = await create(address, { expires_at, ip_allow_list: ['203.0.113.0/24', '2001:db8::/32', '::1'] })
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(Object.keys(made.body).toSorted(), ['basic_token', 'credential_id'])
      const { credential_id } = made.body
      assert.equal(made.headers['location'], `${address}/${credential_id}`)
      const shown = await read(address, credential_id)
      const { created_at, ...rest } = shown.body
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      const ip_allow_list = ['203.0.113.0/24', '2001:db8::/32', '::1']
      assert.deepEqual(rest, { credential_id, expires_at, ip_allow_list, last_used_at: null })

      for (const body of [undefined, {}, { expires_at: null, ip_allow_list: null }]) {
        const free = (await create(address, body)).body
        const { expires_at: end, ip_allow_list: networks } = (await read(address, free.credential_id)).body
        assert.deepEqual([end, networks], [null, null])
        assert.equal((await exchange(free.basic_token, '203.0.113.9')).body.expires_in, 3_600)
      }
      const listed = await t.made('GET', address, { token: t.viewer })
      assert.deepEqual(Object.keys(listed.credentials[0]), ['credential_id'], 'the list is as the contract has it')
    })

    it('422 for a time that is past or malformed and for malformed networks, all at once; nothing is created', async () => {
      const own = await owner()
      const address = addressOf(collection, own)
      const wrong = ['10.0.0.0/33', '10.0.0', 'example.com', '2001:db8::/129', '10.0.0.0/', '', 'fe80::1%eth0']
      const body = { expires_at: inSeconds(-1), ip_allow_list: ['10.0.0.0/8', ...wrong] }
      assert.deepEqual(errorsOf(await create(address, body)), [
        '/expires_at too_small',
        ...wrong.map((_, index) => `/ip_allow_list/${index + 1} format`),
      ])
      for (const expires_at of ['tomorrow', '2099-02-30T00:00:00', '2099-01-01', '2099-01-01T00:00:00+05:30']) {
        assert.deepEqual(errorsOf(await create(address, { expires_at })), ['/expires_at format'])
      }
      assert.deepEqual(errorsOf(await create(address, { expires_at: 7, ip_allow_list: '10.0.0.0/8' })), [
        '/expires_at type',
        '/ip_allow_list type',
      ])
      assert.deepEqual(errorsOf(await create(address, { ip_allow_list: [] })), ['/ip_allow_list too_few'])
      const twice = ['10.0.0.0/8', '::1', '10.0.0.0/8']
      assert.deepEqual(errorsOf(await create(address, { ip_allow_list: twice })), ['/ip_allow_list duplicate'])
      const many = Array.from({ length: 51 }, (_, index) => `10.0.${index}.0/24`)
      assert.deepEqual(errorsOf(await create(address, { ip_allow_list: many })), ['/ip_allow_list too_many'])
      const { credentials } = await t.made('GET', address, { token: t.viewer })
      assert.equal(credentials.length, 1)
    })

    it('401 from outside its networks, in the words of any wrong credential', async () => {
      const own = await owner()
      const body = { ip_allow_list: ['203.0.113.0/24', '198.51.100.7', '2001:db8:7::/48'] }
      const { basic_token } = (await create(addressOf(collection, own), body)).body
      const within_ = ['203.0.113.0', '203.0.113.255', '198.51.100.7', '::ffff:203.0.113.9', '2001:db8:7:1::9']
      for (const address of within_) assert.equal((await exchange(basic_token, address)).status, 200, address)
      const outside = ['203.0.114.1', '198.51.100.8', '127.0.0.1', '::ffff:198.51.100.8', '2001:db8:8::1', '::1']
      for (const address of outside) {
        const refused = await exchange(basic_token, address)
        assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client'], address)
        assert.equal(refused.body.detail, (await exchange(own.basicToken.slice(4), address)).body.detail)
      }
      const claimed = await t.call('POST', '/v1/oauth/token', {
        headers: { authorization: `Basic ${basic_token}`, 'x-forwarded-for': '203.0.113.9' },
        body: { grant_type: 'client_credentials' },
      })
      assert.equal(claimed.status, 401, 'without a trusted proxy nobody says where he comes from')
    })

    it('403 for its access token from outside its networks, without effect; allowed callers continue', async () => {
      const own = await owner()
      const address = addressOf(collection, own)
      const longest = Array.from(
        { length: 48 },
        (_, index) => `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.${200 + index}/128`,
      )
      const body = { ip_allow_list: ['203.0.113.0/24', '2001:db8:7::/48', ...longest] }
      const { basic_token, credential_id } = (await create(address, body)).body
      const { access_token: token } = (await exchange(basic_token, '203.0.113.9')).body
      const from = (remoteAddress: string) => t.call('GET', address, { token, remoteAddress })
      for (const inside of ['203.0.113.1', '::ffff:203.0.113.200', '2001:db8:7::9']) {
        assert.equal((await from(inside)).status, 200, inside)
      }
      for (const outside of ['203.0.114.1', '127.0.0.1', '::1', '2001:db8:8::1', '::ffff:127.0.0.1']) {
        const refused = await from(outside)
        assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], outside)
        assert.match(refused.body.detail, /IP address/)
        assert(!refused.text.includes('203.0.113'), 'it is not reported from where')
      }
      const claimed = await t.call('GET', address, { token, headers: { 'x-forwarded-for': '203.0.113.9' } })
      assert.equal(claimed.status, 403, 'without a trusted proxy nobody says where he comes from')

      const uses = createCredentialUses(t.db, t.clock)
      const node = await t.openNode({ uses })
      await node.call('GET', address, { token, remoteAddress: '203.0.114.1' })
      t.sent.length = 0
      await uses.write()
      assert.deepEqual(t.sent, [], 'what was refused was no use')
      assert.equal((await read(address, credential_id, own.token)).status, 200, 'other credentials are not touched')
    })

    it('401 for an expired one and for its tokens, within a second', async () => {
      const own = await owner()
      const address = addressOf(collection, own)
      const { basic_token } = (await create(address, { expires_at: inSeconds(3) })).body
      const exchanged = await exchange(basic_token)
      assert(exchanged.body.expires_in <= 3, 'a token does not say that it lives longer')
      const token = exchanged.body.access_token
      const at = t.clock.now().getTime()
      const status = async (after_ms: number) => {
        t.clock.at = new Date(at + after_ms)
        return (await t.call('GET', address, { token })).status
      }
      assert.equal(await status(0), 200)
      assert.equal(await status(3_000 + STOPS_WITHIN_MS), 401)
      assert.equal((await exchange(basic_token)).status, 401)
      assert.equal((await exchange(own.basicToken)).status, 200)
    })

    it('201 alongside 20 that have expired: the one that expired first is replaced, and none that is live', async () => {
      const own = await owner() // has one that never expires
      const address = addressOf(collection, own)
      const idsIn = async () => (await t.made('GET', address, { token: t.viewer })).credentials.length
      const limited = (seconds: number) => create(address, { expires_at: inSeconds(seconds) })
      const [later, first, ...others] = await Promise.all(
        [60, 30, ...Array.from({ length: 17 }, () => 900)].map(limited),
      )
      assert(later && first && others.every(({ status }) => status === 201))
      assert.equal(await idsIn(), 20)
      assert.equal(conflictOf(await create(address)), 'limit_reached')

      t.clock.at = new Date(t.clock.now().getTime() + 90_000)
      const made = await create(address)
      assert.equal(made.status, 201)
      assert.equal((await read(address, first.body.credential_id)).status, 404)
      assert.equal((await read(address, later.body.credential_id)).status, 200, 'its place is not needed yet')
      assert.equal((await exchange(made.body.basic_token)).status, 200)
      assert.equal((await exchange(first.body.basic_token)).status, 401)

      const nodes = [t, await t.openNode(), t, await t.openNode()]
      const together = await Promise.all(nodes.map(({ call }) => create(address, undefined, call)))
      const statuses = together.map(({ status }) => status)
      assert.deepEqual(
        statuses.toSorted((one, other) => one - other),
        [201, 409, 409, 409],
        'one place, one credential',
      )
      assert.equal(await idsIn(), 20)
      for (const basicToken of [own.basicToken, ...others.map(({ body }) => body.basic_token)])
        assert.equal((await exchange(basicToken)).status, 200)
    })

    it('200 until the exact moment of expiry, then 401, for the credential and for a cached token', async () => {
      const own = await owner()
      const address = addressOf(collection, own)
      const expires_at = inSeconds(600)
      const { basic_token } = (await create(address, { expires_at })).body
      const { access_token: token } = (await exchange(basic_token)).body
      const statusesAt = async (time: number) => {
        t.clock.at = new Date(time)
        return [(await t.call('GET', address, { token })).status, (await exchange(basic_token)).status]
      }
      const end = Date.parse(`${expires_at}Z`)
      assert.deepEqual(await statusesAt(end - 1), [200, 200])
      assert.deepEqual(await statusesAt(end), [401, 401])
    })

    it('404 for credentials that are missing, another owner’s, or revoked', async () => {
      const [own, other] = [await owner(), await owner()]
      const address = addressOf(collection, own)
      const missing = await read(address, 'crd_missing')
      assertSameNotFound(await read(address, other.credentialId), missing)
      assertSameNotFound(await read(addressOf(collection, other), other.credentialId, own.token), missing)
      assert.equal((await read(address, own.credentialId, own.token)).status, 200)
      const { credential_id } = (await create(address)).body
      await t.made('DELETE', `${address}/${credential_id}`, { token: t.owner })
      assertSameNotFound(await read(address, credential_id), missing)
    })

    it('200 with the minute of its last use, by exchange or by token; written once a minute, outside the request', async () => {
      const own = await owner()
      const address = addressOf(collection, own)
      const { basic_token, credential_id } = (await create(address)).body
      const uses = createCredentialUses(t.db, t.clock)
      const node = await t.openNode({ uses })
      const lastUse = async () => (await read(address, credential_id)).body.last_used_at
      const minute = (text: string) => `${text.slice(0, 16)}:00`

      t.clock.at = new Date(Date.now() + 10_000)
      const headers = { authorization: `Basic ${basic_token}` }
      const grant = { grant_type: 'client_credentials' }
      const { access_token: token } = (await node.call('POST', '/v1/oauth/token', { headers, body: grant })).body
      assert.equal(await lastUse(), null)
      await uses.write()
      const first = await lastUse()
      assert.equal(first, minute(t.clock.at.toISOString()))

      t.sent.length = 0
      await uses.write()
      assert.deepEqual(t.sent, [], 'nothing has been used since')
      t.clock.at = new Date(t.clock.at.getTime() + 120_000)
      for (let n = 0; n < 5; n++) assert.equal((await node.call('GET', address, { token })).status, 200)
      assert.equal(await lastUse(), first, 'the requests themselves write nothing')
      await uses.write()
      await uses.write()
      assert.equal(t.sent.filter((name) => name === 'credentials_write_uses').length, 1)
      assert.equal(await lastUse(), minute(t.clock.at.toISOString()))
      assert.equal((await read(address, own.credentialId)).body.last_used_at, null, 'that of another is its own')
    })
  })
}

describe('the last use of a credential', () => {
  it('is not updated while its platform is disabled: a rejected use does not count', async () => {
    const platform = await t.platform()
    const uses = createCredentialUses(t.db, t.clock)
    const node = await t.openNode({ uses })
    const status = (word: string) =>
      t.made('PUT', `/v1/platforms/${platform.id}/status`, { token: t.operator, body: { status: word } })
    await status('INACTIVE')
    const address = addressOf('/v1/platforms', platform)
    const call = async () => (await node.call('GET', address, { token: platform.token })).status
    await within(DEADLINE_MS, async () => (await call()) === 401)
    await uses.write() // of the calls before the node had read the revocation
    const lastUse = async () => (await read(address, platform.credentialId)).body.last_used_at
    const before = await lastUse()
    t.clock.at = new Date(Date.now() + 120_000)
    assert.equal(await call(), 401)
    await uses.write()
    t.clock.at = undefined
    assert.equal(await lastUse(), before)
  })

  it('is not lost when the database is down as it is being written', async () => {
    const platform = await t.platform()
    const address = addressOf('/v1/platforms', platform)
    let isAway = true
    const query: typeof t.db.query = async (step, values) => {
      if (isAway && step.name === 'credentials_write_uses') throw new Error('the database is away')
      return t.db.query(step, values)
    }
    const uses = createCredentialUses({ ...t.db, query }, t.clock)
    const node = await t.openNode({ uses })
    assert.equal((await node.call('GET', address, { token: platform.token })).status, 200)
    await assert.rejects(() => uses.write(), /away/)
    const lastUse = async () => (await read(address, platform.credentialId)).body.last_used_at
    assert.equal(await lastUse(), null)
    isAway = false
    await uses.write()
    assert.match(await lastUse(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:00$/)
  })
})

describe('the users of a platform', () => {
  const userStatus = async (id: string, token: string) => (await t.call('GET', `/v1/users/${id}`, { token })).status

  it('401 once the credential they signed in through has expired, also for the token of onboarding', async () => {
    const platform = await t.platform()
    const address = addressOf('/v1/platforms', platform)
    const { basic_token } = (await create(address, { expires_at: inSeconds(600) })).body
    const { access_token: token } = (await exchange(basic_token)).body
    const user = await t.user({ ...platform, token })
    const elsewhere = await t.user(platform)
    const url = `/v1/users/${user.id}/complete_onboarding`
    const { access_token: again } = await t.made('POST', url, { token: user.token, body: ONBOARDING })
    assert.deepEqual([await userStatus(user.id, user.token), await userStatus(user.id, again)], [200, 200])
    t.clock.at = new Date(t.clock.now().getTime() + 600_000 + STOPS_WITHIN_MS)
    assert.deepEqual([await userStatus(user.id, user.token), await userStatus(user.id, again)], [401, 401])
    assert.equal(await userStatus(elsewhere.id, elsewhere.token), 200)
  })

  it('200 from anywhere, whatever the networks of the credential they signed in through', async () => {
    const platform = await t.platform()
    const { basic_token } = (
      await create(addressOf('/v1/platforms', platform), { ip_allow_list: ['127.0.0.1', '203.0.113.0/24'] })
    ).body
    const { access_token: token } = (await exchange(basic_token)).body
    const user = await t.user({ ...platform, token })
    const url = `/v1/users/${user.id}/complete_onboarding`
    const { access_token: again } = await t.made('POST', url, { token, body: ONBOARDING })
    for (const own of [user.token, again]) {
      const response = await t.call('GET', `/v1/users/${user.id}`, { token: own, remoteAddress: '198.51.100.7' })
      assert.equal(response.status, 200)
      assert(
        !Buffer.from(own.split('.')[1] ?? '', 'base64url')
          .toString()
          .includes('203.0.113'),
      )
    }
  })

  it('200 until their tokens expire with keep_user_tokens=true, while the service’s own tokens end', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const address = addressOf('/v1/platforms', platform)
    const { basic_token } = (await create(address)).body
    const { access_token: other } = (await exchange(basic_token)).body
    const revoked = await t.call('DELETE', `${address}/${platform.credentialId}?keep_user_tokens=true`, {
      token: t.operator,
    })
    assert.deepEqual([revoked.status, revoked.body], [200, { revoked: true }])
    const serviceStatus = async (token: string) => (await t.call('GET', address, { token })).status
    await within(DEADLINE_MS, async () => (await serviceStatus(platform.token)) === 401)
    assert.equal((await exchange(platform.basicToken)).status, 401)
    assert.deepEqual([await serviceStatus(other), await userStatus(user.id, user.token)], [200, 200])
    t.clock.at = new Date(t.clock.now().getTime() + 3_601_000)
    assert.equal(await userStatus(user.id, user.token), 401)
  })

  it('200 revoked again without keep_user_tokens: the users’ tokens end too, of this credential and platform only', async () => {
    const [platform, stranger] = [await t.platform(), await t.platform()]
    const user = await t.user(platform)
    const address = addressOf('/v1/platforms', platform)
    const { access_token } = (await exchange((await create(address)).body.basic_token)).body
    const other = await t.user({ ...platform, token: access_token })
    const url = `${address}/${platform.credentialId}`
    const revoke = (at: string) => t.made('DELETE', at, { token: t.operator })
    assert.deepEqual(await revoke(`${url}?keep_user_tokens=true`), { revoked: true })
    assert.deepEqual(await revoke(`${url}?keep_user_tokens=true`), { revoked: false })
    const ofStranger = `${addressOf('/v1/platforms', stranger)}/${platform.credentialId}`
    assert.deepEqual(await revoke(ofStranger), { revoked: false })
    const ended = () => t.sql('select 1 from revocations where subject = $1', [`credential:${platform.credentialId}`])
    assert.deepEqual([await ended(), await userStatus(user.id, user.token)], [[], 200])

    assert.deepEqual(await revoke(url), { revoked: false })
    await within(STOPS_WITHIN_MS, async () => (await userStatus(user.id, user.token)) === 401)
    assert.equal(await userStatus(other.id, other.token), 200)
    assert.deepEqual(await revoke(url), { revoked: false })
    assert.equal((await ended()).length, 1, 'once')
    const read = await t.sql(`select action from audit_entries where subject = $1 and action = 'revoke'`, [
      platform.credentialId,
    ])
    assert.equal(read.length, 2, 'both are in the audit')
  })

  it('422 for a value other than true or false, and for benefit providers, which have no users; nothing is revoked', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const ofPlatform = `${addressOf('/v1/platforms', platform)}/${platform.credentialId}`
    const ofProvider = `${addressOf('/v1/benefit_providers', provider)}/${provider.credentialId}`
    const token = t.operator
    const yes = await t.call('DELETE', `${ofPlatform}?keep_user_tokens=yes`, { token })
    assert.deepEqual(errorsOf(yes), ['query:keep_user_tokens not_allowed'])
    const none = await t.call('DELETE', `${ofProvider}?keep_user_tokens=true`, { token })
    assert.deepEqual(errorsOf(none), ['query:keep_user_tokens unknown'])
    assert.equal((await exchange(platform.basicToken)).status, 200)
    assert.equal((await exchange(provider.basicToken)).status, 200)
    const no = await t.made('DELETE', `${ofPlatform}?keep_user_tokens=false`, { token })
    assert.deepEqual(no, { revoked: true })
  })
})
