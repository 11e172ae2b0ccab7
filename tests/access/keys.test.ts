import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { type ParsedKeys, parseKeyTexts } from '../../src/settings/keys.ts'
import { createTokens } from '../../src/access/tokens.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { ADMIN_KEYS, VAULT_KEYS } from '../support/keys.ts'

type Jwk = Record<string, unknown>

const newJwk = (kid: string): Jwk => ({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid })
const publicHalf = ({ d: _d, ...rest }: Jwk): Jwk => rest

function parse(...keys: unknown[]): ParsedKeys | string[] {
  return parseKeyTexts({ SIGNING_KEYS: JSON.stringify({ keys }), ...VAULT_KEYS, ADMIN_API_KEYS: ADMIN_KEYS.join() })
}

function parsed(...keys: unknown[]): ParsedKeys {
  const result = parse(...keys)
  assert(!Array.isArray(result), JSON.stringify(result))
  return result
}

const tokensWith = ({ signingKeys }: ParsedKeys) =>
  createTokens({
    keys: signingKeys,
    issuer: 'http://banyan.test',
    audience: 'http://banyan.test/v1',
    clock: systemClock,
  })

const [old, current, stranger] = [newJwk('old'), newJwk('current'), newJwk('old')]
const bearer = async (keys: ParsedKeys) => {
  const { token } = tokensWith(keys).issueToAdministrator({ role: 'viewer', subject: 'test' })
  return `Bearer ${token}`
}

describe('a retired signing key, kept as its public half only', () => {
  const rotated = parsed(current, publicHalf(old))

  it('verifies what its private half signed', async () => {
    const caller = tokensWith(rotated).verify(await bearer(parsed(old)))
    assert.deepEqual(caller, { kind: 'viewer', subject: 'test' })
  })

  it('does not verify what another key with the same kid signed', async () => {
    await assert.rejects(async () => tokensWith(rotated).verify(await bearer(parsed(stranger))), {
      code: 'unauthenticated',
    })
  })

  it('no longer verifies once it is removed', async () => {
    await assert.rejects(async () => tokensWith(parsed(current)).verify(await bearer(parsed(old))), {
      code: 'unauthenticated',
    })
  })

  it('is still published, after the key that signs', async () => {
    const published = (keys: ParsedKeys) => tokensWith(keys).jwks().keys
    assert.deepEqual(published(rotated), published(parsed(current, old)))
    assert.deepEqual(
      published(rotated).map(({ kid, x }) => [kid, x]),
      [current, old].map(({ kid, x }) => [kid, x]),
    )
  })
})

describe('invalid SIGNING_KEYS', () => {
  const NOT_KEYS =
    'SIGNING_KEYS must be a JWK set of Ed25519 keys, each with a unique kid (1 to 64 of A-Z a-z 0-9 _ . : -); an nbf is a time in Unix seconds.'
  const NOT_FIRST = 'SIGNING_KEYS must start with a private key, which signs; the others may be public halves.'
  const p256 = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), kid: 'p' }

  const REFUSED: Record<string, [string, unknown[]]> = {
    'no key': [NOT_FIRST, []],
    'a public half alone': [NOT_FIRST, [publicHalf(current)]],
    'a public half in front of the private key': [NOT_FIRST, [publicHalf(old), current]],
    'a key and its public half under one kid': [NOT_KEYS, [current, publicHalf(current)]],
    'two keys under one kid': [NOT_KEYS, [old, stranger]],
    'a key without a kid': [NOT_KEYS, [{ ...current, kid: undefined }]],
    'an empty kid': [NOT_KEYS, [{ ...current, kid: '' }]],
    'a kid of 65 characters': [NOT_KEYS, [{ ...current, kid: 'k'.repeat(65) }]],
    'a kid with a quotation mark': [NOT_KEYS, [{ ...current, kid: '"' }]],
    'a private half that is empty': [NOT_KEYS, [current, { ...old, d: '' }]],
    'a private half that is null': [NOT_KEYS, [current, { ...old, d: null }]],
    'a public half cut short': [NOT_KEYS, [current, { ...publicHalf(old), x: String(old['x']).slice(2) }]],
    'a key of another curve': [NOT_KEYS, [p256]],
    'no object': [NOT_KEYS, [null]],
  }
  for (const [what, [sentence, keys]] of Object.entries(REFUSED)) {
    it(`give one sentence that reveals no key: ${what}`, () => assert.deepEqual(parse(...keys), [sentence]))
  }

  it('a kid of 64 characters is accepted', () => {
    assert.equal(parsed({ ...current, kid: 'k'.repeat(64) }).signingKeys[0].kid.length, 64)
  })
})

describe('ADMIN_API_KEYS', () => {
  const JWKS = JSON.stringify({ keys: [current] })
  const keysOf = (text: string) => {
    const result = parseKeyTexts({ SIGNING_KEYS: JWKS, ...VAULT_KEYS, ADMIN_API_KEYS: text })
    return Array.isArray(result) ? result : result.adminApiKeys
  }
  const [one, two] = ['a-key-of-20-characters', 'another-of-20-letters']

  const errorText = (error: unknown) => JSON.stringify(error)

  it('are named or unnamed', () => {
    assert.deepEqual(keysOf(`desk:${one}, night.desk_2:${two}`), [
      { name: 'desk', key: one },
      { name: 'night.desk_2', key: two },
    ])
    assert.deepEqual(keysOf(`${one},${two}`), [
      { name: 'unnamed', key: one },
      { name: 'unnamed', key: two },
    ])
  })

  it('are rejected when too short, badly named or named twice; no key is revealed', () => {
    for (const text of ['', `desk:short`, `:${one}`, `two words:${one}`, `desk:a:${one}`, `desk:${one},desk:${two}`]) {
      const [error, ...others] = keysOf(text)
      assert.match(errorText(error), /^"ADMIN_API_KEYS must be/, text)
      assert(others.length === 0 && !errorText(error).includes(one))
    }
  })

  it('have at least 32 characters in production, 16 in development', () => {
    const rejected = (length: number, production: boolean) =>
      Array.isArray(
        parseKeyTexts(
          { SIGNING_KEYS: JWKS, ...VAULT_KEYS, ADMIN_API_KEYS: `desk:${'k'.repeat(length)}` },
          { production },
        ),
      )
    assert.deepEqual([rejected(15, false), rejected(16, false)], [true, false])
    assert.deepEqual([rejected(31, true), rejected(32, true)], [true, false])
  })
})
