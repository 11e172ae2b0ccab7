import type { Profile } from './store.ts'

/** The fields of a member that certificates print. */
const MEMBER = ['title', 'first_name', 'last_name', 'gender', 'dob'] as const satisfies (keyof Profile)[]

export const isSameMember = (one: Profile, other: Profile): boolean => MEMBER.every((name) => one[name] === other[name])
