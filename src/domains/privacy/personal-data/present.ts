import type { Static } from 'typebox'
import type { ErasureSettings } from '../../../access/erasure-settings.ts'
import type { Session } from '../../../access/refresh-families.ts'
import { addDays } from '../../../kernel/date.ts'
import { EVENT_RETENTION_DAYS } from '../../../record/index.ts'
import { actorInWords } from '../../administration/audit/index.ts'
import type { Upload } from '../../cover/documents/index.ts'
import type { ErasureOutcome } from './erase-user.ts'
import type { FieldErasure, Ground } from './field-erasure.ts'
import type { Erasure as ErasureSchema, UserExport } from './schemas.ts'
import type { ScheduledErasure } from './store.ts'

/** Access logs are retained under these terms; without the person they identify nobody. */
const LAW_OF_LOGS = 'Digital Personal Data Protection Rules, 2025, rules 6(1)(e) and 8(3)'

type Field = Static<typeof ErasureSchema>['fields'][number]
type Context = { fieldErasures: readonly FieldErasure[]; erasure: ErasureSettings }

/** Returns an erasure with the outcome for each field of the person. */
export function presentErasure(
  { fieldErasures, erasure }: Context,
  outcome: ErasureOutcome,
): Static<typeof ErasureSchema> {
  return {
    user_id: outcome.userId,
    erased_at: outcome.erasedAt,
    fields: fieldErasures.map(({ field, ground }) => presentField(field, { ground, erasure, outcome })),
  }
}

type FieldContext = { ground: Ground | undefined; erasure: ErasureSettings; outcome: ErasureOutcome }

/** Fields without data are not retained. */
function presentField(field: string, { ground, erasure, outcome }: FieldContext): Field {
  const erased: Field = { field, outcome: 'erased' }
  switch (ground) {
    case undefined:
      return erased
    case 'log':
      return { field, outcome: 'retained', law: LAW_OF_LOGS }
    case 'events':
      return { field, outcome: 'retained', until: addDays(outcome.erasedAt.slice(0, 10), EVENT_RETENTION_DAYS) }
    case 'ledger':
    case 'policies': {
      const until = outcome.until[ground]
      return until === null ? erased : { field, outcome: 'retained', law: erasure.terms[ground].law, until }
    }
  }
}

type Export = Static<typeof UserExport>

export const presentUpload = (upload: Upload): Export['uploaded_documents'][number] => ({
  insurance_policy_id: upload.policyId,
  document_type: upload.documentType,
  size_bytes: upload.byteLength,
  sha256: upload.sha256,
  uploaded_by: actorInWords(upload.actor, upload.uploader),
  uploaded_at: upload.createdAt,
  replaced_at: upload.replacedAt,
})

export const presentSession = (session: Session): Export['sessions'][number] => ({
  begun_at: session.begunAt,
  last_used_at: session.lastUsedAt,
  expires_at: session.expiresAt,
  ended_at: session.endedAt,
})

export const presentScheduled = (scheduled: ScheduledErasure | undefined): Export['scheduled_erasure'] =>
  scheduled
    ? { requested_at: scheduled.askedAt, erased_at: scheduled.dueAt, end_policies: scheduled.endsPolicies }
    : null
