import type { Request } from '../kernel/http/exchange.ts'
import { ProblemError } from '../kernel/problem-error.ts'

const READS = ['GET', 'HEAD']
const JSON_TYPE = /^application\/(?:merge-patch\+)?json\s*(?:;|$)/i

/**
 * Throws 403 for a request with a cookie that may come from another site's page: browsers send cookies by themselves,
 * and report the origin in `Sec-Fetch-Site`. Writes must come from our own pages, and as JSON, which other sites' forms
 * cannot send. A `DELETE` has no body, and forms cannot send it.
 */
export function checkSameOrigin({ method, headers, pageOf }: Request): void {
  const site = headers['sec-fetch-site']
  if (READS.includes(method)) {
    if (isOfAnotherSite(site) || pageOf !== undefined) throw crossSite()
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

/**
 * Throws 403 when another site began this navigation, rather than a person on our own pages, in the address bar or by a bookmark. A
 * provider that remembers the person asks nothing, so such a link would log in without anybody wanting it. Browsers send the header
 * wherever a session can live, on https and localhost; clients that are not browsers omit it and cannot be
 * victims of such a link.
 */
export function checkBegunHere({ headers }: Request): void {
  if (!isOfAnotherSite(headers['sec-fetch-site'])) return
  throw new ProblemError(
    'forbidden',
    'A login begins on our own pages or in the address bar (Sec-Fetch-Site: same-origin or none), never by a link of another site. Open /docs and log in there.',
  )
}

const isOfAnotherSite = (site: string | string[] | undefined): boolean =>
  site !== undefined && site !== 'same-origin' && site !== 'none'

const crossSite = () =>
  new ProblemError(
    'forbidden',
    'A session cookie is accepted from our own pages only (Sec-Fetch-Site: same-origin). Use an access token instead.',
  )
