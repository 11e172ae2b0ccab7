import assert from 'node:assert/strict'

/** An id from the path of a request; the route's schema has checked its form. */
export function param({ params }: { params: unknown }, name: string): string {
  const value = (params as Record<string, unknown>)[name]
  assert(typeof value === 'string', `the route names ${name}`)
  return value
}

/** Where a thing that this request made below its own path lives: the route's path with the ids of the request, and its id. */
export function locationOf(
  request: { params: unknown; routeOptions: { url?: string | undefined } },
  id: string,
): string {
  const { url } = request.routeOptions
  assert(url !== undefined, 'what makes something is a route')
  return `${url.replaceAll(/:(\w+)/g, (_, name: string) => param(request, name))}/${id}`
}
