import type { Static } from 'typebox'
import { type Dependant as DependantSchema, type DependantInput, FIELD_NAMES } from './schemas.ts'
import type { Dependant } from './store.ts'

type DependantRecord = Static<typeof DependantSchema>

export const presentDependant = ({ id, profile, ...dependant }: Dependant): DependantRecord => ({
  id,
  ...presentProfile(profile),
  primary_user_id: dependant.userId,
  previous_version_id: dependant.previousVersionId,
  created_at: dependant.createdAt,
  last_modified_at: dependant.lastModifiedAt,
})

const presentProfile = (profile: DependantInput) =>
  Object.fromEntries(FIELD_NAMES.map((name) => [name, profile[name] ?? null])) as Pick<
    DependantRecord,
    keyof DependantInput
  >

export const versionOf = (dependant: Dependant) => ({
  record: presentDependant(dependant),
  revision: dependant.revision,
})
