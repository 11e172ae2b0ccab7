import { PERSON_FIELDS, type PersonField } from '../../../record/index.ts'

type Person = { readonly [Name in PersonField]?: string | null | undefined }

/** Returns the fields in which a person differs from before. */
export const correctedFields = (before: Person, after: Person): PersonField[] =>
  PERSON_FIELDS.filter((name) => (before[name] ?? null) !== (after[name] ?? null))

/** A member with the names of fields that every person has. */
export const memberAsPerson = <M extends { dob?: string | null }>(member: M) => ({
  ...member,
  date_of_birth: member.dob,
})
