import { ADMINISTRATORS, type Administrator } from '../../../access/caller.ts'
import type { OidcSettings } from '../../../access/oidc-settings.ts'
import { claimAt } from './claim-at.ts'

/** Returns the highest role in the claims, a text or a list of texts; undefined when there is none. */
export function roleFrom(
  claims: object,
  { roleClaim, roles }: Pick<OidcSettings, 'roleClaim' | 'roles'>,
): Administrator | undefined {
  const given = [claimAt(claims, roleClaim)]
    .flat()
    .map((value) => (typeof value === 'string' ? roles.get(value) : undefined))
  return ADMINISTRATORS.findLast((role) => given.includes(role))
}
