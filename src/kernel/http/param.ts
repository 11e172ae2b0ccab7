import assert from 'node:assert/strict'

/** Returns an id from the path of a request; the route's schema has validated it. */
export function param({ params }: { params: unknown }, name: string): string {
  const value = (params as Record<string, unknown>)[name]
  assert(typeof value === 'string', `the route names ${name}`)
  return value
}

/**
 * Returns the path of a record created below the request's own path: the route's path with the request's ids, and the
 * new id.
 */
export function createLocation(request: { params: unknown; route: { url?: string | undefined } }, id: string): string {
  const { url } = request.route
  assert(url !== undefined, 'records are created by routes')
  return `${url.replaceAll(/:(\w+)/g, (_, name: string) => param(request, name))}/${id}`
}
