import assert from 'node:assert/strict'
import type { UserId } from './user-id.ts'
import { insertPart } from '../kernel/db/write-statement.ts'
import { notFound } from '../kernel/problem-error.ts'
import type { Caller } from './caller.ts'

/**
 * What a caller owns, as parameters for SQL: null means "no limit from this side". Ownership is decided here and in
 * the conditions below and nowhere else; what lies outside the scope is not found.
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
    case 'admin_key':
    case 'anyone':
      return assert.fail(`${caller.kind} owns nothing and sees nothing`)
  }
}

/** What a caller owns of one user, as parameters for SQL. */
export type UserScope = Scope & { userId: UserId }

/** The values of `SCOPE_PARAMETERS`. */
export const scopeValues = ({ userId, platformId, providerId }: UserScope) => [userId, platformId, providerId]

/** What a shared read of a user's things takes first, in this order. */
export const SCOPE_PARAMETERS = 'user_id text, platform_id text, provider_id text'

/** The scope of a caller when it names a user. Throws 404 `not_found` when an app user names another. */
export function scopeOnUser(caller: Caller, userId: string): UserScope {
  if ('userId' in caller && caller.userId !== userId) throw notFound()
  return { ...scopeOf(caller), userId: userId as UserId }
}

/** The same of a request whose address names the user. */
export const userScopeFrom = ({ caller, params }: { caller: Caller; params: unknown }): UserScope =>
  scopeOnUser(caller, (params as { user_id: string }).user_id)

/** The two parts of a scope as SQL expressions, such as `$2`. */
type Parts = { platform: string; provider: string }

/** SQL: the column names the owner to whom this part of the scope is limited, if it is. */
export const isOwn = (part: string, column: string): string => `(${part}::text is null or ${column} = ${part})`

/**
 * SQL: the user `u` is the platform's, and the benefit provider insures or treats them. `user` is the parameter that names the
 * user, so that a sharded database knows whose rows are meant; `u.user_id` in the subquery would send it to every shard.
 */
export function userIsInScope({ user, platform, provider }: Parts & { user: string }): string {
  return `${isOwn(platform, 'u.platform_id')}
      and (${provider}::text is null or exists (
            select from user_providers k where k.user_id = ${user} and k.benefit_provider_id = ${provider}))`
}

/** From now on the benefit provider can see the user. */
export const PROVIDERS_PART = insertPart(
  'user_providers',
  'user_id text, benefit_provider_id text',
  'on conflict do nothing',
)

/** SQL: the benefit `b` is for the platform's users, and the benefit provider gives it. */
export const benefitIsInScope = ({ platform, provider }: Parts): string =>
  `${isOwn(platform, 'b.platform_id')} and ${isOwn(provider, 'b.benefit_provider_id')}`

/** SQL: the sponsor `s` is the platform's. A benefit provider has none, and sees none. */
export const sponsorIsInScope = ({ platform, provider }: Parts): string =>
  `${isOwn(platform, 's.platform_id')} and ${provider}::text is null`

/** Throws 404 `not_found` when a caller that is one platform or one benefit provider names another by id. */
export function checkIsOwn(caller: Caller, named: { platformId?: string; benefitProviderId?: string }): void {
  const { platformId, providerId } = scopeOf(caller)
  if (platformId !== null && platformId !== named.platformId) throw notFound()
  if (providerId !== null && providerId !== named.benefitProviderId) throw notFound()
}
