import { ADMINISTRATORS, type Administrator } from '../../access/caller.ts'
import type { OidcSettings } from '../../access/oidc-settings.ts'
import { claimAt } from './claim-at.ts'

/** Returns the highest role in the claims, a single value or a list; undefined when there is none. */
export function roleFrom(
  claims: object,
  { roleClaim, roles }: Pick<OidcSettings, 'roleClaim' | 'roles'>,
): Administrator | undefined {
  const given = [claimAt(claims, roleClaim)].flat().map((value) => roles.get(String(value)))
  return ADMINISTRATORS.findLast((role) => given.includes(role))
}
