import { scopeOnUser } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { type By, type Decision, type StatusRequest, transition, unchanged } from '../../../record/index.ts'
import { versionOf } from './present.ts'
import { CONSULTATION_MACHINE, type ConsultationStatus } from './states.ts'
import { type Consultation, findConsultation, UPDATE_STATUS } from './store.ts'

type Input = StatusRequest<ConsultationStatus> & { userId: string; consultationId: string }

/** Decides a change of a consultation's status. Throws 404, 409 `invalid_state`, 412. */
export async function setConsultationStatus(
  context: { db: Database; vault: Vault },
  { userId, consultationId, status, reason, ifMatch }: Input,
  by: By,
): Promise<Decision<Consultation>> {
  const consultation = await findConsultation(context, scopeOnUser(by.caller, userId), consultationId)
  checkFresh(ifMatch, () => versionOf(consultation))
  if (consultation.status === status) return unchanged(consultation)
  const { history, events } = transition(CONSULTATION_MACHINE, consultation, {
    to: status,
    who: by.caller.kind,
    reason,
  })
  return {
    result: { ...nextVersion(consultation, by.at), status },
    write: UPDATE_STATUS,
    values: [consultation.userId, consultation.id, consultation.revision, status, by.at],
    history,
    events,
  }
}
