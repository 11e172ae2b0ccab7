import { type Clock, todayIn } from '../../../kernel/clock.ts'
import type { By } from '../../../record/index.ts'
import type { LinkedRecords } from './linked-records.ts'
import type { Profile, User } from './records.ts'

/** The fields of a member that certificates print. */
const MEMBER = ['title', 'first_name', 'last_name', 'gender', 'dob'] as const satisfies (keyof Profile)[]

export const isSameMember = (one: Profile, other: Profile): boolean => MEMBER.every((name) => one[name] === other[name])

type NewProfile = { user: User; linked: readonly object[]; profile: Profile; calendar: Clock }

/** Decides how the policies of a user follow a new profile: only one that changes what certificates print concerns them. */
export function propagateMember(
  propagate: LinkedRecords['propagate'],
  { user, linked, profile, calendar }: NewProfile,
  by: By,
) {
  const { id, platformId, key } = user
  const rows = isSameMember(profile, user.profile) ? [] : linked
  return propagate(rows, { previous: { id, userId: id, platformId, key }, id }, { today: todayIn(calendar), by })
}
