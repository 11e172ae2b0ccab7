import { type Clock, todayIn } from '../../../kernel/clock.ts'
import type { Author } from '../../../record/index.ts'
import type { Limits } from '../../../settings/read-limits.ts'
import { correctedFields, memberAsPerson } from './corrected-fields.ts'
import type { LinkedRecords } from './linked-records.ts'
import type { Profile, User } from './records.ts'

/** Returns the fields of a member that certificates print and that differ. */
const correctedInMember = (before: Profile, after: Profile) =>
  correctedFields(memberAsPerson(before), memberAsPerson(after))

export const isSameMember = (one: Profile, other: Profile): boolean => correctedInMember(one, other).length === 0

type NewProfile = { user: User; linked: readonly object[]; profile: Profile; calendar: Clock; limits: Limits }

/** Decides how the policies of a user follow a new profile: only one that changes what certificates print concerns them. */
export function propagateMember(
  propagate: LinkedRecords['propagate'],
  { user, linked, profile, calendar, limits }: NewProfile,
  author: Author,
) {
  const { id, platformId, key } = user
  const fields = correctedInMember(user.profile, profile)
  const rows = fields.length === 0 ? [] : linked
  return propagate(
    rows,
    { previous: { id, userId: id, platformId, key }, id, fields },
    { today: todayIn(calendar), author, endorsementDays: limits.endorsementDays },
  )
}
