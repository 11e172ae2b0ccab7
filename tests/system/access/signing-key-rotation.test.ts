import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createCardTokens } from '../../../src/access/card-tokens.ts'
import { newSigningJwk, readSigningKeys, type SigningKeys } from '../../../src/settings/keys.ts'
import { nextSigningKeys, signingKeyStatus } from '../../../src/access/signing-key-rotation.ts'
import { createTokens } from '../../../src/access/tokens.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { newWorkspace, runCommand } from '../../support/server.ts'

/** 16 bytes. */
const CARD_ID = `${'a'.repeat(21)}Q`

const HOUR_S = 3_600
const BEGIN = Date.parse('2026-06-15T06:30:00Z')
const clock = { at: BEGIN, now: () => new Date(clock.at) }
const hoursLater = (hours: number) => (clock.at = BEGIN + hours * HOUR_S * 1000)

function parsed(text: string): SigningKeys {
  const errors: string[] = []
  const keys = readSigningKeys(text, errors)
  assert(keys, errors.join())
  return keys
}

const serverWith = (text: string) =>
  createTokens({ keys: parsed(text), issuer: 'http://banyan.test', audience: 'http://banyan.test/v1', clock })
const PLATFORM = { platformId: 'plt_1', epoch: 1, credentialId: 'cred_1' }
const tokenOf = (text: string) => serverWith(text).issueToPlatform(PLATFORM).token
const kidOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid
const rotated = (text: string) => nextSigningKeys({ text, clock, lead_s: HOUR_S })

const jwksOf = (text: string) => serverWith(text).jwks().keys
const first = JSON.stringify({ keys: [newSigningJwk()] })
const firstKid = parsed(first)[0].kid

describe('signing key rotation by a single command', () => {
  it('publishes the new key before it signs, and signs with it from its start time without a restart', async () => {
    hoursLater(0)
    const { text, kid, signsFrom } = rotated(first)
    assert.equal(signsFrom.toISOString(), '2026-06-15T07:30:00.000Z')
    const server = serverWith(text)
    assert.deepEqual(
      server.jwks().keys.map((key) => key.kid),
      [firstKid, kid],
    )
    const signer = () => kidOf(server.issueToPlatform(PLATFORM).token)
    clock.at = signsFrom.getTime() - 1
    assert.equal(signer(), firstKid)
    clock.at = signsFrom.getTime()
    assert.equal(signer(), kid)
  })

  it('every server accepts tokens of the old key until they expire, and tokens of the new key', async () => {
    hoursLater(0)
    const { text } = rotated(first)
    clock.at = BEGIN + HOUR_S * 1000 - 1 // the last moment of the old key
    const [before, afterwards] = [tokenOf(first), tokenOf(text)]
    hoursLater(1.99)
    const kindOf = (token: string) => serverWith(text).verify(`Bearer ${token}`).kind
    for (const token of [before, afterwards]) assert.equal(kindOf(token), 'platform')
    const young = tokenOf(text)
    assert.notEqual(kidOf(young), firstKid)
    assert.equal(kindOf(young), 'platform')
    hoursLater(2.01)
    assert.throws(() => kindOf(before), { code: 'token_expired' })
  })

  it('a second rotation is rejected while the new key is pending, since servers could switch in different orders', () => {
    hoursLater(0)
    const { text, kid } = rotated(first)
    hoursLater(0.9)
    assert.throws(
      () => rotated(text),
      new StartError(`The signing key ${kid} waits until 2026-06-15T07:30:00.000Z; rotate again when it signs.`),
    )
    assert.equal(parsed(text).length, 2)
  })

  it('keeps a private half until its last token has expired, and the public half for printed cards', async () => {
    hoursLater(0)
    const card = createCardTokens({ keys: parsed(first) }).issue(CARD_ID)
    const second = rotated(first)
    const halves = (text: string) => Object.fromEntries(parsed(text).map((key) => [key.kid, key.privateKey !== null]))
    hoursLater(1.5)
    const third = rotated(second.text)
    assert.deepEqual(halves(third.text), { [firstKid]: true, [second.kid]: true, [third.kid]: true })
    hoursLater(3.6)
    assert.deepEqual(
      signingKeyStatus(parsed(third.text), clock)
        .map(({ state }) => state)
        .toSorted(),
      ['signs', 'spent', 'spent'],
    )
    const fourth = rotated(third.text)
    assert.deepEqual(halves(fourth.text), {
      [firstKid]: false,
      [second.kid]: false,
      [third.kid]: true,
      [fourth.kid]: true,
    })
    assert(!JSON.stringify(jwksOf(fourth.text)).includes('"d"'), 'no private half is published')
    assert.equal(createCardTokens({ keys: parsed(fourth.text) }).read(card), CARD_ID)
  })

  it('a key without a start time signs from the beginning; the first one wins, as before', async () => {
    const [one, two] = [newSigningJwk(), newSigningJwk()]
    const both = JSON.stringify({ keys: [one, two] })
    assert.equal(kidOf(tokenOf(both)), one.kid)
    assert.deepEqual(
      signingKeyStatus(parsed(both), clock).map(({ state }) => state),
      ['signs', 'verifies'],
    )
    for (const nbf of ['soon', -1, 1.5, null]) {
      assert.equal(readSigningKeys(JSON.stringify({ keys: [one, { ...two, nbf }] }), []), undefined, String(nbf))
    }
  })
})

describe('keys rotate-signing', () => {
  it('prints the next SIGNING_KEYS and nothing else where they come from the environment, and stores nothing', async () => {
    const workspace = await newWorkspace()
    after(() => workspace.remove())
    const environment = { ...workspace.environment, SIGNING_KEYS: first }
    const { code, stdout, stderr } = await runCommand(['keys', 'rotate-signing', '--lead', '5'], environment)
    const [before, fresh] = parsed(stdout)
    assert.deepEqual([code, before.kid, fresh?.privateKey !== null], [0, firstKid, true])
    assert.match(stderr, new RegExp(`^${fresh?.kid} signs from .*Z; restart every server with it before then.\\n$`))
    const again = await runCommand(['keys', 'rotate-signing'], { ...environment, SIGNING_KEYS: stdout.trim() })
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(again.stderr, /^The signing key \w+ waits until .*; rotate again when it signs\.\n$/)
    assert.equal((await runCommand(['keys', 'rotate-signing', '--lead', 'soon'], environment)).code, 2)
    const broken = await runCommand(['keys', 'rotate-signing'], { ...environment, SIGNING_KEYS: '{}' })
    assert.deepEqual([broken.code, broken.stdout], [2, ''], 'as for every command with a wrong setting')
    assert.match(broken.stderr, /^SIGNING_KEYS must be a JWK set .*\n$/)
  })

  it('renews the file in the data folder otherwise, readable by its owner only, and prints no key', async () => {
    const workspace = await newWorkspace()
    after(() => workspace.remove())
    const file = join(workspace.dataDir, 'keys', 'signing-keys.json')
    const { code, stdout } = await runCommand(['keys', 'rotate-signing'], workspace.environment)
    assert.deepEqual([code, stdout], [0, ''])
    assert.equal(parsed(readFileSync(file, 'utf8')).length, 2)
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })
})
