import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from 'fastify'
import { Refusal } from '../refusal.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The plugin behind these pages adds addresses in ways of its own. */
const PAGES = '/docs'

/**
 * Notes every route from now on. The returned function, called after the last route, gives each address the methods
 * it lacks: they answer 405 with `Allow`.
 */
export function watchMethods(app: FastifyInstance): (config: FastifyContextConfig) => void {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    if (route.schema?.hide && route.url.startsWith(PAGES)) return
    const methods = methodsOf.get(route.url) ?? new Set<string>()
    for (const method of [route.method].flat()) methods.add(method)
    methodsOf.set(route.url, methods)
  })

  return (config) => {
    for (const [url, methods] of Array.from(methodsOf)) {
      const allow = METHODS.filter((method) => methods.has(method)).join(', ')
      app.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        schema: { hide: true },
        config,
        handler: () => {
          throw new Refusal('method_not_allowed', 'This address does not have that method.', { headers: { allow } })
        },
      })
    }
  }
}
