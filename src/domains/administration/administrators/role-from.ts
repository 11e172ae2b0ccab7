import { ADMINISTRATORS } from '../../../access/caller.ts'
import type { GivenRole, OidcSettings } from '../../../settings/read-oidc.ts'
import { claimAt } from './claim-at.ts'

/**
 * Returns the highest administrator role in the claims, a text or a list of texts, else the rights of one partner; undefined
 * when there is none, and when it would be those of several partners.
 */
export function roleFrom(
  claims: object,
  { roleClaim, roles }: Pick<OidcSettings, 'roleClaim' | 'roles'>,
): GivenRole | undefined {
  const given = [claimAt(claims, roleClaim)]
    .flat()
    .map((value) => (typeof value === 'string' ? roles.get(value) : undefined))
    .filter((role) => role !== undefined)
  const highest = ADMINISTRATORS.findLast((role) => given.includes(role))
  const [partner, ...others] = new Set(given)
  return highest ?? (others.length === 0 ? partner : undefined)
}
