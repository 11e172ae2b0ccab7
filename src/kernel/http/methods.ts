import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from 'fastify'
import { notFound, ProblemError } from '../problem-error.ts'
import { METHODS } from './node-http.ts'

/** In the order they are listed in `Allow`. */
const USUAL: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Every other method that Node parses; no path supports them. */
const OTHERS = METHODS.filter((method) => !USUAL.includes(method))

/** The plugin of these pages adds routes of its own. */
const PLUGIN_PAGES = '/docs/try'

/**
 * Records every route added from now on. The returned function, called after the last route, adds the missing usual
 * methods of each path: they return 405 with `Allow`. The other methods do too, without routes: those of 34 methods
 * for each path would be nine tenths of all routes, half of the time in which the app is built and 15 MB.
 */
export function watchMethods(app: FastifyInstance): (config: FastifyContextConfig) => void {
  for (const method of OTHERS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith(PLUGIN_PAGES)) return
    const methods = methodsOf.get(route.url) ?? new Set<string>()
    for (const method of [route.method].flat()) methods.add(method)
    methodsOf.set(route.url, methods)
  })

  const allowed = new Map<string, string>()
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404 || isUsual(request.method)) return done()
    const allow = allowedAt(request.url, allowed)
    done(allow === undefined ? notFound() : notAllowed(allow))
  })

  return (config) => {
    for (const [url, methods] of Array.from(methodsOf)) {
      const allow = USUAL.filter((method) => methods.has(method)).join(', ')
      allowed.set(url, allow)
      app.route({
        method: USUAL.filter((method) => !methods.has(method)),
        url,
        schema: { hide: true },
        config,
        onRequest: (_request, _reply, done) => done(notAllowed(allow)), // a body is not worth reading
        handler: () => {},
      })
    }
  }
}

/** Returns true for the methods that some path supports. */
export const isUsual = (method: string): boolean => USUAL.includes(method)

const notAllowed = (allow: string) =>
  new ProblemError('method_not_allowed', 'This URL supports only the methods listed in Allow.', { headers: { allow } })

/** Returns what the path of the URL supports, by pattern; a literal path before one with parameters, as the router does. */
function allowedAt(url: string, allowed: ReadonlyMap<string, string>): string | undefined {
  const segments = decoded(url.replace(/[?#].*$/s, '')).split('/')
  const matching = Array.from(allowed).filter(([path]) => {
    const pattern = path.split('/')
    const isAsLong = path.endsWith('*') ? segments.length >= pattern.length : segments.length === pattern.length
    return isAsLong && pattern.every((part, index) => part === '*' || part.startsWith(':') || part === segments[index])
  })
  return matching.toSorted(([one], [other]) => one.split(':').length - other.split(':').length)[0]?.[1]
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path // no route has a malformed one
  }
}
