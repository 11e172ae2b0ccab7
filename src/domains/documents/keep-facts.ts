import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { cardOfMember } from './card-of-member.ts'
import type { Facts } from './facts.ts'
import { insertCards, insertFacts, type PolicyKey } from './store.ts'

/**
 * Keeps what the documents of an enrolment or an issue say, in the transaction that makes it (completion 6). With an
 * issue its cards can be checked.
 */
export async function keepFacts(tx: Tx, vault: Vault, { policy, facts }: { policy: PolicyKey; facts: Facts }) {
  await insertFacts(tx, policy, facts)
  if (facts.issue === 0) return
  const members = ['self', ...facts.dependants.map(({ id }) => id)]
  const cards = members.map((memberId) => ({
    memberId,
    hash: cardOfMember(vault, { userId: policy.userId, policyId: policy.id, memberId }).hash,
  }))
  await insertCards(tx, policy, cards)
}
