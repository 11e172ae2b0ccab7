import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { createTokens } from '../../src/access/tokens.ts'
import { openTestApp, ORIGIN } from '../support/app.ts'
import { credentialOf, ROLE_TABLE } from './role-table.ts'
import { addressOf, MISSING } from './world.ts'

const t = await openTestApp()
const platform = await t.platform()
const [signer] = t.keys.signingKeys
const stranger = generateKeyPairSync('ed25519').privateKey

type Part = Record<string, unknown>
const [goodHeader, goodClaims] = platform.token.split('.').slice(0, 2).map(decode) as [Part, Part]

function decode(part: string): Part {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Returns a valid token of the service with the given changes, signed with its key unless another is given. */
function forged({ header = {}, claims = {} }: { header?: Part; claims?: Part } = {}, key: KeyObject | null = null) {
  const body = `${encode({ ...goodHeader, ...header })}.${encode({ ...goodClaims, ...claims })}`
  return `${body}.${sign(null, Buffer.from(body), key ?? signer.privateKey).toString('base64url')}`
}

function forgedWithMac(alg: string, secret: Buffer): string {
  const body = `${encode({ ...goodHeader, alg })}.${encode(goodClaims)}`
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`
}

const [head = '', claims = '', signature = ''] = platform.token.split('.')
const publicKey = signer.publicKey.export({ format: 'der', type: 'spki' })
const asOwner = { role: 'owner', sub: 'intruder' }
const elsewhere = { keys: t.keys.signingKeys, issuer: ORIGIN, audience: `${ORIGIN}/wallet/v1`, clock: t.clock }

/** What a thief, a mistaken partner or an old bug might send. Each differs from a valid token in one point. */
const BAD_TOKENS: Record<string, string> = {
  'not a token': 'abc',
  'two parts': `${head}.${claims}`,
  'four parts': `${platform.token}.${signature}`,
  'an empty signature': `${head}.${claims}.`,
  'alg none, no signature': `${encode({ ...goodHeader, alg: 'none' })}.${claims}.`,
  'alg none, the old signature': `${encode({ ...goodHeader, alg: 'none' })}.${claims}.${signature}`,
  'alg NONE, signed': forged({ header: { alg: 'NONE' } }),
  'another algorithm in the header': forged({ header: { alg: 'ES256' } }),
  'a MAC keyed with the public key': forgedWithMac('HS256', publicKey),
  'a MAC keyed with the public key in PEM': forgedWithMac(
    'HS256',
    Buffer.from(signer.publicKey.export({ format: 'pem', type: 'spki' })),
  ),
  'another key under our key id': forged({}, stranger),
  'an unknown key id': forged({ header: { kid: 'other' } }),
  'no key id': forged({ header: { kid: undefined } }),
  'a key of its own in the header': forged(
    { header: { kid: undefined, jwk: stranger.export({ format: 'jwk' }) } },
    stranger,
  ),
  'an unknown critical header': forged({ header: { crit: ['b64'], b64: false } }),
  'a tampered payload': `${head}.${encode({ ...goodClaims, ...asOwner })}.${signature}`,
  'a tampered header': `${encode({ ...goodHeader, x: 1 })}.${claims}.${signature}`,
  'the type JWT': forged({ header: { typ: 'JWT' } }),
  'no type': forged({ header: { typ: undefined } }),
  'the wallet audience': createTokens(elsewhere).issueToAdministrator({ role: 'owner', subject: 'x' }).token,
  'no audience': forged({ claims: { aud: undefined } }),
  'another issuer': forged({ claims: { iss: 'https://elsewhere.example' } }),
  'valid from tomorrow': forged({ claims: { nbf: Number(goodClaims['iat']) + 86_400 } }),
  'a start that is no time': forged({ claims: { nbf: 'now' } }),
  'a longer life than any role has': forged({ claims: { exp: Number(goodClaims['exp']) + 1 } }),
  'a longer life than its role allows': forged({ claims: { role: 'owner' } }),
  'no end': forged({ claims: { exp: undefined } }),
  'no id': forged({ claims: { jti: undefined } }),
  'no subject': forged({ claims: { sub: undefined } }),
  'no role': forged({ claims: { role: undefined } }),
  'an unknown role': forged({ claims: { role: 'root' } }),
  'a user without a user id': forged({ claims: { role: 'user' } }),
  'a user id that is none': forged({ claims: { role: 'user', user_id: '123' } }),
  'padding after the signature': `${platform.token}==`,
  'padding after the payload': `${head}.${claims}=.${signature}`,
  'a blank in the payload': `${head}.${claims.slice(0, 8)} ${claims.slice(8)}.${signature}`,
  'a tab in the signature': `${head}.${claims}.${signature.slice(0, 8)}\t${signature.slice(8)}`,
  'a blank after the dot': `${head}. ${claims}.${signature}`,
  'the other base64 alphabet': `${head}.${claims}.${signature.slice(0, -2)}+/`,
  'the same signature in another spelling': `${head}.${claims}.${withOtherEncoding(signature)}`,
  'another first byte of the signature': `${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
  'another last byte of the signature': `${head}.${claims}.${signature.slice(0, -2)}${signature.at(-2) === 'A' ? 'B' : 'A'}${signature.at(-1)}`,
  'eight thousand characters': 'a'.repeat(8_000),
}

/** In base64url the last character of 64 bytes has 4 bits that decoders ignore; a token still has a single spelling. */
function withOtherEncoding(text: string): string {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const other = `${text.slice(0, -1)}${ALPHABET[ALPHABET.indexOf(text.at(-1) as string) + 1]}`
  assert.deepEqual(Buffer.from(other, 'base64url'), Buffer.from(text, 'base64url'))
  return other
}

const url = '/v1/benefit_providers'

describe('a token that is not ours', () => {
  it('200 for an untouched token, and for one re-signed without a change', async () => {
    assert.equal((await t.call('GET', url, { token: platform.token })).status, 200)
    assert.equal((await t.call('GET', url, { token: forged() })).status, 200)
  })

  // One check before every operation rejects them: each operation gets one of them, and each of them goes to some operations.
  const bearing = ROLE_TABLE.filter((row) => credentialOf(row) === 'bearer')
  const bad = Object.entries(BAD_TOKENS)
  for (const [index, [what, token]] of bad.entries()) {
    it(`401: ${what}`, async () => {
      const rows = bearing.filter((_, position) => position % bad.length === index)
      assert(rows.length > 0)
      for (const row of rows) {
        const { status, body, headers, text } = await t.call(row.method, addressOf(row.path, MISSING), { token })
        assert.equal(status, 401, `${row.method} ${row.path}`)
        assert.equal(body.code, 'unauthenticated')
        assert.match(headers['www-authenticate'] ?? '', /^Bearer error="invalid_token"$/)
        assert(!text.includes(token.slice(0, 40)) || token.length < 5, 'the response does not repeat the token')
      }
    })
  }

  it('401 for other schemes, and for a header that holds more than a token', async () => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      platform.token,
      `Basic ${platform.basicToken}`,
      `Token ${platform.token}`,
      `Bearer ${platform.token} ${platform.token}`,
      `Bearer ${platform.token}, Bearer ${platform.token}`,
      `Bearer "${platform.token}"`,
    ]) {
      const response = await t.call('GET', url, { headers: { authorization } })
      assert.equal(response.status, 401, authorization.slice(0, 30))
    }
  })

  it('401 for a token in the query or in a form: only the header counts', async () => {
    const response = await t.call('GET', `${url}?access_token=${platform.token}`)
    assert.equal(response.status, 401)
  })
})

describe('an expired token', () => {
  const MINUTE_MS = 60_000

  async function statusAt(token: string, minutes: number): Promise<string> {
    t.clock.at = new Date(Date.now() + minutes * MINUTE_MS)
    try {
      const response = await t.call('GET', url, { token })
      return response.status === 200 ? '200' : `${response.status} ${response.body.code}`
    } finally {
      t.clock.at = undefined
    }
  }

  it('401 token_expired after 60 minutes for platforms, providers and users, and not before', async () => {
    const [provider, user] = [await t.provider(), await t.user(platform)]
    const fresh = [await t.platform(), provider, user].map((holder) => holder.token)
    for (const token of fresh) {
      assert.equal(await statusAt(token, 61), '401 token_expired', 'never shown before')
      assert.equal(await statusAt(token, 59), '200')
      assert.equal(await statusAt(token, 61), '401 token_expired', 'known from before')
      assert.equal(await statusAt(token, 61), '401 token_expired', 'and again')
    }
  })

  it('401 token_expired after 15 minutes for administrators', async () => {
    for (const token of [t.viewer, t.operator, t.owner]) {
      assert.equal(await statusAt(token, 14), '200')
      assert.equal(await statusAt(token, 16), '401 token_expired')
    }
  })

  it('401 token_expired from exactly the second of expiry, even when the token is cached', async () => {
    const { token, expiresAt } = t.deps.tokens.issueToAdministrator({ role: 'viewer', subject: 'test-second' })
    const until = (expiresAt * 1000 - Date.now()) / MINUTE_MS
    assert.equal(await statusAt(token, until - 1 / 60), '200')
    t.clock.at = new Date(expiresAt * 1000)
    const response = await t.call('GET', url, { token })
    t.clock.at = undefined
    assert.equal(`${response.status} ${response.body.code}`, '401 token_expired')
  })

  it('401 token_expired while it is from the future, in which a clock was when it was issued; then 200', async () => {
    t.clock.at = new Date(Date.now() + 10 * MINUTE_MS)
    const { token, expiresAt } = t.deps.tokens.issueToPlatform({
      platformId: platform.id,
      epoch: 0,
      credentialId: platform.credentialId,
    })
    const status = async () => (await t.call('GET', '/v1/sponsors', { token })).status
    assert.equal(await status(), 200)
    t.clock.at = undefined
    assert.equal(await status(), 401, 'also when it is cached')
    t.clock.at = new Date((expiresAt - 1) * 1_000)
    assert.equal(await status(), 200)
    t.clock.at = undefined
  })

  it('401 token_expired on every operation, with the error code that clients check', async () => {
    const token = forged({ claims: { iat: 1_000, exp: 2_000 } })
    for (const row of ROLE_TABLE.filter((candidate) => credentialOf(candidate) === 'bearer')) {
      const { status, body, headers } = await t.call(row.method, addressOf(row.path, MISSING), { token })
      assert.equal(`${status} ${body.code}`, '401 token_expired', `${row.method} ${row.path}`)
      assert.match(headers['www-authenticate'] ?? '', /error="invalid_token"/)
    }
  })

  it('401 unauthenticated, not token_expired, when the token is also forged', async () => {
    const response = await t.call('GET', url, { token: forged({ claims: { exp: 2_000 } }, stranger) })
    assert.equal(response.body.code, 'unauthenticated')
  })
})

describe('keys', () => {
  it('200 for a token of either published key; both are published without their private halves', async () => {
    const second = t.keys.signingKeys[1]
    assert(second)
    assert.equal(
      (await t.call('GET', url, { token: forged({ header: { kid: second.kid } }, second.privateKey) })).status,
      200,
    )
    const { body } = await t.call('GET', '/.well-known/jwks.json')
    assert.deepEqual(
      body.keys.map((key: { kid: string }) => key.kid),
      t.keys.signingKeys.map(({ kid }) => kid),
    )
    for (const key of body.keys) assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })

  it('put ids and roles into a token, and nothing personal', async () => {
    const input = {
      first_name: 'Asha',
      last_name: 'Example',
      email: 'asha@example.com',
      id_proof: { number: 'ZZ7654321' },
    }
    const user = await t.user(platform, input)
    const { iss, aud, role, sub, platform_id, user_id, client_id, ...rest } = decode(user.token.split('.')[1] as string)
    assert.deepEqual(
      { iss, aud, role, sub, platform_id, user_id, client_id },
      {
        iss: ORIGIN,
        aud: `${ORIGIN}/v1`,
        role: 'user',
        sub: user.id,
        platform_id: platform.id,
        user_id: user.id,
        client_id: platform.credentialId,
      },
    )
    assert.deepEqual(Object.keys(rest).toSorted(), ['epoch', 'exp', 'iat', 'jti'])
  })
})
