type Json = Record<string, unknown>

/** Returns the document, or a part of it, with every reference replaced by its target. */
export function dereferenced<T>(part: T, document: object): T
export function dereferenced<T extends object>(document: T): T
export function dereferenced<T extends object>(part: T, document: object = part): T {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (value === null || typeof value !== 'object') return value
    const { $ref } = value as Json
    if (typeof $ref === 'string') return resolve(at(document, $ref))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]))
  }
  return resolve(part) as T
}

/** Returns the target of a JSON Pointer (`#/components/…`). */
function at(document: object, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((inner: unknown, name) => (inner as Json | undefined)?.[name], document)
}
