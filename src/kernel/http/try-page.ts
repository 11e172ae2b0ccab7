import { readFileSync } from 'node:fs'
import { notFound } from '../problem-error.ts'
import { programFile } from '../program-files.ts'
import { contentPolicy } from './content-policy.ts'
import type { Reply, RouteRules } from './exchange.ts'
import { pageOptions, typeOfFile } from './pages.ts'
import { param } from './param.ts'
import type { Routes } from './router.ts'

/** Nothing is loaded from elsewhere. */
const POLICY = contentPolicy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
})

const FILE_SECONDS = 300
const FOLDER = '/docs/try/static'

/** The files of Swagger UI that the page loads; its package has others. */
const FOREIGN = ['swagger-ui.css', 'index.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

/** Serves the page on which operations are tried. `ours` are scripts and styles of `pages/` that it loads after its own. */
export function serveTryPage(routes: Routes, config: RouteRules, ours: readonly string[]): void {
  const scripts = ['swagger-ui-bundle.js', 'try.js', ...ours.filter((name) => name.endsWith('.js'))]
  const styles = ['swagger-ui.css', 'index.css', ...ours.filter((name) => name.endsWith('.css'))]
  const page = pageHtml(scripts, styles)
  const files = new Map<string, URL | string>([
    ...FOREIGN.map((name): [string, URL] => [name, new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`))]),
    ...['try.js', ...ours].map((name): [string, string] => [name, programFile(`pages/${name}`)]),
  ])
  const read = new Map<string, Buffer>()
  const options = pageOptions(config)

  const sendPage = (_request: unknown, reply: Reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY)
    return page
  }
  routes.page('/docs/try', options, sendPage)
  routes.page('/docs/try/', options, sendPage)
  routes.page(`${FOLDER}/*`, options, (request, reply) => {
    const name = param(request, '*')
    const file = files.get(name)
    if (file === undefined) throw notFound()
    const content = read.get(name) ?? readFileSync(file)
    read.set(name, content)
    reply.type(typeOfFile(name)).header('cache-control', `max-age=${FILE_SECONDS}`)
    return content
  })
}

const pageHtml = (scripts: readonly string[], styles: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try it · Banyan</title>
${styles.map((name) => `<link rel="stylesheet" href="${FOLDER}/${name}">`).join('\n')}
<link rel="icon" type="image/png" href="${FOLDER}/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
${scripts.map((name) => `<script src="${FOLDER}/${name}"></script>`).join('\n')}
</body>
</html>
`
