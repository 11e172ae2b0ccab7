import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { randomBytes } from './random.ts'
import { type Sodium, sodium } from './sodium.ts'

const NONCE_BYTES = 24
const TAG_BYTES = 16

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): what is sealed is nonce, ciphertext and tag. */
type XChaCha = {
  encrypt(key: Buffer, associated: Buffer, plain: Buffer, nonce?: Buffer): Buffer
  /** Throws when the value, its key or the associated data is another. */
  decrypt(key: Buffer, associated: Buffer, sealed: Buffer): Buffer
}

/** In JavaScript, for a machine without a binary of libsodium; the same bytes. */
export const portableXChaCha: XChaCha = {
  encrypt: (key, associated, plain, nonce = randomBytes(NONCE_BYTES)) =>
    Buffer.concat([nonce, xchacha20poly1305(key, nonce, associated).encrypt(plain)]),
  decrypt(key, associated, sealed) {
    const plain = xchacha20poly1305(key, sealed.subarray(0, NONCE_BYTES), associated).decrypt(
      sealed.subarray(NONCE_BYTES),
    )
    return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
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

/** By libsodium where it can be loaded. */
export function xchacha(): XChaCha {
  const library = fastest ? null : sodium()
  return (fastest ??= library ? sodiumXChaCha(library) : portableXChaCha)
}
