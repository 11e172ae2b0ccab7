import type { Hasher } from '../../../kernel/crypto/vault.ts'
import type { CardHolder } from './store.ts'

const HASH_BYTES = 16

/**
 * Returns the card of a member. It is the same for every issue of the policy, so that a printed card can still be
 * checked after a renewal. `id` goes into its token, `hash` is looked up; neither reveals whose card it is.
 */
export function cardOfMember(hasher: Hasher, { userId, policyId, memberId }: CardHolder): { id: string; hash: Buffer } {
  const hash = hasher.blindIndex('health-card', `${userId}:${policyId}:${memberId}`).subarray(0, HASH_BYTES)
  return { id: hash.toString('base64url'), hash }
}

export const decodeCardHash = (id: string): Buffer => Buffer.from(id, 'base64url')

/** Path of the public card check, below the origin. */
export const CARD_CHECK_PATH = '/verify/health_card'

/** The same in the QR codes: short, and in capitals, so that the code is written in its dense mode. */
export const CARD_CODE_PATH = '/C'

/** The same, as some scanners and people who type it write it. */
export const LOWER_CARD_CODE_PATH = CARD_CODE_PATH.toLowerCase()
