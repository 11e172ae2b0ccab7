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
      'A write with a session cookie needs a JSON body, at least {}. Send one, or use an access token instead.',
    )
  }
}

const crossSite = () =>
  new ProblemError(
    'forbidden',
    'A session cookie is accepted from our own pages only (Sec-Fetch-Site: same-origin). Use an access token instead.',
  )
