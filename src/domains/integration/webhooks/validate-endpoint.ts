import type { Caller } from '../../../access/caller.ts'
import type { Deps } from '../../../record/index.ts'
import { type FieldError, invalid } from '../../../kernel/problem-error.ts'
import { validatePatterns } from './matching-types.ts'
import { ownerOf } from './owner-of.ts'

type Input = { body: unknown; caller: Caller }

export function validateEndpoint({ body, caller }: Input, { targets }: Deps): FieldError[] {
  const { url, event_types } = (body ?? {}) as Record<string, unknown>
  const detail = typeof url === 'string' ? (blanksIn(url) ?? targets.findUrlError(url)) : undefined
  const ofUrl: FieldError[] = detail === undefined ? [] : [{ pointer: '/url', code: 'format', detail }]
  return [...ofUrl, ...validatePatterns(event_types, ownerOf(caller).kind)]
}

/** Texts are stored as they are sent, and a URL with blanks around it is a mistake: it would be listed as another than is called. */
const blanksIn = (url: string): string | undefined =>
  url === url.trim() ? undefined : 'Must not begin or end with a blank.'

/** Throws 422 when a URL may not be called. */
export async function checkTarget({ targets }: Pick<Deps, 'targets'>, url: string): Promise<void> {
  const detail = await targets.findError(url)
  if (detail !== undefined) throw invalid([{ pointer: '/url', code: 'format', detail }])
}
