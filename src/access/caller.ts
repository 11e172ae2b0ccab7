import type { FastifyRequest } from 'fastify'
import { isId } from '../kernel/id.ts'
import type { UserId } from './user-id.ts'

/** From the one who may least to the one who may most. */
export const ADMINISTRATORS = ['viewer', 'operator', 'owner'] as const
export type Administrator = (typeof ADMINISTRATORS)[number]

/** The roles that an access token can carry. */
export const ROLES = ['platform', 'user', 'provider', ...ADMINISTRATORS, 'wallet_user'] as const
export type Role = (typeof ROLES)[number]

/** The administrators who may change things. */
export const WRITING_ADMINISTRATORS = ['operator', 'owner'] as const satisfies Administrator[]

/** `epoch`: the platform's when the token was issued; tokens of an earlier one are revoked when it is disabled. */
export type OfPlatform = { platformId: string; epoch: number }

/** `credentialExpiresAt`: in Unix seconds; no token that comes from the credential lives longer. */
export type OfCredential = { credentialId: string; credentialExpiresAt?: number | undefined }

/** `ipAllowList`: the networks that the credential was made for; its own tokens are good from there alone, those of users from anywhere. */
export type OfService = OfCredential & { ipAllowList?: readonly string[] | undefined }

/**
 * Who is calling, after authentication. An administrator without a session has a token that was made on the host. The kinds are the columns of the role matrix. A switch over them names each and has no
 * default, so that a new kind does not compile before every place has said what it means there.
 */
export type Caller =
  | ({ kind: 'platform' } & OfPlatform & OfService)
  | ({ kind: 'user'; userId: UserId } & OfPlatform & OfCredential)
  | ({ kind: 'provider'; benefitProviderId: string } & OfService)
  | { kind: Administrator; subject: string; sessionId?: string | undefined }
  | ({ kind: 'wallet_user'; userId: UserId; sessionId: string } & OfPlatform)
  | { kind: 'admin_key'; name: string }
  | { kind: 'anyone' }
  | { kind: 'system'; job: string } // never from a request

/**
 * Who does something, and in which request or job. Histories keep that; the audit also which operation it is, of whom and of
 * which thing, and what for.
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

/** How histories and logs name a caller. */
export function actorOf(caller: Caller): string {
  switch (caller.kind) {
    case 'platform':
      return `platform:${caller.platformId}`
    case 'user':
      return `user:${caller.userId}`
    case 'provider':
      return `provider:${caller.benefitProviderId}`
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

/** The tokens of the service that holds a credential, without those of users who came in through it. */
export const serviceOf = (credentialId: string) => `service:${credentialId}`

/** What can be revoked before the token expires; each is looked up in the revocations at every request. */
export function revocableSubjectsOf(caller: Caller): string[] {
  switch (caller.kind) {
    case 'platform':
      return [`credential:${caller.credentialId}`, serviceOf(caller.credentialId), `platform:${caller.platformId}`]
    case 'user':
      return [`credential:${caller.credentialId}`, `platform:${caller.platformId}`, `user:${caller.userId}`]
    case 'provider':
      return [`credential:${caller.credentialId}`]
    case 'wallet_user':
      return [`session:${caller.sessionId}`, `platform:${caller.platformId}`, `user:${caller.userId}`]
    case 'viewer':
    case 'operator':
    case 'owner':
      return caller.sessionId === undefined ? [] : [`session:${caller.sessionId}`]
    case 'admin_key':
    case 'anyone':
    case 'system':
      return []
  }
}

type ActingRequest = Pick<FastifyRequest, 'caller' | 'id' | 'params' | 'headers' | 'routeOptions'>

/** The actor of a request, with what its address and its headers say of what is done. */
export function actorFrom({ caller, id, params, headers, routeOptions }: ActingRequest): Actor {
  const { access } = routeOptions.config
  const named = (params ?? {}) as Record<string, string>
  const { purpose } = headers
  return {
    caller,
    requestId: id,
    operation: access === undefined || access === 'anyone' ? undefined : access.operation,
    userId: named['user_id'] ?? ('userId' in caller ? caller.userId : undefined),
    target: Object.values(named).findLast(isId) ?? named['user_id'],
    purpose: access !== 'anyone' && access?.opens !== undefined && typeof purpose === 'string' ? purpose : undefined,
  }
}
