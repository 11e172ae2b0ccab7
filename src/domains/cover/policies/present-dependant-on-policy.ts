import { Type } from 'typebox'
import { Nullable, OneOf } from '../../../kernel/http/schemas.ts'
import { Gender } from '../../people/users/index.ts'
import type { MemberDays } from './list-member-days.ts'
import { findDependant, type Policy, RELATIONS } from './records.ts'

const Name = Nullable(Type.String())

/** Who is on a policy, in every record that names them. */
export const personFields = {
  first_name: Name,
  last_name: Name,
  date_of_birth: Nullable(
    Type.String({ format: 'date', description: 'Date of birth; `null` of a user who has none yet' }),
  ),
  gender: Nullable(Gender),
  relation: Nullable(OneOf(RELATIONS, { description: 'What the dependant is to the user, where it is known' })),
}

/** Returns the user of a policy. */
export function presentUserOnPolicy({ userId, member }: Policy) {
  const { first_name = null, last_name = null, dob = null, gender = null } = member
  const named = { id: userId, first_name, last_name, date_of_birth: dob, gender, relation: null }
  return { person: 'member' as const, ...named }
}

/** Returns a dependant at one of their times. */
export function presentDependantOnPolicy(policy: Policy, { id, person }: Pick<MemberDays, 'id' | 'person'>) {
  const { first_name, last_name, date_of_birth } = findDependant(policy, id)
  const { relation = null, gender = null } = policy.private.members?.[person] ?? {}
  return { person: 'dependant' as const, id, first_name, last_name, date_of_birth, gender, relation }
}
