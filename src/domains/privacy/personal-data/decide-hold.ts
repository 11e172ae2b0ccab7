import { publicKeyId, wrapFor } from '../../../kernel/crypto/public-wrap.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import type { ErasureSettings } from '../../../settings/read-erasure.ts'

/** What the data key of a person is bound to while it is held. */
export const holdLabel = (userId: string): string => `erasure_holds:${userId}`

/** The values of the erasure's write; all null where nothing is held. */
export type Hold = { held_until: Day | null; hold_key_id: string | null; held_key: string | null }

const NO_HOLD: Hold = { held_until: null, hold_key_id: null, held_key: null }

/** Returns the last day of the hold of an erasure at a time; null when nothing is held. */
export const lastDayOfHold = ({ holdDays }: Pick<ErasureSettings, 'holdDays'>, at: Date): Day | null =>
  holdDays === 0 ? null : addDays(todayIn({ now: () => at }), holdDays)

type Context = { erasure: Pick<ErasureSettings, 'holdKey'>; vault: Pick<Vault, 'unwrap'> | null }
type Person = { userId: string; dataKey: string }

/**
 * Wraps the data key of a person for the holder of the private key, until a day. A data key that no master key opens opens nothing for
 * anybody, so there is nothing to hold, and such a person can be erased like any other.
 */
export function decideHold(
  { erasure: { holdKey }, vault }: Context,
  { userId, dataKey }: Person,
  until: Day | null,
): Hold {
  const opened = until === null || holdKey === null || vault === null ? undefined : unwrapKey(vault, dataKey)
  if (opened === undefined || holdKey === null) return NO_HOLD
  return {
    held_until: until,
    hold_key_id: publicKeyId(holdKey),
    held_key: wrapFor(holdKey, holdLabel(userId), opened),
  }
}

function unwrapKey(vault: Pick<Vault, 'unwrap'>, dataKey: string): DataKey | undefined {
  try {
    return vault.unwrap(dataKey)
  } catch {
    return undefined
  }
}
