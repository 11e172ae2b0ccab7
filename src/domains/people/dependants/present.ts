import type { Static } from 'typebox'
import { type Dependant as DependantSchema, type DependantInput, FIELD_NAMES } from './schemas.ts'
import type { Dependant } from './store.ts'

type DependantRecord = Static<typeof DependantSchema>

export const presentDependant = (dependant: Dependant): DependantRecord => ({
  id: dependant.id,
  ...presentProfile(dependant.profile),
  primary_user_id: dependant.userId,
  previous_version_id: dependant.previousVersionId,
  created_at: dependant.createdAt,
  last_modified_at: dependant.lastModifiedAt,
})

function presentProfile(profile: DependantInput) {
  const shown: Partial<Record<keyof DependantInput, string | null>> = {}
  for (const name of FIELD_NAMES) shown[name] = profile[name] ?? null
  return shown as Pick<DependantRecord, keyof DependantInput>
}

export const versionOf = (dependant: Dependant) => ({
  record: presentDependant(dependant),
  revision: dependant.revision,
})
