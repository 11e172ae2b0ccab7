import type { Limits } from '../../access/limits.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Database } from '../../kernel/db/database.ts'
import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { invalid, limitReached, unknownReference } from '../../kernel/problem-error.ts'
import { beginning, type By, type Change } from '../../record/index.ts'
import { CONSULTATION_MACHINE } from './states.ts'
import { type Consultation, findParties, INSERT_CONSULTATION } from './store.ts'

type Input = { userId: string; benefitProviderId: string }

/**
 * Opens a consultation with a benefit provider. Throws 404, 422 when there is no such provider or it is not the caller, 409
 * `conflict` when the user has as many open as one may.
 */
export async function openConsultation(
  { limits, ...context }: { db: Database; vault: Vault; limits: Limits },
  { userId, benefitProviderId }: Input,
  by: By,
): Promise<Change<Consultation>> {
  const scope = scopeOnUser(by.caller, userId)
  const { provider, slots, ...owner } = await findParties(context, scope, benefitProviderId)
  if (provider === undefined)
    throw invalid([unknownReference('/benefit_provider_id', 'There is no such benefit provider.')])
  const slot = freeSlot(slots, limits.openConsultations)
  if (slot === undefined) {
    throw limitReached(`A user has at most ${limits.openConsultations} open consultations; close one first.`)
  }
  const consultation: Consultation = {
    id: newId('con'),
    userId: scope.userId,
    benefitProviderId,
    provider,
    status: 'OPEN',
    ...firstVersion(by.at),
  }
  return {
    result: consultation,
    write: INSERT_CONSULTATION,
    values: [scope.userId, consultation.id, benefitProviderId, consultation.status, slot, by.at],
    rows: { into_user_providers: [{ user_id: scope.userId, benefit_provider_id: benefitProviderId }] },
    ...beginning(CONSULTATION_MACHINE, { ...consultation, ...owner }),
  }
}

/** The first slot that none has taken; undefined when there are as many as may be, whatever slots they have. */
function freeSlot(taken: readonly number[], most: number): number | undefined {
  if (taken.length >= most) return undefined
  return Array.from({ length: most }, (_, index) => index + 1).find((slot) => !taken.includes(slot))
}
