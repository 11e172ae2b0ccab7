import { ADMINISTRATORS, type Administrator } from './caller.ts'

/** How administrators log in. */
export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** What is asked for at the provider. */
  scope: string
  /** The claim that says what somebody may do, and which of its values means which role here. */
  roleClaim: string
  roles: ReadonlyMap<string, Administrator>
}

const ENTRY = new RegExp(`^\\s*(.+?)=(${ADMINISTRATORS.join('|')})\\s*(?:,|$)`)

/**
 * Reads `value=role, value=role`. A value goes up to the last `=` before a role, so that it can be the name of a group in a
 * directory, `CN=Admins,OU=Groups`. Undefined when that is not all there is, or a value is there twice.
 */
export function parseRoles(text: string): Map<string, Administrator> | undefined {
  const roles = new Map<string, Administrator>()
  let rest = text
  do {
    const [entry, value = '', role] = ENTRY.exec(rest) ?? []
    if (entry === undefined || roles.has(value)) return undefined
    roles.set(value, role as Administrator)
    rest = rest.slice(entry.length)
  } while (rest.trim() !== '')
  return roles
}
