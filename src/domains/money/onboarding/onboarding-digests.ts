import type { Hasher } from '../../../kernel/crypto/vault.ts'
import type { Profile } from '../../people/users/index.ts'
import type { OnboardingInput } from './records.ts'

/** Returns the keyed digest of what a user was onboarded with. */
export const digestInput = (hasher: Pick<Hasher, 'digest'>, userId: string, input: OnboardingInput): Buffer =>
  hasher.digest(`onboarding:${userId}`, input)

const REQUIRED = ['bank_details', 'dob', 'first_name', 'last_name', 'email', 'gender', 'title'] as const
const WITH_ADDRESS = [...REQUIRED, 'address'] as const

/**
 * Returns the digests that the onboarding of a user with this profile can have: the address may have come before. One that
 * is not among them is of a profile that has changed since.
 */
export function onboardingDigests(hasher: Pick<Hasher, 'digest'>, userId: string, profile: Profile): Buffer[] {
  const selectFields = (names: readonly (keyof Profile)[]) =>
    Object.fromEntries(names.flatMap((name) => (profile[name] === undefined ? [] : [[name, profile[name]]])))
  return [WITH_ADDRESS, REQUIRED].map((names) => hasher.digest(`onboarding:${userId}`, selectFields(names)))
}
