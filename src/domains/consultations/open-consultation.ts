import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { foundOrUndefined, invalid, unknownReference } from '../../kernel/refusal.ts'
import { findMove } from '../../kernel/state-machine.ts'
import { findBenefitProvider } from '../benefit-providers/index.ts'
import { recordUserMoves } from '../events/index.ts'
import { findUser, linkProvider } from '../users/index.ts'
import { versionOf } from './present.ts'
import { CONSULTATION_MOVES, type ConsultationStatus } from './states.ts'
import {
  type Consultation,
  findConsultation,
  insertConsultation,
  lockConsultation,
  setConsultationStatus,
} from './store.ts'

type Opening = { userId: string; benefitProviderId: string; by: Actor }

/** Opens a consultation with a benefit provider. 404, 422 when there is no such provider or it is not the caller. */
export async function openConsultation(
  tx: Tx,
  vault: Vault,
  { userId, benefitProviderId, by }: Opening,
): Promise<Consultation> {
  const scope = scopeOnUser(by.caller, userId)
  const user = await findUser(tx, vault, scope)
  if (scope.providerId !== null && scope.providerId !== benefitProviderId) throw unknownProvider()
  if (!(await foundOrUndefined(findBenefitProvider(tx, benefitProviderId)))) throw unknownProvider()
  await linkProvider(tx, { userId: user.id, benefitProviderId })
  const id = await insertConsultation(tx, { userId: user.id, benefitProviderId })
  return findConsultation(tx, vault, scope, id)
}

const unknownProvider = () => invalid([unknownReference('/benefit_provider_id', 'There is no such benefit provider.')])

type Move = {
  userId: string
  consultationId: string
  status: ConsultationStatus
  reason: string | undefined
  ifMatch: string | undefined
  by: Actor
}

/** Closes a consultation. 404, 409 `invalid_state`, 412. */
export async function moveConsultation(tx: Tx, vault: Vault, move: Move): Promise<Consultation> {
  const scope = scopeOnUser(move.by.caller, move.userId)
  const consultation = await lockConsultation(tx, vault, scope, move.consultationId)
  checkFresh(move.ifMatch, () => versionOf(consultation))
  findMove(CONSULTATION_MOVES, { from: consultation.status, to: move.status, who: move.by.caller.kind })
  await recordUserMoves(tx, consultation, [
    {
      entityId: consultation.id,
      from: consultation.status,
      to: move.status,
      by: move.by,
      reason: { text: move.reason, key: consultation.key },
    },
  ])
  return setConsultationStatus(tx, consultation, move.status)
}
