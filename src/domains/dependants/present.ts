import type { Static } from 'typebox'
import type { Dependant as DependantSchema } from './schemas.ts'
import type { Dependant } from './store.ts'

export const presentDependant = (dependant: Dependant): Static<typeof DependantSchema> => ({
  id: dependant.id,
  date_of_birth: dependant.date_of_birth,
  first_name: dependant.first_name,
  last_name: dependant.last_name,
  primary_user_id: dependant.userId,
  previous_version_id: dependant.previousVersionId,
  created_at: dependant.createdAt,
  last_modified_at: dependant.lastModifiedAt,
})

export const versionOf = (dependant: Dependant) => ({
  record: presentDependant(dependant),
  revision: dependant.revision,
})
