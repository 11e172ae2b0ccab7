import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { rotateHashKey } from '../../../src/domains/people/users/hash-keys-store.ts'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { newSigningJwk, readSigningKeys, type SigningKeys } from '../../../src/settings/keys.ts'
import { masterKeyStatus, rotateMasterKeys } from '../../../src/access/data-keys.ts'
import { nextSigningKeys } from '../../../src/access/signing-key-rotation.ts'
import { movableClock } from '../../../src/kernel/clock.ts'
import { createVault, type VaultKeys } from '../../../src/kernel/crypto/vault.ts'
import type { App } from '../../../src/app.ts'
import { rehashAll } from '../../../src/boot/rehash.ts'
import { openTestApp } from '../../support/app.ts'
import { partsWith } from '../../support/installation.ts'
import { clientOf, type Reply } from '../../support/server.ts'

const t = await openTestApp({ own: true })

/** Longer than the deployments take on any machine: the new signing key signs once every server knows it. */
const LEAD_S = 600
/** Of the tokens: it moves to the time from which the new signing key signs. */
const clock = movableClock()

function signingKeysIn(text: string): SigningKeys {
  const keys = readSigningKeys(text, [])
  assert(keys)
  return keys
}

type Keys = VaultKeys & { signingKeys: SigningKeys }
type Process = { app: App; origin: string; busy: number; isLeaving: boolean }

/**
 * Servers behind a load balancer that sends no new requests to one that is draining, and lets it finish the current
 * ones.
 */
const servers: Process[] = []

async function start(keys: Keys): Promise<void> {
  await checkKeys(t.db, keys)
  const { app } = await t.openNode({ poolSize: 4, ...partsWith(keys, clock) })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  servers.push({ app, origin, busy: 0, isLeaving: false })
}

const load = { served: 0, isOver: false }

/** Replaces one server after another, as a rolling deployment does; old and new ones share the load meanwhile. */
async function deploy(keys: Keys): Promise<void> {
  for (const former of servers.slice()) {
    await start(keys)
    const enough = load.served + 60
    while (load.served < enough) await sleep(5)
    former.isLeaving = true
    while (former.busy > 0) await sleep(5)
    servers.splice(servers.indexOf(former), 1)
    await former.app.close()
  }
}

async function send(...call: Parameters<ReturnType<typeof clientOf>>): Promise<Reply> {
  const choices = servers.filter(({ isLeaving }) => !isLeaving)
  const server = choices[randomInt(choices.length)] as Process
  server.busy++
  try {
    return await clientOf(server.origin)(...call)
  } finally {
    server.busy--
    load.served++
  }
}

describe('rotation of every key', () => {
  it('under load fails no request, loses and duplicates no user, and leaves only the new keys in use', async () => {
    const platform = await t.platform()
    const signing = { text: JSON.stringify({ keys: [newSigningJwk()] }) }
    const [m1, m2] = [t.keys.masterKeys[0], { id: 'new', key: Buffer.alloc(32, 91) }]
    const [h1, h2] = [t.keys.hashKeys[0], Buffer.alloc(32, 92)]
    assert(m1)
    const keysWith = (masterKeys: VaultKeys['masterKeys'], hashKeys: VaultKeys['hashKeys']): Keys => ({
      masterKeys,
      hashKeys,
      signingKeys: signingKeysIn(signing.text),
    })
    for (let server = 0; server < 2; server++) await start(keysWith([m1], [h1]))

    const failures: string[] = []
    const people = new Map<string, string>()
    const signers = new Set<string>()
    let requests = 0
    const checked = async (...call: Parameters<typeof send>): Promise<Reply> => {
      requests++
      const reply = await send(...call)
      if (reply.status >= 400) failures.push(`${call[0]} ${call[1]}: ${reply.status} ${reply.text}`)
      return reply
    }
    const tokenOf = async () => {
      const { body } = await checked('POST', '/v1/oauth/token', {
        headers: { authorization: `Basic ${platform.basicToken}` },
        body: { grant_type: 'client_credentials' },
      })
      const token = body.access_token as string
      signers.add((JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid)
      return token
    }
    const signIn = async (token: string, phone: string) => {
      const body = { phone_country_code: '+91', phone_number: phone, first_name: 'Asha' }
      const headers = { 'idempotency-key': randomUUID() }
      return (await checked('POST', '/v1/auth/token', { token, headers, body })).body
    }
    const oneCaller = async () => {
      let token = await tokenOf()
      while (!load.isOver) {
        const phone = String(randomInt(1e9, 1e10))
        const [one, other] = await Promise.all([signIn(token, phone), signIn(token, phone)])
        if (one.user_id !== other.user_id) failures.push(`two users with the phone ${phone}`)
        people.set(phone, one.user_id)
        const [known, id] = [...people][randomInt(people.size)] as [string, string]
        if ((await signIn(token, known)).user_id !== id) failures.push(`the user with the phone ${known} is lost`)
        const read = await checked('GET', `/v1/users/${id}`, { token })
        if (read.body.first_name !== 'Asha') failures.push('what was sealed does not open')
        // A token is valid for an hour: the previous one is used while another is fetched.
        if (randomInt(3) === 0) token = await tokenOf()
      }
    }
    const callers = [oneCaller(), oneCaller(), oneCaller()]
    const rotation = async () => {
      const next = nextSigningKeys({ text: signing.text, clock, lead_s: LEAD_S })
      signing.text = next.text
      await deploy(keysWith([m1, m2], [h1, h2]))
      await deploy(keysWith([m2, m1], [h2, h1]))
      const keys = keysWith([m2, m1], [h2, h1])
      const context = { db: t.db, keys, vault: createVault(keys) }
      await rotateMasterKeys(context, () => {})
      const masters = await masterKeyStatus(context)
      assert.equal(masters.find(({ id }) => id === m1.id)?.total, 0)
      const hashes = await rotateHashKey(context, () => rehashAll(context, () => {}))
      assert.deepEqual(
        hashes.map(({ first, total }) => first || total),
        [true, 0],
      )
      await deploy(keysWith([m2], [h2]))
      const before = people.size
      clock.moveBy(LEAD_S * 1_000)
      while (people.size < before + 5 || !signers.has(next.kid)) await sleep(50)
    }
    await rotation().finally(() => (load.isOver = true))
    await Promise.all(callers)

    assert.deepEqual(failures, [])
    assert(requests > 100, `${requests} requests`)
    assert.equal(signers.size, 2, 'both signing keys have signed')
    const alone = await t.openNode(partsWith(keysWith([m2], [h2]), clock))
    for (const [phone, id] of people) {
      const found = await alone.call('POST', '/v1/users/search', {
        token: alone.tokens.issueToAdministrator({ role: 'owner', subject: 'test' }).token,
        body: { phone_country_code: '+91', phone_number: phone, platform_id: platform.id },
      })
      assert.deepEqual(
        found.body.data.map(({ user_id }: { user_id: string }) => user_id),
        [id],
      )
    }
  })
})
