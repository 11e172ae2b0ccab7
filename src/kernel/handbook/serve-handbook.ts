import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { contentPolicy, inlineStyle } from '../http/content-policy.ts'
import { pageOptions, typeOfFile } from '../http/pages.ts'
import type { Exchange, Reply, Request, RouteRules } from '../http/exchange.ts'
import type { Routes } from '../http/router.ts'
import { notFound } from '../problem-error.ts'
import { programFile } from '../program-files.ts'
import type { Handbook } from './handbook.ts'

type Settings = {
  /** Under which callers reach the API. */
  origin: string
  /** Pages name it even to a reader who came by another host: what a request says of itself is not trusted. */
  isOriginFixed: boolean
  /** Where this server's sandbox is, if it has one. */
  sandboxUrl: string | undefined
  version: string
  aliases: Readonly<Record<string, string>>
  config: RouteRules
  /** The same for the search, which costs more than a page. */
  searchConfig: RouteRules
}

const PAGE_POLICY = contentPolicy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
})

const ROOT = new URL('./', pathToFileURL(programFile('docs')))
const HTML = 'text/html; charset=utf-8'
const ASSETS = ['handbook.css', 'handbook.js', 'icon.svg']
const ASSET_SECONDS = 300

/** The origin in the examples of the pages, in whose place a reader sees that of the server. */
const WRITTEN = 'http://localhost:8080'
/** The same for the sandbox, which is on the reader's machine. */
const WRITTEN_SANDBOX = 'http://localhost:8081'
const HOST = /^(?:[a-z\d.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i

/**
 * Serves the handbook at `/docs`: pages, the same as Markdown, pictures and the search. The files, the renderer and the
 * search are loaded when somebody opens the first page, so the start costs nothing.
 */
export function serveHandbook(
  routes: Routes,
  { origin, isOriginFixed, sandboxUrl = WRITTEN_SANDBOX, version, aliases, config, searchConfig }: Settings,
): void {
  let handbook: Promise<Handbook> | undefined
  const loaded = () =>
    (handbook ??= import('./handbook.ts').then(({ createHandbook }) =>
      createHandbook({ root: ROOT, version, aliases }),
    ))
  const options = pageOptions(config)
  const searchOptions = pageOptions(searchConfig)

  function pageWith({ request, reply }: Exchange, { type, text }: { type: string; text: string }): string {
    reply.type(type).header('content-security-policy', PAGE_POLICY)
    const ownOrigin = isOriginFixed ? origin : originFor(request, origin)
    return text.replaceAll(WRITTEN_SANDBOX, sandboxUrl).replaceAll(WRITTEN, ownOrigin)
  }

  async function sendPage(request: Request, reply: Reply) {
    const url = request.url.replace(/[?#].*$/s, '').replace(/\/$/, '')
    const pages = await loaded()
    const html = pages.page(url)
    if (html !== undefined) return pageWith({ request, reply }, { type: HTML, text: html })
    const markdown = pages.text(url)
    if (markdown !== undefined)
      return pageWith({ request, reply }, { type: 'text/markdown; charset=utf-8', text: markdown })
    const picture = pages.picture(url)
    if (picture !== undefined) return url.endsWith('.png') ? pngWith(reply, picture) : drawingWith(reply, picture)
    if (!request.headers.accept?.includes('text/html')) throw notFound()
    reply.code(404)
    return pageWith({ request, reply }, { type: HTML, text: pages.missing() })
  }

  routes.page('/docs', options, sendPage)
  routes.page('/docs/*', options, sendPage)
  routes.page('/docs/search', searchOptions, async (request, reply) =>
    pageWith({ request, reply }, { type: HTML, text: await (await loaded()).results(readQuery(request)) }),
  )
  routes.page('/docs/search.json', searchOptions, async (request) => ({
    results: await (await loaded()).search(readQuery(request)),
  }))
  routes.page('/docs/assets/:name', options, (request, reply) => {
    const { name = '' } = request.params as { name?: string }
    if (!ASSETS.includes(name)) throw notFound()
    const content = readFileSync(new URL(`pages/${name}`, ROOT))
    reply.type(typeOfFile(name)).header('cache-control', `max-age=${ASSET_SECONDS}`)
    return content
  })
  routes.page('/llms.txt', options, async (request, reply) =>
    pageWith({ request, reply }, { type: 'text/plain; charset=utf-8', text: (await loaded()).list() }),
  )
}

function pngWith(reply: Reply, picture: Buffer): Buffer {
  reply.type('image/png').header('cache-control', `max-age=${ASSET_SECONDS}`)
  return picture
}

/** Drawings carry their style, which follows the theme of the reader. */
function drawingWith(reply: Reply, picture: Buffer): Buffer {
  const [, style] = /<style>(.*?)<\/style>/s.exec(picture.toString()) ?? []
  const policy = contentPolicy(style === undefined ? {} : { 'style-src': inlineStyle(style) })
  reply.type('image/svg+xml').header('content-security-policy', policy)
  return picture
}

function readQuery(request: Request): string {
  const { q } = request.query as { q?: unknown }
  return typeof q === 'string' ? q.trim() : ''
}

/** Returns the origin that the reader used; nothing of a malformed `Host` reaches the page. */
function originFor(request: Request, origin: string): string {
  const { host, scheme } = request.sender
  if (new URL(origin).host === host || !HOST.test(host)) return origin
  return `${scheme}://${host}`
}
