import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MasterKeySettings } from '../kernel/crypto/master-key-source.ts'
import type { VaultKeys } from '../kernel/crypto/vault.ts'
import { newSecret } from '../kernel/crypto/secrets.ts'

/** A key that only verifies has no private half. `signsFrom`, in Unix seconds, is the JWK's `nbf`, else 0. */
export type SigningKey = { kid: string; publicKey: KeyObject; privateKey: KeyObject | null; signsFrom?: number }

/** All are published and verify; `signerAt` says which one signs. The first one is private. */
export type SigningKeys = [SigningKey & { privateKey: KeyObject }, ...SigningKey[]]

/** An administrator key, with its name in histories. */
export type AdminKey = { name: string; key: string }

export type ParsedKeys = VaultKeys & {
  signingKeys: SigningKeys
  adminApiKeys: AdminKey[]
}

const KEY_BYTES = 32
/** In production, of 128 random bits in hexadecimal. */
const ADMIN_KEY_LENGTH_MIN = { development: 16, production: 32 }
const ADMIN_KEY = /^(?:([\w.-]{1,32}):)?([^\s:]+)$/
const UNNAMED = 'unnamed'
/** Every token contains its kid, and those of health cards must fit into a QR code. */
const KID_LENGTH_MAX = 64
const KID = new RegExp(`^[\\w.:-]{1,${KID_LENGTH_MAX}}$`)

/** The files of keys in the data folder, and what a new one holds. */
const FILES = {
  SIGNING_KEYS: { file: 'signing-keys.json', make: () => JSON.stringify({ keys: [newSigningJwk()] }) },
  MASTER_KEYS: { file: 'master-keys', make: () => `m1:${randomBytes(KEY_BYTES).toString('base64')}` },
  HASH_KEY: { file: 'hash-key', make: () => randomBytes(KEY_BYTES).toString('base64') },
  ADMIN_API_KEYS: { file: 'admin-api-key', make: () => newSecret('byn_adm') },
} satisfies Record<string, { file: string; make: () => string }>
/** The file of a secret that is no setting. */
const LISTEN_SECRET = 'listen-secret'

/** The keys as given in the environment or in files. */
export type KeyTexts = Record<keyof typeof FILES, string>

/** Reads the keys in the data folder, creating missing ones. Two concurrent processes end up with the same keys. */
export function makeKeyTexts(dataDir: string): KeyTexts {
  const folder = keysFolder(dataDir)
  const texts = Object.entries(FILES).map(([name, { file, make }]) => [name, readOrCreate(join(folder, file), make)])
  return Object.fromEntries(texts) as KeyTexts
}

/** Reads the keys in the data folder that exist; creates nothing. */
export function findKeyTexts(dataDir: string): Partial<KeyTexts> {
  const paths = Object.entries(FILES).map(([name, { file }]) => [name, join(dataDir, 'keys', file)] as const)
  return Object.fromEntries(
    paths.filter(([, path]) => existsSync(path)).map(([name, path]) => [name, readFileSync(path, 'utf8').trim()]),
  )
}

/** Reads the secret that signs what `events listen` forwards, creating it if missing. */
export const makeListenSecret = (dataDir: string, make: () => string): string =>
  readOrCreate(join(keysFolder(dataDir), LISTEN_SECRET), make)

function keysFolder(dataDir: string): string {
  const folder = join(dataDir, 'keys')
  mkdirSync(dataDir, { recursive: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/**
 * Reads a file, creating it if missing: written under a temporary name and linked into place, because a link fails if
 * the file exists.
 */
function readOrCreate(path: string, make: () => string): string {
  if (!existsSync(path)) {
    const partial = `${path}.${process.pid}`
    writeFileSync(partial, make(), { mode: 0o600 })
    try {
      linkSync(partial, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(partial)
    }
  }
  return readFileSync(path, 'utf8').trim()
}

/** Replaces the signing keys in the data folder atomically: a concurrent reader gets the old set or the new one. */
export function replaceSigningKeys(dataDir: string, text: string): void {
  const path = join(dataDir, 'keys', FILES.SIGNING_KEYS.file)
  const half = `${path}.${process.pid}`
  writeFileSync(half, text, { mode: 0o600 })
  renameSync(half, path)
}

/** A new private key, ready for `SIGNING_KEYS`. */
export function newSigningJwk() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    ...privateKey.export({ format: 'jwk' }),
    kid: `s${randomBytes(6).toString('hex')}`,
    alg: 'EdDSA',
    use: 'sig',
  }
}

/** Parses the keys; returns one sentence per error if any is invalid. */
export function parseKeyTexts(
  texts: KeyTexts,
  { masterKeySource, production = false }: { masterKeySource?: MasterKeySettings; production?: boolean } = {},
): ParsedKeys | string[] {
  const errors: string[] = []
  const adminKeyLengthMin = ADMIN_KEY_LENGTH_MIN[production ? 'production' : 'development']
  const signingKeys = readSigningKeys(texts.SIGNING_KEYS, errors)
  const vaultKeys = readVaultKeys(texts, errors, masterKeySource)
  const adminApiKeys = attempt(
    errors,
    `ADMIN_API_KEYS must be a comma-separated list of name:key, each name once, each key at least ${adminKeyLengthMin} characters without spaces or colons.`,
    () => parseAdminKeys(texts.ADMIN_API_KEYS, adminKeyLengthMin),
  )
  if (!signingKeys || !vaultKeys || !adminApiKeys || errors.length > 0) return errors
  return { signingKeys, ...vaultKeys, adminApiKeys }
}

/** Parses the hash keys and master keys; undefined, with a sentence added for each invalid setting. */
export function readVaultKeys(
  texts: Pick<KeyTexts, 'MASTER_KEYS' | 'HASH_KEY'>,
  errors: string[],
  source?: MasterKeySettings,
): VaultKeys | undefined {
  const isWrapped = source?.kind === 'aws-kms' // then they are as the KMS has encrypted them, in whatever length
  const masterKeys = attempt(
    errors,
    `MASTER_KEYS must be a comma-separated list of id:base64${isWrapped ? '' : ', 32 bytes each'}.`,
    () => texts.MASTER_KEYS.split(',').map((text) => parseMasterKey(text, isWrapped)),
  )
  const hashKeys = attempt(
    errors,
    'HASH_KEY must be 32 bytes in base64; during a rotation two or more of them, comma separated.',
    () => parseHashKeys(texts.HASH_KEY),
  )
  return masterKeys && hashKeys && { masterKeys, hashKeys }
}

/** Parses the signing keys; undefined with an added error if they are invalid. */
export function readSigningKeys(text: string, errors: string[]): SigningKeys | undefined {
  const keys = attempt(
    errors,
    `SIGNING_KEYS must be a JWK set of Ed25519 keys, each with a unique kid (1 to ${KID_LENGTH_MAX} of A-Z a-z 0-9 _ . : -); an nbf is a time in Unix seconds.`,
    () => parseSigningKeys(text),
  )
  if (!keys || beginWithSigner(keys)) return keys
  errors.push('SIGNING_KEYS must start with a private key, which signs; the others may be public halves.')
  return undefined
}

function attempt<T>(errors: string[], sentence: string, parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    errors.push(sentence)
    return undefined
  }
}

type Jwk = { kid?: unknown; kty?: unknown; crv?: unknown; d?: unknown; nbf?: unknown }

function parseSigningKeys(text: string): SigningKey[] {
  const keys = (JSON.parse(text) as { keys: Jwk[] }).keys.map(parseSigningKey)
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new Error('two keys have one kid')
  return keys
}

function parseSigningKey(jwk: Jwk): SigningKey {
  if (typeof jwk.kid !== 'string' || !KID.test(jwk.kid) || jwk.crv !== 'Ed25519') {
    throw new Error('not an Ed25519 key with a kid')
  }
  const { kid, nbf: signsFrom = 0 } = jwk
  if (!isUnixTime(signsFrom)) throw new Error('not a time')
  const key = { key: jwk as never, format: 'jwk' as const }
  if (jwk.d === undefined) return { kid, publicKey: createPublicKey(key), privateKey: null, signsFrom }
  const privateKey = createPrivateKey(key)
  return { kid, publicKey: createPublicKey(privateKey), privateKey, signsFrom }
}

const isUnixTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const beginWithSigner = (keys: SigningKey[]): keys is SigningKeys =>
  keys[0] !== undefined && keys[0].privateKey !== null

/** A key without a name is called `unnamed`; there may be several. */
function parseAdminKeys(text: string, lengthMin: number): AdminKey[] {
  const keys = text.split(',').map((entry) => {
    const [, name = UNNAMED, key] = ADMIN_KEY.exec(entry.trim()) ?? []
    if (key === undefined || key.length < lengthMin) throw new Error('not name:key')
    return { name, key }
  })
  const names = keys.map(({ name }) => name).filter((name) => name !== UNNAMED)
  if (new Set(names).size < names.length) throw new Error('two keys have one name')
  return keys
}

function parseMasterKey(text: string, isWrapped: boolean): { id: string; key: Buffer } {
  const [, id, encoded] = /^([A-Za-z0-9_-]+):(.+)$/.exec(text.trim()) ?? []
  if (id === undefined || encoded === undefined) throw new Error('not id:base64')
  return { id, key: isWrapped ? Buffer.from(encoded, 'base64') : parseKeyBytes(encoded) }
}

function parseHashKeys(text: string): VaultKeys['hashKeys'] {
  const [first = '', ...others] = text.split(',')
  const keys: VaultKeys['hashKeys'] = [parseKeyBytes(first), ...others.map(parseKeyBytes)]
  if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length) throw new Error('a key is there twice')
  return keys
}

function parseKeyBytes(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES) throw new Error('not 32 bytes')
  return key
}
