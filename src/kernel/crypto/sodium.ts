import { createRequire } from 'node:module'

/** What we use of libsodium. Each function writes into its first argument. */
export type Sodium = {
  crypto_aead_xchacha20poly1305_ietf_encrypt(
    ...args: [sealed: Buffer, plain: Buffer, associated: Buffer, unused: null, nonce: Buffer, key: Buffer]
  ): void
  /** Throws when the tag does not match. */
  crypto_aead_xchacha20poly1305_ietf_decrypt(
    ...args: [plain: Buffer, unused: null, sealed: Buffer, associated: Buffer, nonce: Buffer, key: Buffer]
  ): void
  crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Buffer): void
  crypto_sign_detached(signature: Buffer, text: Buffer, secretKey: Buffer): void
}

let loaded: Sodium | null | undefined

/**
 * Returns libsodium; null where its package has no binary for the machine: the same is done slower then, without it. Loaded at
 * the first use, because that takes some 20 ms and 9 MB.
 */
export const sodium = (): Sodium | null => (loaded === undefined ? (loaded = load()) : loaded)

function load(): Sodium | null {
  try {
    return createRequire(import.meta.url)('sodium-native') as Sodium
  } catch {
    return null
  }
}
