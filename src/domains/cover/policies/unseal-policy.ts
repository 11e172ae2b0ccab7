import { decodeUserId } from '../../../access/user-id.ts'
import type { Day } from '../../../kernel/date.ts'
import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { type DependantInput, unsealDependant, unsealDependantTolerantly } from '../../people/dependants/index.ts'
import { unsealProfileTolerantly, USER_PROFILE } from '../../people/users/index.ts'
import { type Owner, POLICY, type Policy, type SealedFields } from './records.ts'
import { nextDayOf, storedDays } from './states.ts'

/** Columns of the owner; `dependants` are sealed texts by id, null when there are none. */
export type OwnerRow = Record<'user_id' | 'platform_id' | 'data_key' | 'user_sealed', string> & {
  dependants: Record<string, string> | null
}
export type PolicyRow = { benefit_name: string }

/** With `isShown`, sealed parts that cannot be read are shown as unavailable; else they are an error. */
export type UnsealOptions = { isTolerant: boolean }

/** For lists, exports and documents, which one damaged row must not fail. Never for a policy that is written back. */
export const TOLERANT: UnsealOptions = { isTolerant: true }
const STRICT: UnsealOptions = { isTolerant: false }

export function unsealOwner(row: OwnerRow, vault: Vault, { isTolerant } = STRICT): Owner {
  const userId = decodeUserId(row.user_id)
  const key = vault.unwrap(row.data_key)
  return {
    platformId: row.platform_id,
    key,
    member: (isTolerant ? unsealProfileTolerantly : USER_PROFILE.unseal)(key, { id: userId }, row.user_sealed),
    dependant: unsealDependants(
      { userId, key },
      row.dependants,
      isTolerant ? unsealDependantTolerantly : unsealDependant,
    ),
  }
}

/** Returns a lookup that decrypts each dependant on first use. */
export function unsealDependants(
  { userId, key }: { userId: string; key: DataKey },
  stored: OwnerRow['dependants'],
  unseal = unsealDependant,
): Owner['dependant'] {
  const unsealed = new Map<string, DependantInput>()
  return (id) => {
    const sealed = stored?.[id]
    if (sealed !== undefined && !unsealed.has(id)) unsealed.set(id, unseal(key, { userId, id, sealed }))
    return unsealed.get(id)
  }
}

export function unsealPolicy(row: PolicyRow, owner: Owner, { isTolerant } = STRICT): Policy {
  const stored = POLICY.decode(row) // `sealed` stays in it: the copy without it cost 5 µs a policy
  const { sealed } = stored
  return {
    ...stored,
    ...owner,
    benefitName: row.benefit_name,
    coveredFrom: stored.coveredFrom ?? stored.startDate,
    private:
      sealed === null
        ? {}
        : isTolerant
          ? PRIVATE.unsealOr(owner.key, stored, sealed, {})
          : PRIVATE.unseal(owner.key, stored, sealed),
  }
}

/** `noticesFrom`: of a term that has begun, from which day on notices are due. */
type RowOptions = { isSentBack?: boolean; hasNewStatus?: boolean; noticesFrom?: Day | null }

/** Returns the values by which a write changes a policy, the next version of the one that was read. */
export const toChangeValues = (policy: Policy, at: Date, options?: RowOptions) => ({
  user_id: policy.userId,
  policy_id: policy.id,
  revision: policy.revision - 1,
  policy: toPolicyRow(policy, at, options),
})

/** Returns the row of a policy that enters its status; one that stays in it keeps since when, and its mark. */
export const toPolicyRow = (
  policy: Policy,
  at: Date,
  { isSentBack = false, hasNewStatus = true, noticesFrom = null }: RowOptions = {},
): Record<string, unknown> => ({
  ...POLICY.row({ ...policy, sealed: findSealed(policy) }),
  created_at: at, // not updated by a change
  last_modified_at: at,
  member_days: storedDays(policy),
  next_move_on: nextDayOf(policy),
  notices_from: noticesFrom,
  status_since: hasNewStatus ? at : null,
  is_sent_back: hasNewStatus ? isSentBack : null,
  platform_id: policy.platformId,
})

const findSealed = (policy: Policy): string | null =>
  Object.keys(policy.private).length === 0 ? null : PRIVATE.seal(policy.key, policy, policy.private)

export const PRIVATE = sealedColumn<SealedFields, { userId: string; id: string }>('insurance_policies.sealed', {
  row: ({ userId, id }) => `insurance_policies:${userId}:${id}`,
})
