import type { FastifyRequest } from 'fastify'
import { ProblemError } from '../kernel/problem-error.ts'

const READS = ['GET', 'HEAD']
const JSON_TYPE = /^application\/(?:merge-patch\+)?json\s*(?:;|$)/i

/**
 * Throws 403 when a request that shows a cookie may come from a page of another site: a browser adds the cookie by itself, and
 * says in `Sec-Fetch-Site` who asks. What changes something must come from our own pages, and as JSON, which no form of another
 * site can send. A `DELETE` has no body, and no form sends one either.
 */
export function checkSameOrigin({ method, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (READS.includes(method)) {
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw crossSite()
    return
  }
  if (site !== 'same-origin') throw crossSite()
  if (method !== 'DELETE' && !JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ProblemError(
      'forbidden',
      'With the cookie of a session what changes something is sent as JSON: send a JSON body, at least {}, or an access token instead.',
    )
  }
}

const crossSite = () =>
  new ProblemError(
    'forbidden',
    'The cookie of a session counts for requests of our own pages alone, which browsers mark with Sec-Fetch-Site: same-origin. Send an access token instead.',
  )
