import { createCipheriv, createDecipheriv } from 'node:crypto'
import { randomBytes } from './random.ts'
import { type Sodium, sodium } from './sodium.ts'

const NONCE_BYTES = 24
const TAG_BYTES = 16
const OPTIONS = { authTagLength: TAG_BYTES }

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): what is sealed is nonce, ciphertext and tag. */
type XChaCha = {
  encrypt(key: Buffer, associated: Buffer, plain: Buffer, nonce?: Buffer): Buffer
  /** Throws when the value, its key or the associated data is another. */
  decrypt(key: Buffer, associated: Buffer, sealed: Buffer): Buffer
}

/** By Node, which has ChaCha20-Poly1305 only, and HChaCha20 from here. */
export const nodeXChaCha: XChaCha = {
  encrypt(key, associated, plain, nonce = randomBytes(NONCE_BYTES)) {
    const cipher = createCipheriv('chacha20-poly1305', subkeyOf(key, nonce), shortNonceOf(nonce), OPTIONS)
    cipher.setAAD(associated, { plaintextLength: plain.length })
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  decrypt(key, associated, sealed) {
    const text = sealed.subarray(NONCE_BYTES, -TAG_BYTES)
    const decipher = createDecipheriv('chacha20-poly1305', subkeyOf(key, sealed), shortNonceOf(sealed), OPTIONS)
    decipher.setAAD(associated, { plaintextLength: text.length }).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(text), decipher.final()])
  },
}

const sodiumXChaCha = (library: Sodium): XChaCha => ({
  encrypt(key, associated, plain, nonce = randomBytes(NONCE_BYTES)) {
    const sealed = Buffer.allocUnsafe(NONCE_BYTES + plain.length + TAG_BYTES)
    nonce.copy(sealed)
    const text = sealed.subarray(NONCE_BYTES)
    library.crypto_aead_xchacha20poly1305_ietf_encrypt(text, plain, associated, null, nonce, key)
    return sealed
  },
  decrypt(key, associated, sealed) {
    const text = sealed.subarray(NONCE_BYTES)
    const plain = Buffer.allocUnsafe(Math.max(0, text.length - TAG_BYTES))
    const nonce = sealed.subarray(0, NONCE_BYTES)
    library.crypto_aead_xchacha20poly1305_ietf_decrypt(plain, null, text, associated, nonce, key)
    return plain
  },
})

let fastest: XChaCha | undefined

/** By libsodium where it can be loaded, else by Node. */
export function xchacha(): XChaCha {
  const library = fastest ? null : sodium()
  return (fastest ??= library ? sodiumXChaCha(library) : nodeXChaCha)
}

/** The nonce under the subkey: four zeros, and what HChaCha20 has not read. */
const shortNonceOf = (nonce: Buffer): Buffer => Buffer.concat([Buffer.alloc(4), nonce.subarray(16, NONCE_BYTES)])

const CONSTANTS = 'expand 32-byte k'
const DOUBLE_ROUNDS = 10
/** The words of a quarter round each: columns, then diagonals. */
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

/** HChaCha20 (2.2 of the draft): the key that the first 16 bytes of a nonce make. */
function subkeyOf(key: Buffer, nonce: Buffer): Buffer {
  const input = Buffer.concat([Buffer.from(CONSTANTS), key, nonce.subarray(0, 16)])
  const words = Uint32Array.from({ length: 16 }, (_, at) => input.readUInt32LE(4 * at))
  const word = (at: number) => words[at] as number
  const mix = (to: number, by: number, turned: number, bits: number) => {
    words[to] = word(to) + word(by)
    const value = word(turned) ^ word(to)
    words[turned] = (value << bits) | (value >>> (32 - bits))
  }
  for (let round = 0; round < DOUBLE_ROUNDS; round++) {
    for (const [a, b, c, d] of QUARTERS) {
      mix(a, b, d, 16)
      mix(c, d, b, 12)
      mix(a, b, d, 8)
      mix(c, d, b, 7)
    }
  }
  const subkey = Buffer.alloc(32)
  for (const [at, value] of [...words.subarray(0, 4), ...words.subarray(12)].entries())
    subkey.writeUInt32LE(value, 4 * at)
  return subkey
}
