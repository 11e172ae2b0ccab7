import type { Vault } from '../../kernel/crypto/vault.ts'
import type { CardHolder } from './store.ts'

const HASH_BYTES = 16

/**
 * The card of a member: the same for every issue of the policy, so that a card already printed goes on being checked
 * after a renewal. `id` is what its token carries, `hash` what it is found by; neither tells whose it is.
 */
export function cardOfMember(vault: Vault, { userId, policyId, memberId }: CardHolder): { id: string; hash: Buffer } {
  const hash = vault.blindIndex('health-card', `${userId}:${policyId}:${memberId}`).subarray(0, HASH_BYTES)
  return { id: hash.toString('base64url'), hash }
}

/** The hash of the card with this id. */
export const cardHashOf = (id: string): Buffer => Buffer.from(id, 'base64url')
