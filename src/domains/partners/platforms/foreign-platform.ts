import type { Caller } from '../../../access/caller.ts'
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
