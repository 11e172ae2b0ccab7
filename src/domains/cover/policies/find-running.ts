import type { Day } from '../../../kernel/date.ts'
import type { Deps } from '../../../record/index.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { findOnDay } from '../documents/store.ts'
import type { Policy } from './records.ts'

/** Returns what was last issued of the term that runs today, where the record has the next one. */
export async function findRunning(
  { db }: Pick<Deps, 'db'>,
  policy: Policy,
  today: Day,
): Promise<PolicySnapshot | undefined> {
  if (policy.startDate <= today || policy.issue === 0) return undefined
  return (await findOnDay(db, policy, { documentType: 'policy_certificate', last: policy.issue, today })).snapshot
}
