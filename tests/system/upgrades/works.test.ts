import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runErasures } from '../../../src/domains/privacy/personal-data/index.ts'
import { erasureDeps } from '../../../src/data-map/erase.ts'
import { verifyLedger } from '../../../src/domains/money/ledger/index.ts'
import { type Body, openTestApp, type TestApp } from '../../support/app.ts'
import { SESSION_COOKIE } from '../../support/administrators.ts'
import { isVerified } from '../../support/receiver.ts'
import { openWebhooks } from '../../support/webhooks.ts'
import { type Holder, type Kept, keptVersions, readKept } from '../../upgrades/kept.ts'
import { callersOf } from '../../upgrades/replay-reads.ts'
import { restore } from '../../upgrades/restore.ts'

const MINUTE_MS = 60_000

for (const version of keptVersions()) {
  const kept = readKept(version)
  const t = await openTestApp({ own: true, existing: await restore(kept, { isYoung: true }) })
  t.calendar.at = new Date(kept.scene.calendar)
  const callers = await callersOf(t, kept)
  describe(`after an upgrade from ${version}`, () => describeUpgraded(t, kept, callers))
}

function describeUpgraded(t: TestApp, { scene }: Kept, callers: Awaited<ReturnType<typeof callersOf>>): void {
  const headersOf = (name: string) => callers.get(name) ?? assert.fail(name)
  const platformOf = ({ platformId }: Pick<Holder, 'platformId'>) =>
    headersOf(`platform ${scene.platforms.findIndex(({ id }) => id === platformId)}`)
  const userIn = (path: string) => scene.users.find(({ id }) => path.includes(id))
  const refresh = (refresh_token: string) =>
    t.call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })
  const withWallet = scene.users.flatMap((user) => (user.tokens ? [{ ...user, tokens: user.tokens }] : []))
  const balanceOf = async (user: Holder) =>
    (await t.made('GET', `/v1/users/${user.id}/wallet`, { headers: platformOf(user) })).balance as number

  it('200 for access tokens of before until they expire, 401 for one whose credential was revoked', async () => {
    const [platform] = scene.platforms
    const addresses: Record<string, string> = {
      owner: '/v1/platforms',
      platform: `/v1/platforms/${platform?.id}/credentials`,
      provider: '/v1/benefit_providers',
      user: '/v1/benefit_providers',
      wallet: '/wallet/v1/wallet',
    }
    t.clock.at = new Date(Date.parse(scene.madeAt) + MINUTE_MS)
    try {
      for (const [kind, token] of Object.entries(scene.accessTokens)) {
        const { status, text } = await t.call('GET', addresses[kind] ?? '', { token })
        assert.equal(status, 200, `${kind}: ${text}`)
      }
      const { tokenUntilThen: token } = scene.revoked
      assert.equal((await t.call('GET', addresses['platform'] ?? '', { token })).status, 401)
      t.clock.at = new Date(Date.parse(scene.madeAt) + 61 * MINUTE_MS)
      assert.equal((await t.call('GET', '/v1/platforms', { token: scene.accessTokens['owner'] ?? '' })).status, 401)
    } finally {
      t.clock.at = undefined
    }
  })

  it('401 for a revoked credential, also when it is revoked only now', async () => {
    const exchange = async (basicToken: string) => {
      const headers = { authorization: `Basic ${basicToken}` }
      return (await t.call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })).status
    }
    assert.equal(await exchange(scene.revoked.basicToken), 401)
    const provider = scene.providers.at(-1) ?? assert.fail()
    assert.equal(await exchange(provider.basicToken), 200)
    const path = `/v1/benefit_providers/${provider.id}/credentials`
    const { credentials } = await t.made('GET', path, { token: t.owner })
    for (const { credential_id } of credentials) await t.made('DELETE', `${path}/${credential_id}`, { token: t.owner })
    assert.equal(await exchange(provider.basicToken), 401)
  })

  it('200 for a refresh token of before, 401 for one that was used up or ended', async () => {
    assert(withWallet.length > 3)
    for (const { tokens } of withWallet.slice(1)) {
      const { status, body, text } = await refresh(tokens.refresh)
      assert.equal(status, 200, text)
      assert.equal((await t.call('GET', '/wallet/v1/wallet', { token: body.access_token })).status, 200)
      assert.equal((await refresh(tokens.former)).status, 401)
      assert.equal((await refresh(body.refresh_token)).status, 401, 'its whole family has ended')
    }
    assert.equal((await refresh(scene.endedRefreshToken)).status, 401)
  })

  it('replays the response to every idempotency key of before, and does nothing again', async () => {
    assert(scene.replays.length > 5)
    for (const { path, key, body, status, response } of scene.replays) {
      const user = userIn(path)
      if (!user) continue // erased
      const headers = { ...platformOf(user), 'idempotency-key': key }
      const replayed = await t.call('POST', path, { headers, body })
      assert.equal(replayed.status, status, `${path}: ${replayed.text}`)
      assert.equal(replayed.headers['idempotent-replayed'], 'true', path)
      assert.deepEqual(replayed.body, response)
      if (!path.includes('/wallet/')) continue
      const other = await t.call('POST', path, { headers, body: { ...body, amount: 7 } })
      assert.equal(other.status, 422, `${path}: ${other.headers['idempotent-replayed']} ${other.text}`)
      assert.equal(other.body.code, 'idempotency_key_reused')
    }
  })

  it('credits and debits a wallet of before, and the ledger stays right', async () => {
    for (const [index, user] of withWallet.entries()) {
      const { status, body } = await t.call('GET', `/v1/users/${user.id}/wallet`, { headers: platformOf(user) })
      assert.equal(status, 200)
      if (body.wallet_status_partner !== 'ACTIVE') continue
      const before = body.balance as number
      const book = (kind: string, amount: number) =>
        t.made('POST', `/v1/users/${user.id}/wallet/${kind}`, {
          headers: { ...platformOf(user), 'idempotency-key': `after-${index}-${kind}` },
          body: { amount, reference: `after the upgrade, ${kind} ${index}` },
        })
      await book('credits', 300)
      await book('debits', 100)
      assert.equal(await balanceOf(user), before + 200)
    }
    const { wallets, wrong } = await verifyLedger(t.db, () => {})
    assert.deepEqual([wallets >= withWallet.length - 2, wrong], [true, []])
  })

  it('200 for the cookie of an administrator who logged in before', async () => {
    for (const [role, secret] of Object.entries(scene.sessions)) {
      const { status, body } = await t.call('GET', '/v1/auth/session', {
        headers: { cookie: `${SESSION_COOKIE}=${secret}` },
      })
      assert.deepEqual([status, body?.role], [200, role])
    }
  })

  it('people of before continue their consultations, and read all messages', async () => {
    for (const { path, body } of newMessages(scene)) {
      const user = userIn(path) ?? assert.fail(path)
      const sent = await t.call('POST', path, { headers: platformOf(user), body })
      assert(sent.status === 201 || sent.body.code === 'invalid_state', `${path}: ${sent.text}`) // some are closed
      const { data } = await t.made('GET', `${path}?limit=100`, { headers: platformOf(user) })
      assert(data.messages.length > 0)
    }
  })

  if (scene.webhook)
    describeWebhook(t, scene.webhook, () => ({
      headers: platformOf(withWallet[0] ?? assert.fail()),
      user: withWallet[0] ?? assert.fail(),
    }))

  it('404 for a person who was erased before', async () => {
    for (const id of scene.erased) {
      for (const path of ['', '/export', '/insurance_policies', '/consultations'])
        assert.equal((await t.call('GET', `/v1/users/${id}${path}`, { token: t.owner })).status, 404)
    }
  })

  it('erases people of before, whatever they have, and nothing of them can be read', async () => {
    const people = scene.users.filter(({ tokens }) => tokens === null)
    assert(people.length > 5)
    for (const user of people) {
      const path = `/v1/users/${user.id}`
      assert.equal((await t.call('GET', `${path}/export`, { headers: platformOf(user) })).status, 200)
      const erased = await t.call('DELETE', `${path}?end_policies=true`, { headers: platformOf(user) })
      assert.equal(erased.status, 200, erased.text)
    }
    await runErasures({ ...t.deps, ...erasureDeps(t.deps) }, t.log)
    for (const user of people) {
      for (const path of ['', '/export', '/insurance_policies'])
        assert.equal((await t.call('GET', `/v1/users/${user.id}${path}`, { token: t.owner })).status, 404)
      const again = await t.made('POST', '/v1/auth/token', { headers: platformOf(user), body: user.identity })
      assert.notEqual(again.user_id, user.id)
    }
    const rows = await t.sql('select user_id from users where data_key is not null and user_id = any ($1)', [
      people.map(({ id }) => id),
    ])
    assert.deepEqual(rows, [])
  })
}

type Write = { path: string; body: Body }

/** A message to each consultation. */
function newMessages({ ids, erased }: Kept['scene']): Write[] {
  return ids.flatMap(({ user_id, consultation_id }) =>
    consultation_id === undefined || erased.includes(user_id ?? '')
      ? []
      : [
          {
            path: `/v1/users/${user_id}/consultations/${consultation_id}/messages`,
            body: { body: { content: 'After the upgrade', message_type: 'TEXT' } },
          },
        ],
  )
}

type Crediting = { headers: Record<string, string>; user: Holder }

function describeWebhook(t: TestApp, { id, secret }: { id: string; secret: string }, crediting: () => Crediting): void {
  it('delivers to a webhook endpoint of before, signed with the secret of before', async () => {
    const { openReceiver, delivered } = await openWebhooks(t)
    const receiver = await openReceiver()
    const { headers, user } = crediting()
    const path = `/v1/webhook_endpoints/${id}`
    await t.made('PATCH', path, { headers, body: { url: receiver.url } })
    const test = await t.made('POST', `${path}/test`, { headers })
    const keyed = { ...headers, 'idempotency-key': 'after-the-upgrade' }
    const body = { amount: 1, reference: 'after the upgrade, webhook' }
    await t.made('POST', `/v1/users/${user.id}/wallet/credits`, { headers: keyed, body })
    await delivered(() => receiver.received.length >= 2)
    assert(receiver.received.some(({ event }) => event.id === test.id))
    for (const one of receiver.received) assert(isVerified(secret, one))
    const { data } = await t.made('GET', `${path}/deliveries?limit=100`, { headers })
    const [old] = data.filter((one: Body) => !receiver.received.some(({ event }) => event.id === one.id))
    await t.made('POST', `${path}/deliveries/${old.id}/replay`, { headers })
    await delivered(() => receiver.received.some(({ event }) => event.id === old.id))
  })
}
