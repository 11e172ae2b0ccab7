import type { AdministratorId, ListedInsurancePolicy } from '@banyan/client'
import { assignPolicy, readAssignee, releasePolicy } from '../../api/policies.ts'

const CHANGED = 'Somebody else has been assigned since. It is left as it is.'

/** Assigns a policy upon what the list shows, and throws when that is no more true; null: releases it. */
export async function assignRow(row: ListedInsurancePolicy, to: AdministratorId | null): Promise<void> {
  const policy = { userId: row.user_id, id: row.id }
  const listed = row.assignee?.id ?? null
  // Of one that nobody has, the service checks it: it takes it from nobody unless it is asked to.
  if (listed !== null || to === null) {
    const { assignee } = await readAssignee(policy)
    if ((assignee?.id ?? null) !== listed) throw new Error(CHANGED)
  }
  if (to !== null) await assignPolicy(policy, { to, takesOver: listed !== null })
  else if (listed !== null) await releasePolicy(policy)
}
