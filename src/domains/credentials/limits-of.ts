import { isNetwork } from '../../access/ip-allow-list.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldError } from '../../kernel/problem-error.ts'
import type { CredentialInput } from './create-credential.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?$/

type Body = { expires_at?: string | null; ip_allow_list?: string[] | null } | undefined

/** What a credential is to be limited to; a form without faults. */
export const limitsOf = (body: Body): CredentialInput => ({
  expiresAt: timeOf(body?.expires_at) ?? null,
  ipAllowList: body?.ip_allow_list ?? null,
})

/** Returns the errors of a form that its schema cannot say. */
export function errorsOfLimits({ body }: { body: unknown }, clock: Clock): FieldError[] {
  const { expires_at, ip_allow_list } = (body ?? {}) as Record<string, unknown>
  const networks: unknown[] = Array.isArray(ip_allow_list) ? ip_allow_list : []
  return [...errorsOfTime(expires_at, clock), ...networks.flatMap(errorsOfNetwork)]
}

function errorsOfTime(text: unknown, clock: Clock): FieldError[] {
  if (typeof text !== 'string') return []
  const at = timeOf(text)
  const pointer = '/expires_at'
  if (!at) return [{ pointer, code: 'format', detail: 'Must be a time in UTC, as 2027-04-01T00:00:00.' }]
  return at > clock.now() ? [] : [{ pointer, code: 'too_small', detail: 'Must be a time to come.' }]
}

function errorsOfNetwork(text: unknown, index: number): FieldError[] {
  if (typeof text !== 'string' || isNetwork(text)) return []
  const detail = 'Must be an address or a network of IPv4 or IPv6, as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.'
  return [{ pointer: `/ip_allow_list/${index}`, code: 'format', detail }]
}

/** Undefined for what is no time, such as 31 February. */
function timeOf(text: string | null | undefined): Date | undefined {
  if (typeof text !== 'string' || !TIME.test(text)) return undefined
  const plain = text.replace(/Z$/, '')
  const at = new Date(`${plain}Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(plain) ? at : undefined
}
