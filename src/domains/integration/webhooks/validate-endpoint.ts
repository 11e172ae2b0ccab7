import type { Caller } from '../../../access/caller.ts'
import type { Deps } from '../../../deps.ts'
import { type FieldError, invalid } from '../../../kernel/problem-error.ts'
import { validatePatterns } from './matching-types.ts'
import { ownerOf } from './owner-of.ts'

type Targets = Pick<Deps, 'targets'>

/** Returns the errors of a URL and of event types that no schema can express. */
export function validateEndpoint(
  { body, caller }: { body: unknown; caller: Caller },
  { targets }: Targets,
): FieldError[] {
  const { url, event_types } = (body ?? {}) as Record<string, unknown>
  const detail = typeof url === 'string' ? targets.errorOf(url) : undefined
  const ofUrl: FieldError[] = detail === undefined ? [] : [{ pointer: '/url', code: 'format', detail }]
  return [...ofUrl, ...validatePatterns(event_types, ownerOf(caller).kind)]
}

/** Throws 422 when a URL may not be called. */
export async function checkTarget({ targets }: Targets, url: string): Promise<void> {
  const detail = await targets.findError(url)
  if (detail !== undefined) throw invalid([{ pointer: '/url', code: 'format', detail }])
}
