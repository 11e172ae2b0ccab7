import { contentPolicy, inlineStyle } from '../../../kernel/http/content-policy.ts'
import { escapeHtml } from '../../../kernel/http/pages.ts'
import { PROBLEMS, type ProblemError } from '../../../kernel/problem-error.ts'

const STYLE = `
:root { color-scheme: light dark }
body { max-width: 32rem; margin: 15vh auto 0; padding: 0 1rem; font: 1.125rem/1.5 system-ui, sans-serif }
li { margin-top: .75rem }
`
const POLICY = contentPolicy({ 'style-src': inlineStyle(STYLE) })

/** The page that a person sees whose login did not succeed, with a way back. */
export const errorPage = ({ code, detail }: ProblemError): { html: string; policy: string } => ({
  policy: POLICY,
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Login: ${escapeHtml(PROBLEMS[code].title)}</title>
<style>${STYLE}</style>
<main>
<h1>You are not logged in</h1>
<p>${escapeHtml(detail)}</p>
<ul>
<li><a href="/v1/auth/oidc/login?return_to=%2Fdashboard">Log in again</a></li>
<li><a href="/dashboard">Dashboard</a></li>
<li><a href="/docs">Handbook</a></li>
</ul>
</main>
</html>
`,
})
