import { beginSpan, isTracing, type Span, within } from '../tracing.ts'
import type { Exchange } from './exchange.ts'

/** Runs the steps of a request in a span with the name of its route, continuing the caller's `traceparent`. Adds nothing without tracing. */
export function traced<T>({ request }: Exchange, work: () => T): T {
  if (!isTracing()) return work()
  const { method, headers, route } = request
  const { traceparent } = headers
  request.span = beginSpan({
    name: `${method} ${route.url}`,
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': route.url },
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    isForeign: true,
  })
  return within([request.span as Span], work)
}

/** Ends the span of a request; `work` is its last, such as its line in the log. */
export function endTraced({ request: { span }, reply }: Exchange, work: () => void): void {
  if (!span) return work()
  within([span], work)
  span.set({ 'http.response.status_code': reply.statusCode })
  if (reply.statusCode >= 500) span.fail(String(reply.statusCode))
  span.end()
}
