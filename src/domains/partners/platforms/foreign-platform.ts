import { Type } from 'typebox'
import { ADMINISTRATORS, type Caller } from '../../../access/caller.ts'
import { type Scope, toScope } from '../../../access/scope.ts'
import { Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'

/**
 * Returns an error when a platform names another platform in a body: ignoring the field would confirm a change that was
 * not made.
 */
export function foreignPlatform({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  const platformId = (body as { platform_id?: unknown } | undefined)?.platform_id
  if (caller.kind !== 'platform' || typeof platformId !== 'string' || platformId === caller.platformId) return []
  return [{ pointer: '/platform_id', code: 'not_allowed', detail: 'Must be your own platform, or omitted.' }]
}

/** The filter by platform of a list, for administrators; others get their own in any case. */
export const platformFilter = Type.Optional(Text({ description: 'For administrators: only those of this platform.' }))

type Filtered = { caller: Caller; query: unknown }

/** Returns an error when a caller names a platform that its list is not limited to. */
export function platformFilterErrors({ caller, query }: Filtered): FieldError[] {
  const { platform_id: named } = (query ?? {}) as { platform_id?: unknown }
  if (typeof named !== 'string' || ADMINISTRATORS.some((role) => role === caller.kind)) return []
  if ('platformId' in caller && caller.platformId === named) return []
  return [{ pointer: 'query:platform_id', code: 'not_allowed', detail: 'Must be your own platform, or omitted.' }]
}

/** Returns the scope of a caller, within the platform that an administrator names. */
export function scopeWithin(caller: Caller, platformId: string | undefined): Scope {
  const scope = toScope(caller)
  return scope.providerId === null ? { ...scope, platformId: scope.platformId ?? platformId ?? null } : scope
}
