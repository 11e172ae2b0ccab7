import type { FieldError } from '../../../kernel/problem-error.ts'
import { type EventType, typesFor } from '../../../record/index.ts'
import type { OwnerKind } from './owner-of.ts'

/** Returns the event types that match one of the patterns: a type, a group (`policy.*`), or all (`*`). */
export const matchingTypes = (patterns: readonly string[], kind: OwnerKind): EventType[] =>
  typesFor(kind).filter((type) => patterns.some((pattern) => isMatch(pattern, type)))

const isMatch = (pattern: string, type: EventType) =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** Returns an error for each pattern without a type this owner may receive. */
export function validatePatterns(patterns: unknown, kind: OwnerKind): FieldError[] {
  if (!Array.isArray(patterns)) return []
  return patterns.flatMap((pattern: unknown, index) => {
    if (typeof pattern !== 'string' || matchingTypes([pattern], kind).length > 0) return []
    const detail = `Must be * for all events, a group such as ${groupsFor(kind).slice(0, 2).join(' or ')}, or one of: ${typesFor(kind).join(', ')}.`
    return [{ pointer: `/event_types/${index}`, code: 'not_allowed' as const, detail }]
  })
}

const groupsFor = (kind: OwnerKind) => [...new Set(typesFor(kind).map((type) => `${type.split('.')[0]}.*`))]
