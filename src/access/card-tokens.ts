import assert from 'node:assert/strict'
import { createJws } from './jws.ts'
import type { SigningKeys } from './keys.ts'

/** 128 random bits, so that cards cannot be guessed. */
const CARD_ID = /^[A-Za-z0-9_-]{22}$/
const PAYLOAD = /^\{"sub":"([A-Za-z0-9_-]{22})"\}$/
/**
 * With the longest kid. The router accepts parameters of 300 characters, and a QR code of this length is easy to scan.
 */
const TOKEN_LENGTH_MAX = 271

export type CardTokens = ReturnType<typeof createCardTokens>

/**
 * Opens the tokens in QR codes of health cards: the signed card id (EdDSA, a JWT verifiable by the published keys) and
 * nothing else, because each character makes the code denser. No expiry: the policy's status is looked up. No issuer
 * and no audience: keys belong to one installation, an id from another is not found, and `typ` separates card tokens
 * from access tokens, in both directions (RFC 8725, 3.11). The same card and key give the same token, byte for byte.
 */
export function createCardTokens({ keys }: { keys: SigningKeys }) {
  const jws = createJws({ keys, typ: 'card+jwt' })

  return {
    issue(cardId: string): string {
      assert(CARD_ID.test(cardId), 'the id of a card is 128 bits in base64url')
      return jws.sign({ sub: cardId })
    },

    /** Returns the card id; undefined for anything but a card token of this service, for whatever reason. */
    read(token: string): string | undefined {
      const payload = token.length > TOKEN_LENGTH_MAX ? undefined : jws.read(token)
      return payload === undefined ? undefined : PAYLOAD.exec(payload)?.[1]
    },
  }
}
