import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from 'fastify'
import { ProblemError } from '../problem-error.ts'
import { METHODS } from './node-http.ts'

/** In the order they are listed in `Allow`. */
const USUAL: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Every other method that Node parses; no path supports them. */
const OTHERS = METHODS.filter((method) => !USUAL.includes(method))

/** The plugin of the documentation pages adds its own routes. */
const PAGES = '/docs'

/**
 * Records every route added from now on. The returned function, called after the last route, adds the missing methods
 * of each path: they return 405 with `Allow`.
 */
export function watchMethods(app: FastifyInstance): (config: FastifyContextConfig) => void {
  for (const method of OTHERS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    if (route.schema?.hide && route.url.startsWith(PAGES)) return
    const methods = methodsOf.get(route.url) ?? new Set<string>()
    for (const method of [route.method].flat()) methods.add(method)
    methodsOf.set(route.url, methods)
  })

  return (config) => {
    for (const [url, methods] of Array.from(methodsOf)) {
      const allow = USUAL.filter((method) => methods.has(method)).join(', ')
      const problem = () =>
        new ProblemError('method_not_allowed', 'This URL supports only the methods listed in Allow.', {
          headers: { allow },
        })
      app.route({
        method: [...USUAL.filter((method) => !methods.has(method)), ...OTHERS],
        url,
        schema: { hide: true },
        config,
        onRequest: (_request, _reply, done) => done(problem()), // a body is not worth reading
        handler: () => {},
      })
    }
  }
}
