import { SANDBOX_SECRET } from './known-secrets.ts'
import { SANDBOX_PARTNER_ROLES } from './sandbox-partners.ts'
import type { Reading } from './table.ts'

/** The roles of administrators, in ascending order of their rights. */
export const ADMINISTRATORS = ['viewer', 'operator', 'owner'] as const
export type Administrator = (typeof ADMINISTRATORS)[number]

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

const OIDC_NAMES = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
const SANDBOX_ROLES = [...ADMINISTRATORS.map((role) => `${role}=${role}`), ...SANDBOX_PARTNER_ROLES].join()

/** Reads the identity provider: the configured one, else outside production the sandbox; optional in production. */
export function oidcSettings(reading: Reading, sandboxPort: number): OidcSettings | null {
  const { errors, production, all, text, urlAsGiven } = reading
  const isSet = reading.given('OIDC_ISSUER') !== ''
  if (!isSet && production) return null
  const [clientId = '', clientSecret = ''] = isSet ? all(OIDC_NAMES, 'OIDC_ISSUER is set') : ['banyan', SANDBOX_SECRET]
  const issuer = urlAsGiven('OIDC_ISSUER', `http://localhost:${sandboxPort}/oidc`, production ? ['https:'] : undefined)
  const roles = parseRoles(isSet ? text('OIDC_ROLES') : text('OIDC_ROLES', SANDBOX_ROLES))
  if (!roles)
    errors.push(
      'OIDC_ROLES must be a comma-separated list of value=role, each value once, with the roles viewer, operator, owner, platform:{id} and benefit_provider:{id or code}.',
    )
  return {
    issuer,
    clientId,
    clientSecret,
    scope: text('OIDC_SCOPE'),
    roleClaim: text('OIDC_ROLE_CLAIM'),
    roles: roles ?? new Map(),
    requiredAcr: readRequiredAcr(reading),
  }
}

function readRequiredAcr({ text: read, errors }: Reading): string[] {
  const text = read('OIDC_REQUIRED_ACR')
  const values = text.split(/[\s,]+/).filter((acr) => acr !== '')
  if (text !== '' && values.length === 0) errors.push('OIDC_REQUIRED_ACR must be a comma-separated list of acr values.')
  return values
}
