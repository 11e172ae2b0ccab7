import type { Static } from 'typebox'
import type { TimelineEntry as TimelineEntrySchema } from './schemas.ts'
import type { TimelineEntry } from './store.ts'

export const presentEntry = (entry: TimelineEntry): Static<typeof TimelineEntrySchema> => ({
  at: entry.at,
  kind: entry.kind,
  actor_kind: entry.actorKind,
  from: entry.from,
  to: entry.to,
  reason: entry.reason,
  issue: entry.issue,
  document_type: entry.documentType,
  dependant_id: entry.dependantId,
  previous_version_id: entry.previousVersionId,
})
