import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { PartRows } from '../../../kernel/db/write-statement.ts'
import { cardOfMember } from './card-of-member.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'
import { CARDS_PART, type PolicyKey, SNAPSHOT, SNAPSHOTS_PART } from './store.ts'

type NewSnapshot = { policy: PolicyKey; snapshot: PolicySnapshot; at: Date }

/**
 * Returns the rows of `SNAPSHOT_PARTS` for the snapshot of an enrolment or issue (completion 6). An issue also
 * registers the cards of its members for the card check.
 */
export function rowsOfSnapshot(vault: Vault, { policy, snapshot, at }: NewSnapshot): PartRows {
  const { userId, id: policyId, key } = policy
  const { issue } = snapshot
  const members = issue === 0 ? [] : ['self', ...snapshot.dependants.map(({ id }) => id)]
  const sealed = SNAPSHOT.seal(key, { userId, id: policyId, issue }, snapshot)
  return {
    ...SNAPSHOTS_PART.rows([{ user_id: userId, policy_id: policyId, issue, sealed, at }]),
    ...CARDS_PART.rows(
      members.flatMap((memberId) =>
        vault.hashers.map((hasher) => ({
          card_hash: cardOfMember(hasher, { userId, policyId, memberId }).hash,
          user_id: userId,
          policy_id: policyId,
          member_id: memberId,
        })),
      ),
    ),
  }
}
