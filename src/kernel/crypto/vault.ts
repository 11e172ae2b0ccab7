import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { canonicalJson } from '../canonical.ts'
import { randomBytes } from './random.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const OPEN_KEYS_MAX = 20_000

/** A data key, open for use. Every user and every sponsor has one; destroying its wrapped form destroys what it sealed. */
export type DataKey = KeyObject

/** The wrapped form that is stored: `<master key id>.<base64url>`. */
export type WrappedKey = string

export type VaultKeys = {
  /** The first wraps new data keys; all of them open old ones. */
  masterKeys: { id: string; key: Buffer }[]
  hashKey: Buffer
}

export type Vault = ReturnType<typeof openVault>

/**
 * Sealing of personal data: AES-256-GCM under a data key, itself wrapped by a master key. What a sealed text belongs to
 * is bound in as associated data, so a value moved to another row does not open. Look-ups go over keyed hashes.
 */
export function openVault({ masterKeys, hashKey }: VaultKeys) {
  const [newest] = masterKeys
  assert(newest, 'there is a master key')
  // As a KeyObject: given bytes, Node works out at every hash what kind of key they are, 9 µs instead of 2.
  const hashSecret = createSecretKey(hashKey)
  const byId = new Map(masterKeys.map(({ id, key }) => [id, createSecretKey(key)]))
  const openKeys = new Map<WrappedKey, DataKey>() // least recently used first

  function open(wrapped: WrappedKey): DataKey {
    const known = openKeys.get(wrapped)
    if (known) {
      openKeys.delete(wrapped)
      openKeys.set(wrapped, known)
      return known
    }
    const [id = '', sealed = ''] = wrapped.split('.', 2)
    const master = byId.get(id)
    assert(master, 'the master key of a stored data key is configured')
    const key = createSecretKey(decrypt(master, 'data-key', sealed))
    if (openKeys.size >= OPEN_KEYS_MAX) openKeys.delete(openKeys.keys().next().value as WrappedKey)
    openKeys.set(wrapped, key)
    return key
  }

  return {
    newDataKey(): { wrapped: WrappedKey; key: DataKey } {
      const bytes = randomBytes(KEY_BYTES)
      const wrapped = `${newest.id}.${encrypt(byId.get(newest.id) as KeyObject, 'data-key', bytes)}`
      return { wrapped, key: createSecretKey(bytes) }
    },
    open,
    /** A keyed hash to find a value by without storing it. `purpose` keeps equal values of different columns apart. */
    blindIndex: (purpose: string, value: string): Buffer =>
      createHmac('sha256', hashSecret).update(`${purpose}\0${value}`).digest(),
    /** A keyed digest of a whole form, to tell "the same again" from "something else". */
    digest: (purpose: string, form: unknown): Buffer =>
      createHmac('sha256', hashSecret)
        .update(`${purpose}\0${canonicalJson(form)}`)
        .digest(),
  }
}

/** Seals a value; `row` names the table and key it belongs to. */
export function seal(key: DataKey, row: string, value: unknown): string {
  return encrypt(key, row, Buffer.from(JSON.stringify(value)))
}

/** Opens what `seal` made for the same row. Anything else is an internal error, a 500. */
export function unseal<T>(key: DataKey, row: string, sealed: string): T {
  return JSON.parse(decrypt(key, row, sealed).toString()) as T
}

function encrypt(key: KeyObject, associated: string, plain: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(associated))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: KeyObject, associated: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(associated)).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
}
