import { createHmac, createSecretKey, randomFillSync } from 'node:crypto'

// Personal data under a key of its own for each user, which a master key wraps.

/** ChaCha20-Poly1305 (RFC 8439). `seal` returns nonce, sealed bytes and tag; `unseal` throws when one bit differs. */
export type Cipher = {
  seal(key: Buffer, nonce: Buffer, associated: Buffer, plain: Buffer): Buffer
  unseal(key: Buffer, sealed: Buffer, associated: Buffer): Buffer
}

export const KEY_BYTES = 32
export const NONCE_BYTES = 12
export const TAG_BYTES = 16
const POOL_BYTES = 4_096
const UNWRAPPED_MAX = 20_000
const WRAPPING = Buffer.from('data-key')

let pool = Buffer.alloc(0)
let used = 0

/** One call of the generator for hundreds of nonces. */
function randomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafe(POOL_BYTES))
    used = 0
  }
  return pool.subarray(used, (used += count))
}

export type Vault = ReturnType<typeof createVault>

export function createVault(cipher: Cipher, keys: Record<'masterKey' | 'hashKey', Buffer>) {
  const { masterKey } = keys
  const hashKey = createSecretKey(keys.hashKey)
  const unwrapped = new Map<string, Buffer>()
  const encrypt = (key: Buffer, associated: Buffer, plain: Buffer) =>
    cipher.seal(key, randomBytes(NONCE_BYTES), associated, plain).toString('base64url')
  const decrypt = (key: Buffer, associated: Buffer, sealed: string) =>
    cipher.unseal(key, Buffer.from(sealed, 'base64url'), associated)
  return {
    newDataKey() {
      const key = Buffer.from(randomBytes(KEY_BYTES))
      return { wrapped: encrypt(masterKey, WRAPPING, key), key }
    },
    unwrap(wrapped: string): Buffer {
      const known = unwrapped.get(wrapped)
      if (known !== undefined) return known
      const key = decrypt(masterKey, WRAPPING, wrapped)
      if (unwrapped.size >= UNWRAPPED_MAX) unwrapped.delete(unwrapped.keys().next().value as string)
      unwrapped.set(wrapped, key)
      return key
    },
    /** `row` is bound as associated data: a value that is copied to another row does not open. */
    seal: (key: Buffer, row: string, value: object) =>
      encrypt(key, Buffer.from(row), Buffer.from(JSON.stringify(value))),
    unseal: <T>(key: Buffer, row: string, sealed: string) =>
      JSON.parse(decrypt(key, Buffer.from(row), sealed).toString()) as T,
    /** A keyed hash by which a value is found without being stored, in hexadecimal digits. */
    blindIndex: (purpose: string, value: string) =>
      createHmac('sha256', hashKey).update(`${purpose}\0${value}`).digest('hex'),
  }
}
