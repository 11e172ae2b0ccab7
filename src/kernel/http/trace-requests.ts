import { beginSpan, isTracing, type Span, within } from '../tracing.ts'
import type { App } from './server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined without tracing. */
    span?: Span | undefined
  }
}

/** Records each request as a span with the name of its route, continuing the caller's `traceparent`. Adds nothing without tracing. */
export function traceRequests(app: App): void {
  if (!isTracing()) return
  app.decorateRequest('span')
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request
    const route = request.routeOptions.url ?? 'none'
    const { traceparent } = headers
    request.span = beginSpan({
      name: `${method} ${route}`,
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route },
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      isForeign: true,
    })
    enter(request.span, done)
  })
  // Again after the body was read, because callbacks of the parser lose the context.
  app.addHook('preValidation', (request, _reply, done) => enter(request.span, done))
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = request
    span?.set({ 'http.response.status_code': reply.statusCode })
    if (reply.statusCode >= 500) span?.fail(String(reply.statusCode))
    span?.end()
    enter(span, done)
  })
}

const enter = (span: Span | undefined, done: () => void) => (span ? within([span], done) : done())
