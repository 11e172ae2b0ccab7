import type { FastifyContextConfig } from 'fastify'
import { contentPolicy, inlineStyle } from './content-policy.ts'
import type { App } from './server.ts'

const STYLE = `body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}
section{border-top:1px solid #ddd;padding:.5rem 0}:target{background:#ffd}
h3{margin:.5rem 0}pre{background:#f4f4f4;padding:.75rem;overflow:auto;font-size:.875rem}`

const POLICY = contentPolicy({ 'style-src': inlineStyle(STYLE) })

/** Returns a documentation page that loads no other resources; `body` is HTML. */
export const docsPage = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style>
<h1>${title}</h1>
${body}
</html>`

export function serveDocsPage(app: App, path: string, page: string, config: FastifyContextConfig): void {
  app.get(path, { schema: { hide: true }, config: { ...config, anyAccept: true } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page),
  )
}

/** Mounts `GET /`: redirects a browser to the documentation, and returns its URL to a program. */
export function frontDoorRoute(app: App, { version, config }: { version: string; config: FastifyContextConfig }): void {
  const places = { name: 'Banyan', version, docs: '/docs', openapi: '/openapi.json' }
  app.get('/', { schema: { hide: true }, config: { ...config, anyAccept: true } }, (request, reply) => {
    reply.header('vary', 'accept')
    return request.headers.accept?.includes('text/html') ? reply.redirect(places.docs) : reply.send(places)
  })
}

type Section = { id: string; heading: string; paragraphs: string[]; example: object }

/** Returns a section; `heading` is HTML, the paragraphs are plain sentences. */
export const section = ({ id, heading, paragraphs, example }: Section): string =>
  `<section id="${id}"><h3>${heading}</h3>
${paragraphs.map(paragraph).join('')}
<pre>${escaped(JSON.stringify(example, null, 2))}</pre></section>`

export const paragraph = (text: string): string => `<p>${inHtml(text)}</p>`

/** Converts the subset of Markdown used in these sentences to HTML. */
export const inHtml = (text: string): string =>
  escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
