import assert from 'node:assert/strict'
import { type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { type Clock, systemClock, unixSeconds } from '../kernel/clock.ts'
import { signEd25519 } from '../kernel/crypto/ed25519.ts'
import type { SigningKeys } from '../settings/keys.ts'

/** Three parts in base64url without padding, the last one 64 bytes without spare bits: a token has one spelling. */
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

type JwsSettings = { keys: SigningKeys; typ: string; clock?: Clock }

/**
 * Signs and verifies tokens of one type (RFC 7515 compact, EdDSA); the keys and `typ` identify ours. Not in the thread
 * pool: with it, requests that sign a token took 4 to 26 % more CPU time and were not faster.
 */
export function createJws({ keys, typ, clock = systemClock }: JwsSettings) {
  const encodeHeader = (kid: string) => encode({ alg: 'EdDSA', typ, kid })
  const signers = listSigners(keys).map((key) => ({ ...key, header: encodeHeader(key.kid) }))
  const [only] = signers
  // Compared as text: of all equivalent headers, only our own spelling is accepted.
  const keyByHeader = new Map(keys.map((key) => [encodeHeader(key.kid), key]))

  return {
    sign(payload: object): string {
      const { header, privateKey } = signers.length === 1 && only ? only : signerAmong(signers, unixSeconds(clock))
      const text = `${header}.${encode(payload)}`
      return `${text}.${createSignature(text, privateKey).toString('base64url')}`
    },

    /** Returns the payload text; undefined for anything not signed as this type by one of the keys. */
    read(token: string): string | undefined {
      if (!COMPACT_JWS.test(token)) return undefined
      const [header = '', payload = '', signature = ''] = token.split('.')
      const key = keyByHeader.get(header)
      const isOurs = key && isSignedBy(key, `${header}.${payload}`, Buffer.from(signature, 'base64url'))
      if (!isOurs) return undefined
      return Buffer.from(payload, 'base64url').toString()
    },
  }
}

type Signer = SigningKeys[0]

const listSigners = (keys: SigningKeys): Signer[] => keys.filter((key): key is Signer => key.privateKey !== null)

/** Returns the newest signer whose time has come, else the first. Of two with the same time, the first one signs. */
function signerAmong<K extends Signer>(signers: readonly K[], now: number): K {
  const begun = signers.filter(({ signsFrom = 0 }) => signsFrom <= now)
  const [signer = signers[0]] = begun.toSorted((a, b) => (b.signsFrom ?? 0) - (a.signsFrom ?? 0))
  assert(signer, 'the first of the signing keys is private')
  return signer
}

/** The key that signs at a time in Unix seconds. */
export const signerAt = (keys: SigningKeys, now: number): Signer => signerAmong(listSigners(keys), now)

/**
 * Ed25519 signatures are deterministic (RFC 8032), so with the private key we sign again and compare: 21 µs with libsodium and 36 without, where
 * verifying takes 105 (jose 154). Compares in constant time: otherwise timing would reveal,
 * byte by byte, the signature of a forged token.
 */
export const isSignedBy = (
  { publicKey, privateKey }: SigningKeys[number],
  content: string | Buffer,
  signature: Buffer,
): boolean =>
  privateKey === null
    ? verify(null, Buffer.from(content), publicKey, signature)
    : timingSafeEqual(createSignature(content, privateKey), signature)

export const createSignature = (content: string | Buffer, key: KeyObject): Buffer =>
  signEd25519(Buffer.from(content), key)

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
