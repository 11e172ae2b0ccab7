import type { FastifyRequest } from 'fastify'
import { ProblemError } from '../kernel/problem-error.ts'

const READS = ['GET', 'HEAD']
const JSON_TYPE = /^application\/(?:merge-patch\+)?json\s*(?:;|$)/i

/**
 * Throws 403 for a request with a cookie that may come from another site's page: browsers send cookies by themselves,
 * and report the origin in `Sec-Fetch-Site`. Writes must come from our own pages, and as JSON, which other sites' forms
 * cannot send. A `DELETE` has no body, and forms cannot send it.
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
