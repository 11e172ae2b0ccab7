import { readFileSync } from 'node:fs'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { pathToFileURL } from 'node:url'
import { contentPolicy, inlineStyle } from '../http/content-policy.ts'
import { pageOptions } from '../http/pages.ts'
import type { App } from '../http/server.ts'
import { notFound } from '../problem-error.ts'
import { programFile } from '../program-files.ts'
import type { Handbook } from './handbook.ts'

type Settings = {
  /** Under which callers reach the API. */
  origin: string
  version: string
  aliases: Readonly<Record<string, string>>
  config: FastifyContextConfig
  /** The same for the search, which costs more than a page. */
  searchConfig: FastifyContextConfig
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
const ASSETS: Readonly<Record<string, string>> = {
  'handbook.css': 'text/css; charset=utf-8',
  'handbook.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}
const ASSET_SECONDS = 300

/** The origin in the examples of the pages, in whose place a reader sees that of the server. */
const WRITTEN = 'http://localhost:8080'
const HOST = /^(?:[a-z\d.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i

/**
 * Serves the handbook at `/docs`: pages, the same as Markdown, pictures and the search. The files, the renderer and the
 * search are loaded when somebody opens the first page, so the start costs nothing.
 */
export function serveHandbook(app: App, { origin, version, aliases, config, searchConfig }: Settings): void {
  let handbook: Promise<Handbook> | undefined
  const loaded = () =>
    (handbook ??= import('./handbook.ts').then(({ createHandbook }) =>
      createHandbook({ root: ROOT, version, aliases }),
    ))
  const options = pageOptions(config)
  const searchOptions = pageOptions(searchConfig)

  const send = (request: FastifyRequest, reply: FastifyReply, { type, text }: { type: string; text: string }) =>
    reply
      .type(type)
      .header('content-security-policy', PAGE_POLICY)
      .send(text.replaceAll(WRITTEN, originFor(request, origin)))

  async function sendPage(request: FastifyRequest, reply: FastifyReply) {
    const url = request.url.replace(/[?#].*$/s, '').replace(/\/$/, '')
    const pages = await loaded()
    const html = pages.page(url)
    if (html !== undefined) return send(request, reply, { type: HTML, text: html })
    const markdown = pages.text(url)
    if (markdown !== undefined) return send(request, reply, { type: 'text/markdown; charset=utf-8', text: markdown })
    const picture = pages.picture(url)
    if (picture !== undefined) return url.endsWith('.png') ? sendPng(reply, picture) : sendDrawing(reply, picture)
    if (!request.headers.accept?.includes('text/html')) throw notFound()
    return send(request, reply.code(404), { type: HTML, text: pages.missing() })
  }

  app.get('/docs', options, sendPage)
  app.get('/docs/*', options, sendPage)
  app.get('/docs/search', searchOptions, async (request, reply) =>
    send(request, reply, { type: HTML, text: await (await loaded()).results(queryOf(request)) }),
  )
  app.get('/docs/search.json', searchOptions, async (request) => ({
    results: await (await loaded()).search(queryOf(request)),
  }))
  app.get('/docs/assets/:name', options, (request, reply) => {
    const { name = '' } = request.params as { name?: string }
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined
    if (type === undefined) throw notFound()
    const content = readFileSync(new URL(`pages/${name}`, ROOT))
    return reply.type(type).header('cache-control', `max-age=${ASSET_SECONDS}`).send(content)
  })
  app.get('/llms.txt', options, async (request, reply) =>
    send(request, reply, { type: 'text/plain; charset=utf-8', text: (await loaded()).list() }),
  )
}

const sendPng = (reply: FastifyReply, picture: Buffer): FastifyReply =>
  reply.type('image/png').header('cache-control', `max-age=${ASSET_SECONDS}`).send(picture)

/** Drawings carry their style, which follows the theme of the reader. */
function sendDrawing(reply: FastifyReply, picture: Buffer): FastifyReply {
  const [, style] = /<style>(.*?)<\/style>/s.exec(picture.toString()) ?? []
  const policy = contentPolicy(style === undefined ? {} : { 'style-src': inlineStyle(style) })
  return reply.type('image/svg+xml').header('content-security-policy', policy).send(picture)
}

function queryOf(request: FastifyRequest): string {
  const { q } = request.query as { q?: unknown }
  return typeof q === 'string' ? q.trim() : ''
}

/** Returns the origin that the reader used; nothing of a malformed `Host` reaches the page. */
function originFor(request: FastifyRequest, origin: string): string {
  const { host, scheme } = request.sender
  if (new URL(origin).host === host || !HOST.test(host)) return origin
  return `${scheme}://${host}`
}
