import assert from 'node:assert/strict'
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { encodeQR } from 'qr'
import { createCardTokens } from '../../src/access/card-tokens.ts'
import type { SigningKeys } from '../../src/settings/keys.ts'
import { BASE32_DIGITS, fromBase32, toBase32 } from '../../src/kernel/base32.ts'
import { anyCharacter } from '../support/any-character.ts'
import { serveRoutes } from '../support/inject.ts'
import { openTestApp, ORIGIN } from '../support/app.ts'
import { testKeys } from '../support/keys.ts'

const t = await openTestApp()
const keys = t.keys.signingKeys
const [signer, second] = keys
const cards = createCardTokens({ keys })
const cardId = randomBytes(16).toString('base64url')
const code = cards.issue(cardId)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

type Forgery = { header?: unknown; payload?: unknown; key?: KeyObject }
const HEADER = { alg: 'EdDSA', typ: 'card+jwt', kid: signer.kid }

/** Returns a valid token of the service with the given changes. */
function forged({ header: head = HEADER, payload: load = { sub: cardId }, key = signer.privateKey }: Forgery = {}) {
  const body = `${encode(head)}.${encode(load)}`
  return `${body}.${sign(null, Buffer.from(body), key).toString('base64url')}`
}

function forgedWithMac(alg: string, secret: Buffer): string {
  const body = `${encode({ ...HEADER, alg })}.${payload}`
  return `${body}.${createHmac('sha512', secret).update(body).digest('base64url')}`
}

/** As printed on cards before the codes were shorter. */
const token = forged()
const [header = '', payload = '', signature = ''] = token.split('.')

describe('a card token', () => {
  it('decodes to its card and is always the same', async () => {
    assert.equal(cards.read(code), cardId)
    assert.equal(cards.issue(cardId), code)
  })

  it('is read in either case, as scanners and people type it', () => {
    assert.equal(cards.read(code.toLowerCase()), cardId)
    assert.equal(cards.read(`${code.slice(0, 64).toLowerCase()}${code.slice(64)}`), cardId)
    const other = `${cards.issue('A'.repeat(22)).slice(0, 26)}${code.slice(26)}`
    assert.equal(cards.read(other.toLowerCase()), undefined, 'forged in either case')
    assert.equal(cards.read(token.toUpperCase()), undefined, 'a JWT has its case')
  })

  it('makes a QR code of at most 45 modules with any usual host; before, it had 61', async () => {
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{128}$/, 'capitals and digits, which a QR code packs densely')
    const modules = (url: string) => encodeQR(url, 'raw', { ecc: 'medium', border: 1 }).length - 2
    assert.equal(modules(`https://api.example.com/C/${code}`.toUpperCase()), 41)
    assert.equal(modules(`https://benefits-of-members.banyan.example.com/C/${code}`.toUpperCase()), 45)
    const usual: SigningKeys = [{ ...signer, kid: 's0123456789ab' }]
    const before = forged({ header: { ...HEADER, kid: usual[0].kid } })
    assert.equal(modules(`https://api.example.com/verify/health_card/${before}`), 61)
  })

  it('can be verified by anyone with the published keys', async () => {
    const { keys: published } = (await t.call('GET', '/.well-known/jwks.json')).body
    const bytes = bytesOfCode(code)
    assert.equal(bytes.subarray(0, 16).toString('base64url'), cardId)
    const signed = Buffer.concat([Buffer.from('banyan health card:'), bytes.subarray(0, 16)])
    const publicKeys = published.map((key: object) => createPublicKey({ key: key as never, format: 'jwk' }))
    assert(publicKeys.some((key: KeyObject) => verify(null, signed, key, bytes.subarray(16))))
  })

  it('as printed before, a JWT, decodes to its card and can be verified by anyone', async () => {
    assert.equal(cards.read(token), cardId)
    const published = createLocalJWKSet((await t.call('GET', '/.well-known/jwks.json')).body)
    const checked = await jwtVerify(token, published, { typ: 'card+jwt', algorithms: ['EdDSA'] })
    assert.deepEqual(checked.payload, { sub: cardId })
  })

  it('verifies with the public half of a retired key, and no longer once that key is removed', async () => {
    const [current] = testKeys().signingKeys
    const retired = { ...signer, privateKey: null }
    const renamed = { ...current, kid: 'current' }
    for (const printed of [code, token]) {
      assert.equal(createCardTokens({ keys: [renamed, retired] }).read(printed), cardId)
      assert.equal(createCardTokens({ keys: [renamed] }).read(printed), undefined)
    }
  })

  it('with the longest kid, as printed before, still fits in the URL of the check', async () => {
    const longest: SigningKeys = [{ ...signer, kid: 'k'.repeat(64) }]
    const long = forged({ header: { ...HEADER, kid: longest[0].kid } })
    assert.equal(createCardTokens({ keys: longest }).read(long), cardId)

    const app = serveRoutes((routes) => routes.page('/verify/health_card/:token', {}, ({ params }) => params))
    const response = await app.inject(`/verify/health_card/${long}`)
    assert.deepEqual([response.statusCode, response.json()], [200, { token: long }])
  })

  it('accepts only a complete id', async () => {
    for (const id of ['', cardId.slice(1), `${cardId}A`, `${cardId.slice(1)}"`, `${cardId.slice(1)}\n`]) {
      await assert.rejects(async () => cards.issue(id), { name: 'AssertionError' }, JSON.stringify(id))
    }
  })
})

const stranger = generateKeyPairSync('ed25519').privateKey
const der = signer.publicKey.export({ format: 'der', type: 'spki' })
const pem = Buffer.from(signer.publicKey.export({ format: 'pem', type: 'spki' }))
assert(second?.privateKey)

const signedCode = (key: KeyObject, context = 'banyan health card:', id = Buffer.from(cardId, 'base64url')) =>
  toBase32(Buffer.concat([id, sign(null, Buffer.concat([Buffer.from(context), id]), key)])).toUpperCase()

const BAD: Record<string, string> = {
  'an empty text': '',
  'a code signed by a foreign key': signedCode(stranger),
  'a code signed without its context': signedCode(signer.privateKey, ''),
  'a code signed with another context': signedCode(signer.privateKey, 'banyan:'),
  'a code of a shorter id': signedCode(signer.privateKey, undefined, Buffer.alloc(15)),
  'a code with the id of another': `${cards.issue('A'.repeat(22)).slice(0, 26)}${code.slice(26)}`,
  'a code with a Kelvin sign for its K': `${code.slice(0, -1)}\u212a`,
  'a code with a character more': `${code}0`,
  'a code with a character less': code.slice(0, -1),
  'a code with a line break at its end': `${code}\n`,
  'a code with a letter that the alphabet leaves out': `${code.slice(0, -1)}U`,
  'a code of zeros': '0'.repeat(128),
  'two dots': '..',
  'one part': header,
  'two parts': `${header}.${payload}`,
  'four parts': `${token}.${signature}`,
  'an empty signature': `${header}.${payload}.`,
  'a signature of 63 bytes': `${header}.${payload}.${Buffer.from(signature, 'base64url').subarray(1).toString('base64url')}`,
  'a foreign key under our kid': forged({ key: stranger }),
  'another of our keys under the kid of the first': forged({ key: second.privateKey }),
  'the kid of another of our keys': forged({ header: { ...HEADER, kid: second.kid } }),
  'an unknown kid': forged({ header: { ...HEADER, kid: 'other' } }),
  'no kid': forged({ header: { ...HEADER, kid: undefined } }),
  'the kid of a member every object has': forged({ header: { ...HEADER, kid: 'constructor' } }),
  'a key of its own': forged({
    header: { ...HEADER, kid: undefined, jwk: stranger.export({ format: 'jwk' }) },
    key: stranger,
  }),
  'alg none, no signature': `${encode({ ...HEADER, alg: 'none' })}.${payload}.`,
  'alg none, the old signature': `${encode({ ...HEADER, alg: 'none' })}.${payload}.${signature}`,
  'alg none, signed': forged({ header: { ...HEADER, alg: 'none' } }),
  'alg HS256, keyed with the public key': forgedWithMac('HS256', der),
  'alg HS512, keyed with the public key in PEM': forgedWithMac('HS512', pem),
  'alg EdDSA, but a MAC keyed with the public key': forgedWithMac('EdDSA', der),
  'another algorithm in the header': forged({ header: { ...HEADER, alg: 'Ed25519' } }),
  'the type of access tokens': forged({ header: { ...HEADER, typ: 'at+jwt' } }),
  'the type JWT': forged({ header: { ...HEADER, typ: 'JWT' } }),
  'the type in capitals': forged({ header: { ...HEADER, typ: 'CARD+JWT' } }),
  'no type': forged({ header: { ...HEADER, typ: undefined } }),
  'a critical header': forged({ header: { ...HEADER, crit: ['b64'], b64: false } }),
  'a header in another order': forged({ header: { typ: 'card+jwt', alg: 'EdDSA', kid: signer.kid } }),
  'a header with a blank': forged({ header: JSON.stringify(HEADER).replace(',', ', ') }),
  'another card under this signature': `${header}.${encode({ sub: randomBytes(16).toString('base64url') })}.${signature}`,
  'a card without an id': forged({ payload: {} }),
  'an id that is too short': forged({ payload: { sub: cardId.slice(1) } }),
  'an id that is too long': forged({ payload: { sub: `${cardId}A` } }),
  'an id of other characters': forged({ payload: { sub: `${cardId.slice(1)}*` } }),
  'an id that is a number': forged({ payload: { sub: 1234567890123 } }),
  'an id spelled with an escape': forged({ payload: `{"sub":"\\u0041${cardId.slice(1)}"}` }),
  'a further claim': forged({ payload: { sub: cardId, exp: 4_102_444_800 } }),
  'a payload with a line break at its end': forged({ payload: `${JSON.stringify({ sub: cardId })}\n` }),
  'a payload that is no JSON': forged({ payload: cardId }),
  'padding after the signature': `${token}==`,
  'padding after the payload': `${header}.${payload}=.${signature}`,
  'a byte more in the signature': `${token}A`,
  'four characters more in the signature': `${token}AAAA`,
  'a line break at the end': `${token}\n`,
  'a blank in front': ` ${token}`,
  'a blank in the payload': `${header}.${payload.slice(0, 8)} ${payload.slice(8)}.${signature}`,
  'a NUL at the end': `${token}\0`,
  'a percent sign': `${header}%2e${payload}%2e${signature}`,
  'the other base64 alphabet': `${header}.${payload}.${signature.slice(0, -2)}+/`,
  'an unpaired surrogate': `${header}.${payload}.${signature.slice(0, -1)}\ud800`,
  'twice itself': token + token,
  'a million characters': `${header}.${'A'.repeat(1_000_000)}.${signature}`,
}

describe('a string that is not one of our card tokens', () => {
  for (const [what, text] of Object.entries(BAD)) {
    it(`is rejected: ${what}`, () => assert.equal(cards.read(text), undefined))
  }

  it('is rejected: any character of a code changed', async () => {
    for (const [at, character] of code.split('').entries()) {
      for (const other of BASE32_DIGITS.toUpperCase()) {
        if (other === character) continue
        const changed = `${code.slice(0, at)}${other}${code.slice(at + 1)}`
        assert.equal(cards.read(changed), undefined, `character ${at} became "${other}"`)
      }
    }
  })

  it('is rejected: any character changed, in any bit', async () => {
    for (const [at, character] of token.split('').entries()) {
      const index = ALPHABET.indexOf(character)
      const others = index < 0 ? ['A', '_', ''] : [1, 2, 4, 8, 16, 32].map((bit) => ALPHABET[index ^ bit] as string)
      for (const other of others) {
        const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`
        assert.equal(cards.read(changed), undefined, `character ${at} became "${other}"`)
      }
    }
  })

  it('is rejected: any prefix and any suffix of a valid one', async () => {
    for (let at = 1; at <= token.length; at++) {
      assert.equal(cards.read(token.slice(at)), undefined)
      assert.equal(cards.read(token.slice(0, -at)), undefined)
    }
  })

  it('is rejected: the same signature with the group order added to its scalar', async () => {
    const bytes = Buffer.from(signature, 'base64url')
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const raised = numberIn(bytes.subarray(32)) + order
    assert(raised < 2n ** 256n)
    const other = Buffer.concat([bytes.subarray(0, 32), bytesOf(raised)])
    assert.equal(other.length, 64)
    assert.equal(cards.read(`${header}.${payload}.${other.toString('base64url')}`), undefined)
    const ofCode = bytesOfCode(code)
    const raisedInCode = bytesOf(numberIn(ofCode.subarray(48)) + order)
    const otherCode = toBase32(Buffer.concat([ofCode.subarray(0, 48), raisedInCode])).toUpperCase()
    const verifying: SigningKeys = [
      { ...testKeys().signingKeys[0], kid: 'current' },
      { ...signer, privateKey: null },
    ]
    for (const reader of [cards, createCardTokens({ keys: verifying })]) {
      assert.equal(reader.read(code), cardId)
      assert.equal(reader.read(otherCode), undefined)
    }
  })

  it('is rejected without an exception: any text at all', async () => {
    const parts = fc.tuple(fc.constantFrom(header, payload, 'x'), fc.string(), fc.base64String())
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 400 }),
      parts.map((part) => part.join('.')),
    )
    fc.assert(fc.property(texts, (text) => cards.read(text) === undefined))
  })
})

/** Returns the bytes of a code: 16 of the card's id, 64 of the signature. */
function bytesOfCode(text: string): Buffer {
  const bytes = fromBase32(text.toLowerCase())
  assert(bytes)
  return bytes
}

/** Returns the number in 32 bytes, little-endian. */
const numberIn = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)
const bytesOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toReversed()

describe('access tokens and card tokens', () => {
  it('an access token is never accepted as a card token, whatever its role', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    for (const bearer of [platform.token, user.token, t.owner, await t.walletToken(platform, user)]) {
      const at = bearer.lastIndexOf('.')
      const signed = Buffer.from(bearer.slice(at + 1), 'base64url')
      assert(verify(null, Buffer.from(bearer.slice(0, at)), signer.publicKey, signed), 'signed by the same key')
      assert.equal(cards.read(bearer), undefined)
    }
  })

  it('401 for a card token used as a bearer token, in both interfaces', async () => {
    for (const [method, url, printed] of [
      ['GET', '/v1/benefit_providers', code],
      ['GET', '/wallet/v1/wallet', code],
      ['GET', '/v1/benefit_providers', token],
      ['GET', '/v1/platforms', token],
      ['POST', '/v1/auth/token', token],
      ['GET', '/wallet/v1/wallet', token],
    ] as const) {
      const { status, body } = await t.call(method, url, { token: printed })
      assert.deepEqual([status, body.code], [401, 'unauthenticated'], `${method} ${url}`)
    }
  })

  it('401 also when the card id takes the place of an access token’s audience', async () => {
    const claims = { iss: ORIGIN, aud: `${ORIGIN}/v1`, sub: cardId, iat: 1, exp: 4_102_444_800, jti: 'x' }
    const card = forged({ payload: { ...claims, client_id: 'banyan', role: 'owner' } })
    assert.equal((await t.call('GET', '/v1/platforms', { token: card })).status, 401)
  })
})
