import assert from 'node:assert/strict'
import { type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import { type Clock, systemClock, unixSeconds } from '../kernel/clock.ts'
import type { SigningKeys } from './keys.ts'

/** Three parts in base64url without padding, the last one 64 bytes of which no bit is spare: a token has one spelling. */
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

type JwsSettings = { keys: SigningKeys; typ: string; clock?: Clock }

/** Signs and reads tokens of one type (RFC 7515 compact, EdDSA); the keys and `typ` say which are ours. */
export function openJws({ keys, typ, clock = systemClock }: JwsSettings) {
  const headerOf = (kid: string) => encode({ alg: 'EdDSA', typ, kid })
  const signers = signersOf(keys).map((key) => ({ ...key, header: headerOf(key.kid) }))
  const [only] = signers
  // Compared as text: of all headers that mean the same, only the one that is written here is read.
  const keyOf = new Map(keys.map((key) => [headerOf(key.kid), key]))

  return {
    sign(payload: object): string {
      const { header, privateKey } = signers.length === 1 && only ? only : signerAmong(signers, unixSeconds(clock))
      const text = `${header}.${encode(payload)}`
      return `${text}.${signatureOf(text, privateKey).toString('base64url')}`
    },

    /** Returns the text of the payload; undefined for whatever was not signed as this type by one of the keys. */
    read(token: string): string | undefined {
      if (!COMPACT_JWS.test(token)) return undefined
      const [header = '', payload = '', signature = ''] = token.split('.')
      const key = keyOf.get(header)
      if (!key || !isSignedBy(key, `${header}.${payload}`, Buffer.from(signature, 'base64url'))) return undefined
      return Buffer.from(payload, 'base64url').toString()
    },
  }
}

type Signer = SigningKeys[0]

const signersOf = (keys: SigningKeys): Signer[] => keys.filter((key): key is Signer => key.privateKey !== null)

/** The newest whose time has come; before any has, the first. Of two of one time the one in front. */
function signerAmong<K extends Signer>(signers: readonly K[], now: number): K {
  const begun = signers.filter(({ signsFrom = 0 }) => signsFrom <= now)
  const newest = begun.reduce<K | undefined>(
    (best, key) => (best && (best.signsFrom ?? 0) >= (key.signsFrom ?? 0) ? best : key),
    undefined,
  )
  const signer = newest ?? signers[0]
  assert(signer, 'the first of the signing keys is private')
  return signer
}

/** The key that signs at a time in Unix seconds. */
export const signerAt = (keys: SigningKeys, now: number): Signer => signerAmong(signersOf(keys), now)

/**
 * An Ed25519 signature is the same each time (RFC 8032), so who holds the private half signs again and compares: 36 µs, where
 * verifying takes 105 (jose's 154 with its way to the thread pool). In constant time, for else the time would tell, byte by
 * byte, the signature of whatever somebody made up.
 */
const isSignedBy = ({ publicKey, privateKey }: SigningKeys[number], text: string, signature: Buffer): boolean =>
  privateKey === null
    ? verify(null, Buffer.from(text), publicKey, signature)
    : timingSafeEqual(signatureOf(text, privateKey), signature)

const signatureOf = (text: string, key: KeyObject): Buffer => sign(null, Buffer.from(text), key)

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
