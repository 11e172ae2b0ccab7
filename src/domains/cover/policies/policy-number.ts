import { BASE32_DIGITS } from '../../../kernel/base32.ts'

export const REFERENCE_LENGTH = 12

/** Returns the policy number: the insurer's, or our reference until there is one. */
export const policyNumber = (policy: { id: string; externalPolicyId: string | null }): string =>
  policy.externalPolicyId ?? toReference(policy.id)

/** Returns a reference that people can read out: the random end of the policy's id, in capitals, four at a time. */
export const toReference = (policyId: string): string =>
  (
    policyId
      .slice(-REFERENCE_LENGTH)
      .toUpperCase()
      .match(/.{1,4}/g) ?? []
  ).join('-')

const REFERENCE = new RegExp(`^[${BASE32_DIGITS}]{${REFERENCE_LENGTH}}$`)

/** Returns the end of the id that a written reference, or a whole id, stands for; undefined for any other text. */
export function referenceIn(text: string): string | undefined {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^pol_.*(?=.{12}$)/, '')
    .replaceAll(/[\s-]/g, '')
    // What people write for digits that base 32 has instead.
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  return REFERENCE.test(digits) ? digits : undefined
}
