import assert from 'node:assert/strict'
import type { UserId } from '../kernel/db/decode.ts'
import { notFound } from '../kernel/refusal.ts'
import type { Caller } from './caller.ts'

/**
 * What a caller owns, as parameters for SQL: null means "no limit from this side". Ownership is decided here and in
 * the two conditions below and nowhere else; what lies outside the scope is not found.
 */
export type Scope = { platformId: string | null; providerId: string | null }

const EVERYTHING: Scope = { platformId: null, providerId: null }

/** The scope of a caller among the things of the catalogue. */
export function scopeOf(caller: Caller): Scope {
  switch (caller.kind) {
    case 'platform':
    case 'user':
    case 'wallet_user':
      return { platformId: caller.platformId, providerId: null }
    case 'provider':
      return { platformId: null, providerId: caller.benefitProviderId }
    case 'viewer':
    case 'operator':
    case 'owner':
    case 'system':
      return EVERYTHING
    default:
      return assert.fail(`${caller.kind} owns nothing and sees nothing`)
  }
}

/** What a caller owns of one user, as parameters for SQL. */
export type UserScope = Scope & { userId: UserId }

/** The scope of a caller when it names a user; refuses with 404 when an app user names another. */
export function scopeOnUser(caller: Caller, userId: string): UserScope {
  if ((caller.kind === 'user' || caller.kind === 'wallet_user') && caller.userId !== userId) throw notFound()
  return { ...scopeOf(caller), userId: userId as UserId }
}

/** The same of a request whose address names the user. */
export const userScopeFrom = ({ caller, params }: { caller: Caller; params: unknown }): UserScope =>
  scopeOnUser(caller, (params as { user_id: string }).user_id)

type Expressions = { user?: string; platform: string; provider: string }

/**
 * SQL: the user `u` is the platform's, and the benefit provider insures or treats them. Arguments are SQL expressions;
 * `user` is what names the user, so that a sharded database knows whose rows are meant.
 */
export function userIsInScope({ user = 'u.user_id', platform, provider }: Expressions): string {
  return `(${platform}::text is null or u.platform_id = ${platform})
      and (${provider}::text is null or exists (
            select from user_providers k where k.user_id = ${user} and k.benefit_provider_id = ${provider}))`
}

/** Refuses with 404 when a caller that is one platform or one benefit provider names another by id. */
export function checkIsOwn(caller: Caller, named: { platformId?: string; benefitProviderId?: string }): void {
  if (caller.kind === 'platform' && caller.platformId !== named.platformId) throw notFound()
  if (caller.kind === 'provider' && caller.benefitProviderId !== named.benefitProviderId) throw notFound()
}
