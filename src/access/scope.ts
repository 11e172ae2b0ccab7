import assert from 'node:assert/strict'
import type { UserId } from './user-id.ts'
import { statement } from '../kernel/db/database.ts'
import { text } from '../kernel/db/columns.ts'
import { linkedInsert } from '../kernel/db/write-statement.ts'
import { notFound } from '../kernel/problem-error.ts'
import type { Caller } from './caller.ts'

/**
 * What a caller owns, as SQL parameters: null means no restriction. Ownership is decided only here and in the
 * conditions below; anything outside the scope is not found.
 */
export type Scope = { platformId: string | null; providerId: string | null }

const UNRESTRICTED: Scope = { platformId: null, providerId: null }

export function toScope(caller: Caller): Scope {
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
      return UNRESTRICTED
    case 'admin_key':
    case 'anyone':
      return assert.fail(`${caller.kind} has no scope`)
  }
}

export type UserScope = Scope & { userId: UserId }

/** Returns the values of `SCOPE_PARAMETERS`. */
export const scopeValues = ({ userId, platformId, providerId }: UserScope) => [userId, platformId, providerId]

/** The first parameters of a shared read of a user's records. */
export const SCOPE_PARAMETERS = 'user_id text, platform_id text, provider_id text'

/** The same for a statement that names its values. */
export const SCOPE_NAMES = ['user_id', 'platform_id', 'provider_id'] as const

/** Returns the scope of a caller who names a user. Throws 404 `not_found` when an app user names another. */
export function scopeOnUser(caller: Caller, userId: string): UserScope {
  if ('userId' in caller && caller.userId !== userId) throw notFound()
  return { ...toScope(caller), userId: userId as UserId }
}

export const userScopeFrom = ({ caller, params }: { caller: Caller; params: unknown }): UserScope =>
  scopeOnUser(caller, (params as { user_id: string }).user_id)

/** The two parts of a scope as SQL expressions, such as `$2`. */
type Parts = { platform: string; provider: string }

/** SQL: the column is the owner of this part of the scope, or the part is unrestricted. */
export const isOwn = (part: string, column: string): string => `(${part}::text is null or ${column} = ${part})`

/**
 * SQL: the user `u` has not been erased and belongs to the platform, and the benefit provider insures or treats them.
 * `user` is the SQL expression of the user id, a parameter, so that a sharded database can route the query: `u.user_id`
 * in the subquery would send it to every shard. Every read of a user's
 * data has this condition, so an erased user is a 404 everywhere.
 */
export function userIsInScope({ user, platform, provider }: Parts & { user: string }): string {
  return `${isNotErased('u')} and ${isOwn(platform, 'u.platform_id')}
      and (${provider}::text is null or exists (
            select from user_providers k where k.user_id = ${user} and k.benefit_provider_id = ${provider}))`
}

/** SQL: the user `u` has not been erased. Erasing destroys the data key, without which nothing can be decrypted. */
export const isNotErased = (u: string): string => `${u}.data_key is not null`

/** SQL: the same where `scopeValues` are the first values. */
export const IN_SCOPE = userIsInScope({ user: '$1', platform: '$2', provider: '$3' })

export const USER_IS_IN_SCOPE = userIsInScope({ user: ':user_id', platform: ':platform_id', provider: ':provider_id' })

/** Gives the benefit provider access to the user. */
export const LINKED_PROVIDERS = linkedInsert(
  'user_providers',
  { userId: text('user_id'), providerId: text('benefit_provider_id') },
  'on conflict do nothing',
)

/** Ends every benefit provider's access to the user `$1`. */
export const ERASE_PROVIDERS = statement('user_providers_erase', 'delete from user_providers where user_id = $1')

/** SQL: the benefit `b` is offered to the platform's users, and by the benefit provider. */
export const benefitIsInScope = ({ platform, provider }: Parts): string =>
  `${isOwn(platform, 'b.platform_id')} and ${isOwn(provider, 'b.benefit_provider_id')}`

/** SQL: the sponsor `s` belongs to the platform. Benefit providers see no sponsors. */
export const sponsorIsInScope = ({ platform, provider }: Parts): string =>
  `${isOwn(platform, 's.platform_id')} and ${provider}::text is null`

/** Throws 404 `not_found` when a platform or a benefit provider names another one by id. */
export function checkIsOwn(caller: Caller, named: { platformId?: string; benefitProviderId?: string }): void {
  const { platformId, providerId } = toScope(caller)
  if (platformId !== null && platformId !== named.platformId) throw notFound()
  if (providerId !== null && providerId !== named.benefitProviderId) throw notFound()
}
