import type { Request } from '../kernel/http/exchange.ts'
import { isId } from '../kernel/id.ts'
import { ADMINISTRATORS, type Administrator } from '../settings/read-oidc.ts'
import type { UserId } from './user-id.ts'

export { ADMINISTRATORS, type Administrator }

/** The roles of people who log in: administrators, and those of a partner. */
export const PERSON_ROLES = [...ADMINISTRATORS, 'platform', 'provider'] as const
export type PersonRole = (typeof PERSON_ROLES)[number]

/** The roles that an access token can carry. Those of people of a partner are their own, so that no earlier version accepts them. */
export const ROLES = [
  'platform',
  'user',
  'provider',
  ...ADMINISTRATORS,
  'wallet_user',
  'platform_person',
  'provider_person',
] as const
export type Role = (typeof ROLES)[number]

export const WRITING_ADMINISTRATORS = ['operator', 'owner'] as const satisfies Administrator[]

/**
 * `epoch`: the platform's epoch when the token was issued. Disabling a platform starts a new epoch, which revokes
 * tokens of earlier ones.
 */
export type PlatformClaims = { platformId: string; epoch: number }

/**
 * `credentialExpiresAt`: in Unix seconds; no token issued for the credential lives longer. For a user the credential is
 * their own token, so that it cannot renew itself.
 */
export type CredentialClaims = { credentialId: string; credentialExpiresAt?: number | undefined }

/** `sessionEpoch`: counts how often all sessions of the user were ended before the token was issued; none is 0. */
export type SessionEpochClaims = { sessionEpoch?: number | undefined }

/**
 * `ipAllowList`: the networks of the credential; its own tokens are valid only from there, those of users from
 * anywhere.
 */
export type ServiceClaims = CredentialClaims & { ipAllowList?: readonly string[] | undefined }

/**
 * `person`: the administrator id of a person of the partner, who has logged in and has exactly the partner's rights. Their
 * credential is their session. In the token of a user: the person who requested it, and acts for the user.
 */
export type PersonClaims = { person?: string | undefined }

/**
 * The authenticated caller. An administrator without a session has a token issued on the command line. The kinds are
 * the columns of the role matrix. Switches over them list every kind and have no default, so that a new kind does not
 * compile until each switch handles it.
 */
export type Caller =
  | ({ kind: 'platform' } & PlatformClaims & ServiceClaims & PersonClaims)
  | ({ kind: 'user'; userId: UserId } & PlatformClaims & CredentialClaims & PersonClaims & SessionEpochClaims)
  | ({ kind: 'provider'; benefitProviderId: string } & ServiceClaims & PersonClaims)
  | { kind: Administrator; subject: string; sessionId?: string | undefined }
  | ({ kind: 'wallet_user'; userId: UserId; sessionId: string } & PlatformClaims)
  | { kind: 'admin_key'; name: string }
  | { kind: 'anyone' }
  | { kind: 'system'; job: SystemJob } // never from a request

/** What the program does by itself, as histories name it. The audit has words for each. */
export type SystemJob =
  | 'ask-operator'
  | 'card-check'
  | 'command-line'
  | 'deliver-webhooks'
  | 'end-consents'
  | 'end-hold'
  | 'erase-user'
  | 'open-account'
  | 'operator-event'
  | 'policy-calendar'
  | 'provision-wallet'
  | 'sandbox'

/**
 * Who acts, and in which request or job, for histories; for the audit also the operation, the user, the target and the
 * purpose.
 */
export type Actor = {
  caller: Caller
  requestId: string
  operation?: string | undefined
  userId?: string | undefined
  target?: string | undefined
  purpose?: string | undefined
}

export type CallerKind = Caller['kind']

/** Returns the name of a caller in histories and logs. */
export function actorOf(caller: Caller): string {
  switch (caller.kind) {
    case 'platform':
      return ofPartner(caller.platformId, caller)
    case 'user':
      return caller.person === undefined
        ? `user:${caller.userId}`
        : ofPartner(caller.platformId, { ...caller, kind: 'platform' })
    case 'provider':
      return ofPartner(caller.benefitProviderId, caller)
    case 'wallet_user':
      return `wallet_user:${caller.userId}`
    case 'admin_key':
      return `admin_key:${caller.name}`
    case 'anyone':
      return caller.kind
    case 'system':
      return `system:${caller.job}`
    case 'viewer':
    case 'operator':
    case 'owner':
      return `${caller.kind}:${caller.subject}`
  }
}

/** Names a partner, or its person: by both, so that histories say who it was and of which partner. */
const ofPartner = (id: string, { kind, person }: { kind: string } & PersonClaims): string =>
  person === undefined ? `${kind}:${id}` : `${kind}_person:${id}:${person}`

export function findSession(caller: Caller): { subject: string; sessionId: string } | undefined {
  if ('subject' in caller)
    return caller.sessionId === undefined ? undefined : { ...caller, sessionId: caller.sessionId }
  if (caller.kind === 'user' || !('person' in caller) || caller.person === undefined) return undefined
  return { subject: caller.person, sessionId: caller.credentialId }
}

export function findCredentialId(caller: Caller): string | undefined {
  if ('credentialId' in caller) return caller.credentialId
  return 'sessionId' in caller ? caller.sessionId : undefined
}

/** Returns the subject of every token issued through a credential, which for a person of a partner is the session. */
export const wholeCredential = (credentialId: string) =>
  credentialId.startsWith(SESSION_PREFIX) ? `session:${credentialId}` : `credential:${credentialId}`

const SESSION_PREFIX = 'ads_'

/** Returns the subject of the service's own tokens, without those of users authenticated through it. */
export const toServiceSubject = (credentialId: string) => `service:${credentialId}`

/** Returns the subject of the app tokens of a user, which has epochs of its own. */
export const toSessionsSubject = (userId: string) => `sessions_of:${userId}`

/** What ends a token early, and the epoch of the token: a revocation names the first epoch that stays valid. */
type Revocable = { subject: string; epoch: number }

/** Returns the subjects whose revocation ends the caller's token early; each is looked up at every request. */
export function listRevocables(caller: Caller): Revocable[] {
  const whole = (...subjects: string[]) => subjects.map((subject) => ({ subject, epoch: 0 }))
  switch (caller.kind) {
    case 'platform':
      return [...whole(wholeCredential(caller.credentialId), toServiceSubject(caller.credentialId)), ofPlatform(caller)]
    case 'user':
      return [
        ...whole(wholeCredential(caller.credentialId), `user:${caller.userId}`),
        ofPlatform(caller),
        { subject: toSessionsSubject(caller.userId), epoch: caller.sessionEpoch ?? 0 },
      ]
    case 'provider':
      return whole(wholeCredential(caller.credentialId))
    case 'wallet_user':
      return [...whole(`session:${caller.sessionId}`, `user:${caller.userId}`), ofPlatform(caller)]
    case 'viewer':
    case 'operator':
    case 'owner':
      return caller.sessionId === undefined ? [] : whole(`session:${caller.sessionId}`)
    case 'admin_key':
    case 'anyone':
    case 'system':
      return []
  }
}

const ofPlatform = ({ platformId, epoch }: PlatformClaims): Revocable => ({ subject: `platform:${platformId}`, epoch })

type ActingRequest = Pick<Request, 'caller' | 'id' | 'params' | 'headers' | 'route' | 'ownerId'>

export function actorFrom({ caller, id, params, headers, route, ownerId }: ActingRequest): Actor {
  const { access } = route.config
  const named = (params ?? {}) as Record<string, string>
  const { purpose } = headers
  const decrypts = access !== 'anyone' && access?.decrypts !== undefined
  return {
    caller,
    requestId: id,
    operation: access === undefined || access === 'anyone' ? undefined : access.operation,
    userId: named['user_id'] ?? ('userId' in caller ? caller.userId : ownerId),
    target: Object.values(named).findLast(isId) ?? named['user_id'],
    purpose: decrypts && typeof purpose === 'string' && purpose !== '' ? purpose : undefined,
  }
}
