import { ADMINISTRATORS, type Administrator } from './caller.ts'

/** A role that a value of the claim gives: an administrator's, or the rights of a partner, `benefit_provider:NORTH`. */
export type GivenRole = Administrator | `platform:${string}` | `benefit_provider:${string}`

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The scope requested from the provider. */
  scope: string
  /** The claim with the role, and the mapping of its values to our roles. */
  roleClaim: string
  roles: ReadonlyMap<string, GivenRole>
  /** The accepted strengths of a login (`acr`); empty accepts any. */
  requiredAcr: readonly string[]
}

const PARTNER = '(?:platform|benefit_provider):[\\w-]{1,100}'
const ENTRY = new RegExp(`^\\s*(.+?)=(${ADMINISTRATORS.join('|')}|${PARTNER})\\s*(?:,|$)`)

/**
 * Parses `value=role, value=role`. A value extends to the last `=` before a role, so that it can be a directory group,
 * `CN=Admins,OU=Groups`. Undefined when the text is malformed or a value is repeated.
 */
export function parseRoles(text: string): Map<string, GivenRole> | undefined {
  const roles = new Map<string, GivenRole>()
  let rest = text
  do {
    const [entry, value = '', role] = ENTRY.exec(rest) ?? []
    if (entry === undefined || roles.has(value)) return undefined
    roles.set(value, role as GivenRole)
    rest = rest.slice(entry.length)
  } while (rest.trim() !== '')
  return roles
}
