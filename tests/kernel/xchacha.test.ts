import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { signEd25519 } from '../../src/kernel/crypto/ed25519.ts'
import { sealedColumn, UnreadableError } from '../../src/kernel/crypto/sealed-column.ts'
import { sodium } from '../../src/kernel/crypto/sodium.ts'
import { createVault, isSealedAsNow, seal, unseal } from '../../src/kernel/crypto/vault.ts'
import { portableXChaCha, xchacha } from '../../src/kernel/crypto/xchacha.ts'
import { testKeys } from '../support/keys.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((one) => Buffer.from(one))
const some = (most: number) => fc.uint8Array({ maxLength: most }).map((one) => Buffer.from(one))

/** draft-irtf-cfrg-xchacha-03, A.3.1 */
const VECTOR = {
  key: Buffer.from('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f', 'hex'),
  nonce: Buffer.from('404142434445464748494a4b4c4d4e4f5051525354555657', 'hex'),
  associated: Buffer.from('50515253c0c1c2c3c4c5c6c7', 'hex'),
  plain: Buffer.from(
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
  ),
  sealed:
    'bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452' +
    '2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e' +
    'c0875924c1c7987947deafd8780acf49',
}

describe('XChaCha20-Poly1305', () => {
  it('is that of the draft, with libsodium and without', () => {
    assert(sodium(), 'this machine has a binary')
    for (const { encrypt, decrypt } of [xchacha(), portableXChaCha]) {
      const { key, nonce, associated, plain } = VECTOR
      const sealed = encrypt(key, associated, plain, nonce)
      assert.equal(sealed.toString('hex'), nonce.toString('hex') + VECTOR.sealed)
      assert.deepEqual(decrypt(key, associated, sealed), plain)
    }
  })

  it('is the same with libsodium and without: each opens what the other has sealed, and refuses what was changed', () => {
    const parts = fc.record({ key: bytes(32), nonce: bytes(24), associated: some(80), plain: some(600), at: fc.nat() })
    fc.assert(
      fc.property(parts, ({ key, nonce, associated, plain, at }) => {
        const sealed = xchacha().encrypt(key, associated, plain, nonce)
        assert.deepEqual(portableXChaCha.encrypt(key, associated, plain, nonce), sealed)
        const changed = Buffer.from(sealed)
        changed[at % changed.length] = (changed[at % changed.length] as number) ^ 1
        const cut = sealed.subarray(0, at % sealed.length)
        for (const { decrypt } of [xchacha(), portableXChaCha]) {
          assert.deepEqual(decrypt(key, associated, sealed), plain)
          for (const other of [changed, cut]) assert.throws(() => decrypt(key, associated, other))
          assert.throws(() => decrypt(key, Buffer.concat([associated, Buffer.of(1)]), sealed))
        }
      }),
    )
  })
})

describe('a vault that seals with XChaCha20-Poly1305', () => {
  const keys = testKeys()
  const [aes, modern] = [createVault(keys), createVault({ ...keys, sealing: 'xchacha20-poly1305' })]
  const { wrapped, key: modernKey } = modern.newDataKey()
  const [aesKey, again] = [aes.unwrap(wrapped), modern.unwrap(wrapped)]
  const column = sealedColumn<object, { id: string }>('users.sealed', { row: ({ id }) => `users:${id}` })
  const at = { id: '1' }

  it('reads what AES has sealed, and is read where AES seals', () => {
    const [byAes, byModern] = [column.seal(aesKey, at, { a: 1 }), column.seal(modernKey, at, { a: 1 })]
    assert.match(byModern, /^x\.[\w-]+$/)
    assert.match(byAes, /^[\w-]+$/)
    for (const sealed of [byAes, byModern])
      for (const key of [aesKey, modernKey, again]) assert.deepEqual(column.unseal(key, at, sealed), { a: 1 })
  })

  it('never seals the same value alike, and opens none in another row or under another key', () => {
    const sealed = Array.from({ length: 100 }, () => column.seal(modernKey, at, { a: 1 }))
    assert.equal(new Set(sealed.map((one) => one.slice(0, 30))).size, sealed.length)
    const [one = ''] = sealed
    assert.throws(() => column.unseal(modernKey, { id: '2' }, one), UnreadableError)
    assert.throws(() => column.unseal(modern.newDataKey().key, at, one), UnreadableError)
    assert.throws(() => column.unseal(modernKey, at, 'x.'), UnreadableError)
    assert.throws(() => column.unseal(modernKey, at, one.slice(2)), UnreadableError)
  })

  it('reseals what the other has sealed, and nothing else', () => {
    const [byAes, byModern] = [column.seal(aesKey, at, { a: 1 }), column.seal(modernKey, at, { a: 1 })]
    assert.equal(column.reseal(aesKey, at, byAes), null)
    assert.equal(column.reseal(modernKey, at, byModern), null)
    const [now, back] = [column.reseal(modernKey, at, byAes) ?? '', column.reseal(aesKey, at, byModern) ?? '']
    assert(isSealedAsNow(modernKey, now) && isSealedAsNow(aesKey, back))
    assert.deepEqual([column.unseal(aesKey, at, now), column.unseal(modernKey, at, back)], [{ a: 1 }, { a: 1 }])
  })
})

/** Run by a process that cannot load libsodium. */
const WITHOUT_SODIUM = `
  import { createPrivateKey } from 'node:crypto'
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(name, context, next) {
      if (name === 'sodium-native') throw new Error('no binary for this machine')
      return next(name, context)
    },
  })
  const [{ sodium }, { createVault, unseal, seal }, { signEd25519 }] = await Promise.all(
    ['sodium', 'vault', 'ed25519'].map((name) => import(process.argv[1] + name + '.ts')),
  )
  const { masterKeys, hashKeys, wrapped, sealed, der } = JSON.parse(process.argv[2], (_, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data) : value,
  )
  const key = createVault({ masterKeys, hashKeys, sealing: 'xchacha20-poly1305' }).unwrap(wrapped)
  const signature = signEd25519(Buffer.from('text'), createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  const resealed = seal(key, 'users:1', unseal(key, 'users:1', sealed))
  console.log(JSON.stringify({ sodium: sodium(), resealed, signature: signature.toString('hex') }))`

describe('a machine for which libsodium has no binary', () => {
  it('reads, seals and signs the same', () => {
    const keys = testKeys()
    const vault = createVault({ ...keys, sealing: 'xchacha20-poly1305' })
    const { wrapped, key } = vault.newDataKey()
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 6)])
    const { masterKeys, hashKeys } = keys
    const given = JSON.stringify({ masterKeys, hashKeys, wrapped, sealed: seal(key, 'users:1', { a: 1 }), der })
    const folder = new URL('../../src/kernel/crypto/', import.meta.url).href
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', WITHOUT_SODIUM, folder, given])
    const { sodium: library, resealed, signature } = JSON.parse(out.toString()) as Record<string, string | null>
    assert.equal(library, null)
    assert.deepEqual(unseal(key, 'users:1', String(resealed)), { a: 1 })
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    assert.equal(signature, sign(null, Buffer.from('text'), privateKey).toString('hex'))
  })
})

describe('a signature', () => {
  it('is the one that Node makes', () => {
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 6)])
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    fc.assert(
      fc.property(some(2_000), (text) => {
        const signature = signEd25519(text, key)
        assert.deepEqual(signature, sign(null, text, key))
        assert(verify(null, text, createPublicKey(key), signature))
      }),
      { numRuns: 30 },
    )
  })
})
