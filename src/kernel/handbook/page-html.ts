import { escapeHtml } from '../http/pages.ts'
import { HOME, type ListedPage, type Section, toTextUrl, toUrl } from './contents.ts'
import type { Heading } from './render.ts'

type Page = {
  title: string
  about: string
  /** The part between the header and the footer. */
  main: string
  headings: readonly Heading[]
  /** The file of the page; undefined for those without one, such as the results of a search. */
  path: string | undefined
  query?: string
}

type Frame = { contents: readonly Section[]; version: string }

/** Returns a whole page, which can be read without scripts and loads only our own files. */
export function pageHtml({ title, about, main, headings, path, query = '' }: Page, frame: Frame): string {
  const text = path === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${toTextUrl(path)}">`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(about)}">
<title>${escapeHtml(title)} · Banyan</title>
${text}
<link rel="stylesheet" href="/docs/assets/handbook.css">
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
<script src="/docs/assets/handbook.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="menu" href="#contents">Contents</a>
<a class="brand" href="/docs">Banyan</a>
<form role="search" action="/docs/search">
<input name="q" type="search" aria-label="Search the handbook" placeholder="Search" autocomplete="off" maxlength="100" value="${escapeHtml(query)}">
</form>
<nav class="links" aria-label="Elsewhere"><a href="/docs/try">Try it</a><a href="/openapi.json">OpenAPI</a><a href="/dashboard">Dashboard</a></nav>
</header>
<div class="frame">
<nav id="contents" class="contents" aria-label="Contents"><a class="close" href="#content">Close</a>
${frame.contents.map((section, index) => sectionHtml(section, path, index === 0)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${main}
${path === undefined ? '' : neighboursHtml(frame.contents, path)}
<footer>Version ${escapeHtml(frame.version)}${path === undefined ? '' : ` · <a href="${toTextUrl(path)}">This page as Markdown</a>`}</footer>
</main>
${onThisPage(headings)}
</div>
</body>
</html>
`
}

function sectionHtml({ title, pages }: Section, path: string | undefined, isFirst: boolean): string {
  const items = pages.map((page) => {
    const current = page.path === path ? ' aria-current="page"' : ''
    return `<li><a href="${toUrl(page.path)}"${current}>${escapeHtml(page.title)}</a></li>`
  })
  const isOpen = isIn(pages, path) || (isFirst && (path === undefined || path === HOME))
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>
${items.join('\n')}
</ul></details>`
}

/** A page that is not listed itself belongs to the section with another page of its folder, as decisions do. */
function isIn(pages: readonly ListedPage[], path: string | undefined): boolean {
  if (path === undefined) return false
  return pages.some((page) => page.path === path || page.path === `${parentFolder(path)}README.md`)
}

const parentFolder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** Fewer need no list. */
const LISTED_HEADINGS_MIN = 3

function onThisPage(headings: readonly Heading[]): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (listed.length < LISTED_HEADINGS_MIN) return '<div class="here"></div>'
  const items = listed.map(
    ({ id, depth, text }) => `<li class="level-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="here" aria-label="On this page"><p>On this page</p><ul>
${items.join('\n')}
</ul></nav>`
}

function neighboursHtml(contents: readonly Section[], path: string): string {
  const pages = [{ path: HOME, title: 'Contents' }, ...contents.flatMap((section) => section.pages)]
  const index = pages.findIndex((page) => page.path === path)
  if (index < 0) return ''
  const link = (rel: 'prev' | 'next', label: string, page = pages[index + (rel === 'next' ? 1 : -1)]) =>
    page
      ? `<a rel="${rel}" href="${toUrl(page.path)}"><span>${label}</span> ${escapeHtml(page.title)}</a>`
      : '<span></span>'
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link('prev', 'Previous')}${link('next', 'Next')}</nav>`
}

export type Found = { url: string; page: string; title: string; snippet: string }

export function resultsHtml(query: string, results: readonly Found[]): string {
  const items = results.map(
    ({ url, page, title, snippet }) =>
      `<li><a href="${escapeHtml(url)}">${escapeHtml(title)}</a> <span class="of">${page === title ? '' : escapeHtml(page)}</span><p>${escapeHtml(snippet)}</p></li>`,
  )
  const message = query === '' ? 'Enter one or more words above.' : `Nothing was found for “${escapeHtml(query)}”.`
  return `<h1>Search</h1>
${items.length === 0 ? `<p>${message}</p>` : `<ol class="results">\n${items.join('\n')}\n</ol>`}`
}
