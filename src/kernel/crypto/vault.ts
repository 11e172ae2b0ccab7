import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { canonicalJson } from '../canonical.ts'
import { randomBytes } from './random.ts'
import { xchacha } from './xchacha.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const UNWRAPPED_KEYS_MAX = 20_000

/**
 * An unwrapped data key. Every user and every sponsor has one; destroying its wrapped form destroys everything sealed
 * with it.
 */
export type DataKey = KeyObject

/** The wrapped data key as stored: `<master key id>.<base64url>`. */
export type WrappedKey = string

/** What personal data can be sealed with. Both are read, whatever is written. */
export const SEALINGS = ['aes-256-gcm', 'xchacha20-poly1305'] as const
export type Sealing = (typeof SEALINGS)[number]

export type VaultKeys = {
  /** The first one wraps new data keys; all of them unwrap old ones. */
  masterKeys: { id: string; key: Buffer }[]
  /** The first makes hashes; what all of them made is found. */
  hashKeys: PerKey<Buffer>
  /** What data keys seal with; AES unless set. */
  sealing?: Sealing
}

export type Vault = ReturnType<typeof createVault>

/** Hashes under one of the hash keys. */
export type Hasher = ReturnType<typeof createHasher>

/** Something under each hash key, the newest first. */
export type PerKey<One> = readonly [One, ...One[]]

/** Makes the same under each hash key. */
export function underEachKey<One>({ hashers: [newest, ...older] }: Vault, make: (hasher: Hasher) => One): PerKey<One> {
  return [make(newest), ...older.map(make)]
}

/** The data keys that seal with XChaCha20-Poly1305, and their bytes, which libsodium takes. */
const xchachaKeys = new WeakMap<DataKey, Buffer>()

/**
 * Opens the encryption of personal data: under a data key, itself wrapped by a master key with AES-256-GCM. The row a sealed
 * text belongs to is bound as associated data, so a value copied to another row does not open. Lookups use keyed
 * hashes.
 */
export function createVault({ masterKeys, hashKeys: [newestHashKey, ...otherHashKeys], sealing }: VaultKeys) {
  const [newest] = masterKeys
  assert(newest, 'there is a master key')
  const { id: newestId } = newest
  const hasher = createHasher(newestHashKey)
  const hashers: PerKey<Hasher> = [hasher, ...otherHashKeys.map(createHasher)]
  const byId = new Map(masterKeys.map(({ id, key }) => [id, createSecretKey(key)]))
  const unwrappedKeys = new Map<WrappedKey, DataKey>() // least recently used first

  const wrap = (bytes: Buffer): WrappedKey =>
    `${newestId}.${encrypt(byId.get(newestId) as KeyObject, 'data-key', bytes)}`

  function decryptKey(wrapped: WrappedKey): Buffer {
    const [id = '', sealed = ''] = wrapped.split('.', 2)
    const master = byId.get(id)
    assert(master, `the master key ${id} of a stored data key is configured`)
    return decrypt(master, 'data-key', sealed)
  }

  /** Wipes the bytes, which the key holds from then on. */
  function toDataKey(bytes: Buffer): DataKey {
    const key = createSecretKey(bytes)
    if (sealing === 'xchacha20-poly1305') xchachaKeys.set(key, Buffer.from(bytes)) // in the pool of small buffers
    bytes.fill(0)
    return key
  }

  function unwrap(wrapped: WrappedKey): DataKey {
    const unwrapped = unwrappedKeys.get(wrapped)
    if (unwrapped) {
      unwrappedKeys.delete(wrapped)
      unwrappedKeys.set(wrapped, unwrapped)
      return unwrapped
    }
    const key = toDataKey(decryptKey(wrapped))
    if (unwrappedKeys.size >= UNWRAPPED_KEYS_MAX) unwrappedKeys.delete(unwrappedKeys.keys().next().value as WrappedKey)
    unwrappedKeys.set(wrapped, key)
    return key
  }

  return {
    newDataKey(): { wrapped: WrappedKey; key: DataKey } {
      const bytes = randomBytes(KEY_BYTES)
      const wrapped = wrap(bytes)
      return { wrapped, key: toDataKey(bytes) }
    },
    unwrap,
    /** The id of the master key that wraps new data keys. */
    newestMasterKey: newestId,
    /** The same data key, wrapped by the newest master key. */
    rewrap: (wrapped: WrappedKey): WrappedKey => wrap(decryptKey(wrapped)),
    ...hasher,
    /** One for each hash key. There is more than one only while the hash key rotates. */
    hashers,
  }
}

const KEY_ID_DIGITS = 12

/** Identifies a key without revealing it: keys are 32 random bytes. */
export const toFingerprint = (key: Buffer): Buffer => createHmac('sha256', key).update('fingerprint').digest()

/** What a hash key is called where it has made hashes. */
export const hashKeyId = (fingerprint: Buffer): string => fingerprint.toString('hex').slice(0, KEY_ID_DIGITS)

function createHasher(key: Buffer) {
  // A KeyObject, because with raw bytes Node works out the kind of key at every hash: 9 µs instead of 2.
  const secret = createSecretKey(key)
  return {
    hashKey: hashKeyId(toFingerprint(key)),
    /**
     * Returns a keyed hash to find a value without storing it. `purpose` separates equal values of different columns.
     */
    blindIndex: (purpose: string, value: string): Buffer => computeMac(secret, `${purpose}\0${value}`),
    /** Returns a keyed digest of a whole input, to distinguish a repeated request from a different one. */
    digest: (purpose: string, input: unknown): Buffer => computeMac(secret, `${purpose}\0${canonicalJson(input)}`),
  }
}

/**
 * Goes through text, so that the digest lies in the pool of small buffers: an allocation of its own costs a quarter
 * more and has to be collected.
 */
const computeMac = (key: KeyObject, text: string): Buffer =>
  Buffer.from(createHmac('sha256', key).update(text).digest('binary'), 'binary')

/** Begins what is sealed with XChaCha20-Poly1305; base64url has no dot. */
const XCHACHA_PREFIX = 'x.'

/** Encrypts a value; `row` names the table and key it belongs to. */
export function seal(key: DataKey, row: string, value: unknown): string {
  const plain = Buffer.from(JSON.stringify(value))
  const bytes = xchachaKeys.get(key)
  if (!bytes) return encrypt(key, row, plain)
  return XCHACHA_PREFIX + xchacha().encrypt(bytes, Buffer.from(row), plain).toString('base64url')
}

/** Decrypts what `seal` produced for the same row, with either. Anything else is an internal error, a 500. */
export function unseal<T>(key: DataKey, row: string, sealed: string): T {
  if (!sealed.startsWith(XCHACHA_PREFIX)) return JSON.parse(decrypt(key, row, sealed).toString()) as T
  const bytes = Buffer.from(sealed.slice(XCHACHA_PREFIX.length), 'base64url')
  return JSON.parse(
    xchacha()
      .decrypt(xchachaKeys.get(key) ?? key.export(), Buffer.from(row), bytes)
      .toString(),
  ) as T
}

/** Returns true for what is sealed as the key seals now. */
export const isSealedAsNow = (key: DataKey, sealed: string): boolean =>
  sealed.startsWith(XCHACHA_PREFIX) === xchachaKeys.has(key)

function encrypt(key: KeyObject, associated: string, plain: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(associated))
  const sealed = cipher.update(plain)
  cipher.final() // adds nothing in this mode
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: KeyObject, associated: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(associated)).setAuthTag(bytes.subarray(-TAG_BYTES))
  const plain = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
  decipher.final() // adds nothing in this mode; throws when the tag does not match
  return plain
}
