import type { Day } from '../../../kernel/date.ts'
import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import {
  columns,
  day,
  decoded,
  flag,
  integer,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
} from '../../../kernel/db/columns.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { CURRENCIES } from '../../../kernel/money.ts'
import { type DependantInput, openDependant, openShownDependant } from '../../people/dependants/index.ts'
import { openShownProfile, type Profile, USER_PROFILE } from '../../people/users/index.ts'
import type { Conditions } from './rejection-of.ts'
import type { ProviderMetadata, Questionnaire } from './schemas.ts'
import { nextMoveOn, POLICY_STATUSES } from './states.ts'

/** The columns of `insurance_policies p`. */
export const POLICY = columns('p', {
  id: text('policy_id'),
  userId: decoded('user_id', decodeUserId),
  benefitId: text('benefit_id'),
  benefitProviderId: text('benefit_provider_id'),
  planCode: text('plan_code'),
  status: oneOf('status', POLICY_STATUSES),
  dependantIds: texts('dependant_ids'),
  nomineeDependantId: nullable(text('nominee_dependant_id')),
  startDate: day('start_date'),
  endDate: day('end_date'),
  termMonths: integer('term_months'),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  currency: oneOf('currency', CURRENCIES),
  premiumAnnualPaise: integer('premium_annual_paise'),
  premiumDailyPaise: integer('premium_daily_paise'),
  premiumSponsorPaise: integer('premium_sponsor_paise'),
  externalPolicyId: nullable(text('external_policy_id')),
  masterPolicyNumber: nullable(text('master_policy_number')),
  /** Last day to renew, pay or reissue; null when nothing is due. */
  graceUntil: nullable(day('grace_until')),
  /** Number of times it was issued. */
  issue: integer('issue'),
  /** Dependants covered by the last issue; null before the first. */
  issuedDependantIds: nullable(texts('issued_dependant_ids')),
  coveredFrom: nullable(day('covered_from')),
  /** The pending issue begins cover: the next term, or days after a return from EXPIRED. */
  beginsCover: flag('begins_cover'),
  sealed: nullable(text('sealed')),
  ...VERSION,
})

/** The encrypted part of a policy: answers about health, and the provider's metadata. */
type SealedFields = { questionnaire?: Questionnaire; provider_metadata?: ProviderMetadata }

/** The user of a policy. */
export type Owner = {
  platformId: string
  key: DataKey
  member: Profile
  dependant: (id: string) => DependantInput | undefined
}

export type Policy = Omit<RecordOf<typeof POLICY>, 'coveredFrom' | 'sealed'> &
  Owner & {
    benefitName: string
    /** The start of its first term; terms follow each other without a gap. */
    coveredFrom: Day
    private: SealedFields
  }

/** A policy, the time its status began, and what its transitions depend on. */
export type PolicyWithSince = { policy: Policy; since: WireTime; conditions: Conditions }

/** Columns of the owner; `dependants` are sealed texts by id, null when there are none. */
export type OwnerRow = Record<'user_id' | 'platform_id' | 'data_key' | 'user_sealed', string> & {
  dependants: Record<string, string> | null
}
export type PolicyRow = { benefit_name: string }

/** With `isShown`, sealed parts that cannot be read are shown as unavailable; else they are an error. */
export type Reading = { isShown: boolean }

/** For lists, exports and documents, which one damaged row must not fail. Never for a policy that is written back. */
export const SHOWN: Reading = { isShown: true }
const WHOLE: Reading = { isShown: false }

export function openOwner(row: OwnerRow, vault: Vault, { isShown } = WHOLE): Owner {
  const userId = decodeUserId(row.user_id)
  const key = vault.open(row.data_key)
  return {
    platformId: row.platform_id,
    key,
    member: (isShown ? openShownProfile : USER_PROFILE.open)(key, { id: userId }, row.user_sealed),
    dependant: openDependants({ userId, key }, row.dependants, isShown ? openShownDependant : openDependant),
  }
}

/** Returns a lookup that decrypts each dependant on first use. */
export function openDependants(
  { userId, key }: { userId: string; key: DataKey },
  stored: OwnerRow['dependants'],
  open = openDependant,
): Owner['dependant'] {
  const opened = new Map<string, DependantInput>()
  return (id) => {
    const sealed = stored?.[id]
    if (sealed !== undefined && !opened.has(id)) opened.set(id, open(key, { userId, id, sealed }))
    return opened.get(id)
  }
}

export function openPolicy(row: PolicyRow, owner: Owner, { isShown } = WHOLE): Policy {
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
        : isShown
          ? PRIVATE.openOr(owner.key, stored, sealed, {})
          : PRIVATE.open(owner.key, stored, sealed),
  }
}

/** Returns the row of a changed policy, written at the given time. */
export const rowOfPolicy = (policy: Policy, at: Date): Record<string, unknown> => ({
  ...POLICY.row({ ...policy, sealed: sealedOf(policy) }),
  created_at: at, // not updated by a change
  last_modified_at: at,
  next_move_on: nextMoveOn(policy),
})

const sealedOf = (policy: Policy): string | null =>
  Object.keys(policy.private).length === 0 ? null : PRIVATE.seal(policy.key, policy, policy.private)

export const PRIVATE = sealedColumn<SealedFields, { userId: string; id: string }>('insurance_policies.sealed', {
  row: ({ userId, id }) => `insurance_policies:${userId}:${id}`,
})
