import { type Clock, todayIn } from '../../../kernel/clock.ts'
import { type By, PERSON_FIELDS, type PersonField } from '../../../record/index.ts'
import type { LinkedRecords } from './linked-records.ts'
import type { Profile, User } from './records.ts'

/** The fields of a member that certificates print, by the names that every person's have. */
const MEMBER = {
  title: 'title',
  first_name: 'first_name',
  last_name: 'last_name',
  gender: 'gender',
  date_of_birth: 'dob',
} as const satisfies Record<PersonField, keyof Profile>

const correctedFields = (one: Profile, other: Profile): PersonField[] =>
  PERSON_FIELDS.filter((name) => one[MEMBER[name]] !== other[MEMBER[name]])

export const isSameMember = (one: Profile, other: Profile): boolean => correctedFields(one, other).length === 0

type NewProfile = { user: User; linked: readonly object[]; profile: Profile; calendar: Clock }

/** Decides how the policies of a user follow a new profile: only one that changes what certificates print concerns them. */
export function propagateMember(
  propagate: LinkedRecords['propagate'],
  { user, linked, profile, calendar }: NewProfile,
  by: By,
) {
  const { id, platformId, key } = user
  const fields = correctedFields(profile, user.profile)
  const rows = fields.length === 0 ? [] : linked
  return propagate(
    rows,
    { previous: { id, userId: id, platformId, key }, id, fields },
    { today: todayIn(calendar), by },
  )
}
