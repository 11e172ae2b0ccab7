import type { Limits } from '../../../access/limits.ts'
import { PROVIDERS_PART, scopeOnUser } from '../../../access/scope.ts'
import { startOfDay, todayIn } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { invalid, limitReached, unknownReference } from '../../../kernel/problem-error.ts'
import { beginning, type By, type Change } from '../../../record/index.ts'
import { CONSULTATION_MACHINE } from './states.ts'
import { type Consultation, findParties, INSERT_CONSULTATION } from './store.ts'

type Input = { userId: string; benefitProviderId: string }

/**
 * Decides a new OPEN consultation with a benefit provider. Throws 404, 422 when the provider does not exist or is not
 * the caller, 409 `conflict` at the limit of open consultations or of those of a day.
 */
export async function openConsultation(
  { limits, ...context }: { db: Database; vault: Vault; limits: Limits },
  { userId, benefitProviderId }: Input,
  by: By,
): Promise<Change<Consultation>> {
  const scope = scopeOnUser(by.caller, userId)
  const since = startOfDay(todayIn({ now: () => by.at }))
  const { provider, slots, today, ...owner } = await findParties(context, scope, { benefitProviderId, since })
  if (provider === undefined)
    throw invalid([unknownReference('/benefit_provider_id', 'No benefit provider has this id.')])
  if (today >= limits.consultationsADay) {
    throw limitReached(`A user can begin at most ${limits.consultationsADay} consultations a day. Try again tomorrow.`)
  }
  const slot = freeSlot(slots, limits.openConsultations)
  if (slot === undefined) {
    throw limitReached(`A user can have at most ${limits.openConsultations} open consultations. Close one first.`)
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
    rows: PROVIDERS_PART.rows([{ user_id: scope.userId, benefit_provider_id: benefitProviderId }]),
    ...beginning(CONSULTATION_MACHINE, { ...consultation, ...owner }),
  }
}

/** Returns the first free slot, undefined when the limit is reached, whichever slots are used. */
function freeSlot(used: readonly number[], max: number): number | undefined {
  if (used.length >= max) return undefined
  return Array.from({ length: max }, (_, index) => index + 1).find((slot) => !used.includes(slot))
}
