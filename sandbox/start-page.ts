import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../src/kernel/http/pages.ts'

/** A company as the page shows it: the setting that leads to it, its path, and its state now. */
export type Company = {
  name: string
  setting: string
  path: string
  /** What can be looked at or set, as `GET /operator/wallets`. */
  requests: readonly string[]
  state: () => Readonly<Record<string, string | number>>
}

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui;max-width:56rem;margin:2rem auto;padding:0 1rem}
section{border-top:1px solid #8886;padding:.75rem 0}
h2{font-size:1.1rem;margin:.25rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.5rem 0}
dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}code{font-size:.9rem}
ul{margin:.25rem 0;padding-left:1.25rem}`

const POLICY = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`

/** Mounts `GET /`: the companies with their base URLs and modes. As JSON for programs. */
export function startPageRoute(app: FastifyInstance, companies: readonly Company[]): void {
  app.get('/', (request, reply) => {
    const origin = `${request.protocol}://${request.host}`
    const shown = companies.map(({ name, setting, path, requests, state }) => ({
      name,
      setting,
      url: `${origin}${path}`,
      requests,
      ...state(),
    }))
    reply.header('vary', 'accept').header('cache-control', 'no-store')
    if (!request.headers.accept?.includes('text/html')) return reply.send({ name: 'Banyan sandbox', companies: shown })
    return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page(shown))
  })
}

type Shown = { name: string; requests: readonly string[] } & Readonly<Record<string, unknown>>

const page = (companies: readonly Shown[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Banyan sandbox</title><style>${STYLE}</style>
<h1>Sandbox</h1>
<p>Stand-ins for the companies that Banyan calls. Everything here is kept in memory until the sandbox stops.</p>
${companies.map(section).join('\n')}
</html>`

function section({ name, requests, ...members }: Shown): string {
  const rows = Object.entries(members).map(
    ([term, value]) => `<dt>${escapeHtml(term)}</dt><dd><code>${escapeHtml(String(value))}</code></dd>`,
  )
  const list = requests.map((request) => `<li>${requestHtml(request)}</li>`)
  return `<section><h2>${escapeHtml(name)}</h2><dl>${rows.join('')}</dl><ul>${list.join('')}</ul></section>`
}

/** What only reads, and names no record, is a link. */
function requestHtml(request: string): string {
  const [, path] = /^GET (\/[\w/]+)$/.exec(request) ?? []
  const code = `<code>${escapeHtml(request)}</code>`
  return path === undefined ? code : `<a href="${path}">${code}</a>`
}
