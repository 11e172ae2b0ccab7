import {
  constants,
  createHash,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto'
import type { DataKey } from './vault.ts'

/** As strong as AES-128, for data that must stay closed for years. */
export const WRAPPING_BITS_MIN = 3_072

const KEY_ID_DIGITS = 16

/** Returns the public key in a PEM text, or what is wrong with the text. */
export function readPublicKey(pem: string): KeyObject | string {
  // Node would take the public half of a private key without a word.
  if (/PRIVATE KEY/.test(pem)) return 'is a private key, which belongs on no server: set the public one'
  try {
    const key = createPublicKey(pem)
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType === 'rsa' && bits >= WRAPPING_BITS_MIN) return key
  } catch {
    // no PEM of a key
  }
  return `must be a public RSA key of at least ${WRAPPING_BITS_MIN} bits, as PEM`
}

/** Names a public key, and so the private one that opens what it has wrapped. */
export const publicKeyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, KEY_ID_DIGITS)

const oaep = (label: string) => ({
  padding: constants.RSA_PKCS1_OAEP_PADDING,
  oaepHash: 'sha256',
  oaepLabel: Buffer.from(label),
})

/** Wraps a data key, so that only the private key opens it, and only under this label. */
export function wrapFor(key: KeyObject, label: string, dataKey: DataKey): string {
  const bytes = dataKey.export()
  try {
    return publicEncrypt({ key, ...oaep(label) }, bytes).toString('base64url')
  } finally {
    bytes.fill(0)
  }
}

/** Opens what `wrapFor` has wrapped. Throws for another key, another label or another text. */
export function unwrapWith(privateKey: KeyObject, label: string, wrapped: string): DataKey {
  const bytes = privateDecrypt({ key: privateKey, ...oaep(label) }, Buffer.from(wrapped, 'base64url'))
  try {
    return createSecretKey(bytes)
  } finally {
    bytes.fill(0)
  }
}
