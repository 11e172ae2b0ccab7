import type { Exchange, Reply, Request } from '../kernel/http/exchange.ts'
import { forbidden } from '../kernel/problem-error.ts'
import type { Caller } from './caller.ts'
import type { WebOrigins } from './web-origins.ts'

declare module '../kernel/http/exchange.ts' {
  interface Request {
    /** The platforms that named the origin of the page that sent this; undefined for our own pages, and for what is no page. */
    pageOf?: ReadonlySet<string>
  }
}

/** What a page may read of a response besides its body. */
const EXPOSED = 'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotent-Replayed'

/** Every method and header, also for a path that lacks them: the page can then read the error. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Purpose, Traceparent, X-Request-Id',
  // The longest that Chromium keeps. An origin that is removed is refused by the request itself.
  'access-control-max-age': 7_200,
}

const NOBODY: ReadonlySet<string> = new Set()

/** Creates the step that notes for a request of a page whose page it is, and lets a page that a platform named read the response. */
export const createPageStep =
  ({ origin: ownOrigin, webOrigins }: { origin: string; webOrigins: WebOrigins }) =>
  ({ request, reply }: Exchange): void => {
    const { origin } = request.headers
    if (origin === undefined) return
    reply.header('vary', 'Origin')
    if (isOwn(request, { origin, ownOrigin })) return
    const platforms = webOrigins.platformsOf(origin)
    request.pageOf = platforms ?? NOBODY
    if (platforms) reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED })
  }

/**
 * Browsers report in `Sec-Fetch-Site` whether a page is ours; they omit it on plain http, where `Host` says what the page was loaded from.
 */
function isOwn({ headers }: Request, { origin, ownOrigin }: { origin: string; ownOrigin: string }): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return origin === ownOrigin || origin.replace(/^https?:\/\//, '') === headers.host
}

/** Returns true for a browser's question whether a page that a platform named may call. It has no token, and is not counted: a count would cost more. */
export const isPreflight = ({ method, pageOf, headers }: Request): boolean =>
  pageOf !== undefined &&
  pageOf.size > 0 &&
  method === 'OPTIONS' &&
  headers['access-control-request-method'] !== undefined &&
  headers.authorization === undefined

/** Responds to a preflight, without a body. */
export function allowPage(reply: Reply): undefined {
  reply.code(204).headers(PREFLIGHT)
}

/** Throws 403 for a caller who may not call from a page of another origin: anyone who opens the page can read its token. */
export function checkCallerOfPage(request: Request, caller: Caller): void {
  if (request.pageOf === undefined) return
  if (caller.kind !== 'user' && caller.kind !== 'wallet_user') throw inBrowser()
  checkPage(request, caller.platformId)
}

/** Throws 403 for the request of a page that does not belong to the platform. Where that is unknown, any platform's page may go on to its error. */
export function checkPage({ pageOf }: Request, platformId: string | undefined): void {
  if (pageOf === undefined) return
  if (platformId === undefined ? pageOf.size === 0 : !pageOf.has(platformId)) throw forbidden(FOREIGN_PAGE)
}

/** Throws 403 for a secret that a page of another origin sends. */
export function checkSecretOfPage({ pageOf }: Request): void {
  if (pageOf !== undefined) throw inBrowser()
}

const FOREIGN_PAGE =
  'The Origin of this page is not one of the web_origins of the platform. Add it there (PUT /v1/platforms/{platform_id}/web_origins); it holds within five seconds.'

const inBrowser = () =>
  forbidden(
    'This token must not be in a browser, where anybody can read it. Call from your server, without the Origin of the page; in the page use the token of a user.',
  )
