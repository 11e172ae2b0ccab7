import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { notFound } from '../problem-error.ts'
import { contentPolicy } from './content-policy.ts'
import { pageOptions, typeOfFile } from './pages.ts'
import { param } from './param.ts'
import type { Reply, Request, RouteRules } from './exchange.ts'
import type { Routes } from './router.ts'

const NONCE_BYTES = 16
/** Where the build has put the nonce of the response. */
const NONCE = /__NONCE__/g
const ORIGIN = '__ORIGIN__'
const COMPRESSED = '.br'
/** Files whose names contain a hash of their content. */
const HASHED = /^assets\//
const YEAR_SECONDS = 31_536_000

/** What its scripts never use, so that none that gets into them can. */
const NO_DEVICES = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'publickey-credentials-get',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

type BuiltPages = {
  /** The path they are served at, without a slash at its end. */
  path: string
  /** The folder that the build has filled. */
  folder: URL
  /** What to run when it has not. */
  build: string
  /** A further origin that its scripts may call; the page says it where the build has put `__ORIGIN__`. */
  origin?: string | undefined
}

/**
 * Serves an application that runs in the browser: the files of its build, and its page at every other path below, with
 * a content policy that allows only these files and, by a nonce that is new in each response, the styles that its
 * scripts add.
 */
export function serveBuiltPages(routes: Routes, { path, folder, build, origin }: BuiltPages, config: RouteRules): void {
  const paths = filesIn(folder)
  const page = paths
    .get('index.html')
    ?.toString()
    .replace(ORIGIN, origin ?? '')
  const options = pageOptions(config)
  const missing = () => notFound(`It has not been built here. Run \`${build}\` and start the server again.`)

  const sendPage = (_request: Request, reply: Reply) => {
    if (page === undefined) throw missing()
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    reply.type('text/html; charset=utf-8').header('content-security-policy', contentPolicyWith(nonce, origin))
    // No page that it opens, and none that opens it, gets hold of its window.
    reply.header('cross-origin-opener-policy', 'same-origin').header('permissions-policy', NO_DEVICES)
    return page.replaceAll(NONCE, nonce)
  }

  const sendFile = (name: string, request: Request, reply: Reply) => {
    const file = paths.get(name)
    if (file === undefined) throw page === undefined ? missing() : notFound()
    const compressed = acceptsCompressed(request) ? paths.get(name + COMPRESSED) : undefined
    if (HASHED.test(name)) reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
    if (compressed) reply.header('content-encoding', 'br')
    reply.type(typeOfFile(name)).header('vary', 'accept-encoding')
    return compressed ?? file
  }

  routes.page(path, options, sendPage)
  routes.page(`${path}/*`, options, (request, reply) => {
    const name = param(request, '*')
    return extname(name) === '' ? sendPage(request, reply) : sendFile(name, request, reply)
  })
}

/** Scripts and requests: ours. Documents are shown in frames, from memory. */
const contentPolicyWith = (nonce: string, origin: string | undefined): string =>
  contentPolicy({
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'connect-src': origin === undefined ? "'self'" : `'self' ${origin}`,
    'frame-src': 'blob:',
  })

const acceptsCompressed = ({ headers }: Request): boolean =>
  /(?:^|[\s,])br(?:$|[\s,])/.test(headers['accept-encoding'] ?? '')

/** Read once: they are small, and no path of a request reaches the file system. */
function filesIn(folder: URL): Map<string, Buffer> {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ parentPath, name }) => relative(fileURLToPath(folder), join(parentPath, name)))
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder))]))
}
