import assert from 'node:assert/strict'
import { BASE32_DIGITS, fromBase32, toBase32 } from '../kernel/base32.ts'
import { type Clock, systemClock, unixSeconds } from '../kernel/clock.ts'
import { createJws, isSignedBy, createSignature, signerAt } from './jws.ts'
import type { SigningKeys } from '../settings/keys.ts'

/** 128 random bits, so that cards cannot be guessed. */
const CARD_ID = /^[A-Za-z0-9_-]{22}$/
const CARD_ID_BYTES = 16

/**
 * 16 bytes of card id and 64 of signature, made in capitals: a QR code has a dense mode for capitals and digits only. Read in either
 * case, because scanners and people who type change it.
 */
const TOKEN = new RegExp(`^[${BASE32_DIGITS}]{128}$`, 'i')

/** What is signed begins with this, so that it is never the text of an access token, which begins with `ey`. */
const CONTEXT = Buffer.from('banyan health card:')

/** The former tokens were JWTs, which many printed cards have. This is their length with the longest kid. */
const JWT_LENGTH_MAX = 271
const JWT_PAYLOAD = /^\{"sub":"([A-Za-z0-9_-]{22})"\}$/

export type CardTokens = ReturnType<typeof createCardTokens>

/**
 * Opens the tokens in QR codes of health cards: the card id, then its signature (Ed25519) by one of the published keys, and nothing
 * else, because each character makes the code denser. There is no kid: a token is tried with every key, and there are
 * few. No expiry: the policy's status is looked up. No issuer and no audience: keys belong to one installation, and an id
 * from another is not found. The same card and key give the same token.
 */
export function createCardTokens({ keys, clock = systemClock }: { keys: SigningKeys; clock?: Clock }) {
  const jws = createJws({ keys, typ: 'card+jwt' })

  return {
    issue(cardId: string): string {
      assert(CARD_ID.test(cardId), 'the id of a card is 128 bits in base64url')
      const id = Buffer.from(cardId, 'base64url')
      const { privateKey } = signerAt(keys, unixSeconds(clock))
      return toBase32(Buffer.concat([id, createSignature(signedContent(id), privateKey)])).toUpperCase()
    },

    /** Returns the card id; undefined for anything but a card token of this service, for whatever reason. */
    read(token: string): string | undefined {
      if (!TOKEN.test(token)) return readJwt(token)
      const bytes = fromBase32(token.toLowerCase())
      assert(bytes)
      const [id, signature] = [bytes.subarray(0, CARD_ID_BYTES), bytes.subarray(CARD_ID_BYTES)]
      const content = signedContent(id)
      return keys.some((key) => isSignedBy(key, content, signature)) ? id.toString('base64url') : undefined
    },
  }

  function readJwt(token: string): string | undefined {
    const payload = token.length > JWT_LENGTH_MAX ? undefined : jws.read(token)
    return payload === undefined ? undefined : JWT_PAYLOAD.exec(payload)?.[1]
  }
}

const signedContent = (id: Buffer) => Buffer.concat([CONTEXT, id])
