import { setOwn } from './set-own.ts'

/** Returns JSON with sorted keys, so that equal values have equal texts. Used for digests, never on the wire. */
export const canonicalJson = (value: unknown): string => JSON.stringify(inOrder(value))

/** Copies eagerly: a `JSON.stringify` replacer, called for each member, took 2.4 times as long. */
function inOrder(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = value as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(members).toSorted()) setOwn(copy, name, inOrder(members[name]))
  return copy
}
