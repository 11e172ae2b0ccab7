import { type Static, Type } from 'typebox'
import { isNetwork } from '../../../access/ip-allow-list.ts'
import { type Clock, timeFrom } from '../../../kernel/clock.ts'
import { Removable, UtcTime } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'

const NETWORKS_MAX = 50
const NETWORK_LENGTH_MAX = 50

/** Limits of a new credential; `validateLimits` checks what the schema cannot express. */
export const CredentialInput = Type.Object(
  {
    expires_at: Type.Optional(Removable(UtcTime('Time of expiry: a future time in UTC', '2027-04-01T00:00:00'))),
    ip_allow_list: Type.Optional(
      Type.Unsafe<string[] | null>({
        type: ['array', 'null'],
        minItems: 1,
        maxItems: NETWORKS_MAX,
        uniqueItems: true,
        items: { type: 'string', maxLength: NETWORK_LENGTH_MAX },
        description: 'The only IPv4 and IPv6 addresses and networks (CIDR) it may be used from',
        examples: [['203.0.113.0/24', '2001:db8::/32']],
      }),
    ),
  },
  { examples: [{ expires_at: '2027-04-01T00:00:00', ip_allow_list: ['203.0.113.0/24', '2001:db8::/32'] }] },
)

export type CredentialInput = Static<typeof CredentialInput>

export function validateLimits({ body }: { body: unknown }, { clock }: { clock: Clock }): FieldError[] {
  const { expires_at, ip_allow_list } = (body ?? {}) as Record<string, unknown>
  const networks: unknown[] = Array.isArray(ip_allow_list) ? ip_allow_list : []
  return [...validateTime(expires_at, clock), ...networks.flatMap(validateNetwork)]
}

function validateTime(text: unknown, clock: Clock): FieldError[] {
  const at = timeFrom(text)
  const isAhead = !at || at > clock.now()
  return isAhead ? [] : [{ pointer: '/expires_at', code: 'too_small', detail: 'Must be in the future.' }]
}

function validateNetwork(text: unknown, index: number): FieldError[] {
  if (typeof text !== 'string' || isNetwork(text)) return []
  const detail = 'Must be an IPv4 or IPv6 address or network such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.'
  return [{ pointer: `/ip_allow_list/${index}`, code: 'format', detail }]
}
