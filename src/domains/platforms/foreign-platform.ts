import type { Caller } from '../../access/caller.ts'
import type { FieldError } from '../../kernel/problem-error.ts'

/** A platform may name itself in a body, but no other: it would be answered as if it had done what it has not. */
export function foreignPlatform({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  const named = (body as { platform_id?: unknown } | undefined)?.platform_id
  if (caller.kind !== 'platform' || typeof named !== 'string' || named === caller.platformId) return []
  return [{ pointer: '/platform_id', code: 'not_allowed', detail: 'Must be your own platform, or left out.' }]
}
