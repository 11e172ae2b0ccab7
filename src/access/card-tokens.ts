import assert from 'node:assert/strict'
import { openJws } from './jws.ts'
import type { SigningKeys } from './keys.ts'

/** 128 random bits, so that nobody meets a card by guessing. */
const CARD_ID = /^[A-Za-z0-9_-]{22}$/
const PAYLOAD = /^\{"sub":"([A-Za-z0-9_-]{22})"\}$/
/** With the longest kid. The router reads parameters of 300 characters, and a QR code of this stays easy to scan. */
const TOKEN_LENGTH_MAX = 271

export type CardTokens = ReturnType<typeof openCardTokens>

/**
 * What the QR code of a health card carries: the card's id, signed (EdDSA, a JWT by the published keys) and nothing
 * else, for each character makes the code finer. No time limit: whether the policy is in force is looked up. No issuer
 * and no audience either: keys are one installation's own, an id from another is not found, and `typ` keeps card and
 * access tokens apart, in both directions (RFC 8725, 3.11). One card and one key give one token, to the byte.
 */
export function openCardTokens({ keys }: { keys: SigningKeys }) {
  const jws = openJws({ keys, typ: 'card+jwt' })

  return {
    issue(cardId: string): string {
      assert(CARD_ID.test(cardId), 'the id of a card is 128 bits in base64url')
      return jws.sign({ sub: cardId })
    },

    /** The id of the card, or undefined for whatever is not a card token of ours. Says nothing of the reason. */
    read(token: string): string | undefined {
      const payload = token.length > TOKEN_LENGTH_MAX ? undefined : jws.read(token)
      return payload === undefined ? undefined : PAYLOAD.exec(payload)?.[1]
    },
  }
}
