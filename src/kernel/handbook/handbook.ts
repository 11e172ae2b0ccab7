import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { contentsIn, HOME, pathFrom, type Section, toTextUrl, toUrl } from './contents.ts'
import { pageHtml, resultsHtml } from './page-html.ts'
import { passagesIn, render } from './render.ts'
import { createSearch, type Searchable } from './search.ts'
import type { Synonyms } from './synonyms.ts'

const FOLDER = 'docs'
const SYNONYMS = `${FOLDER}/synonyms.json`
/** The documents for programs, which pages link as files. */
const DOCUMENTS = ['openapi.json', 'asyncapi.json', 'events.schema.json']

type Settings = {
  /** The folder of the program. */
  root: URL
  version: string
  /** The files of pages that have a second URL, by that URL. */
  aliases: Readonly<Record<string, string>>
}

export type Handbook = ReturnType<typeof createHandbook>

/** Reads the list of contents and the names of the files; pages are read and rendered when somebody opens them. */
export function createHandbook({ root, version, aliases }: Settings) {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const contents = contentsIn(read(HOME))
  const frame = { contents, version }
  const paths = listPages(root, contents)
  const byUrl = new Map([...paths.map((path) => [toUrl(path), path] as const), ...Object.entries(aliases)])
  const byTextUrl = new Map(paths.map((path) => [toTextUrl(path), path]))
  const pictures = new Map(['.svg', '.png'].flatMap((end) => namesIn(root, end)).map((path) => [`/${path}`, path]))

  const resolve = (path: string, toText: boolean) => (href: string) => {
    if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
    const [target = '', hash = ''] = href.split(/(?=#)/)
    const linked = pathFrom(path, target)
    if (DOCUMENTS.includes(linked) || pictures.has(`/${linked}`)) return `/${linked}`
    if (linked === 'README.md') return `/${FOLDER}${hash}`
    return paths.includes(linked) ? `${toText ? toTextUrl(linked) : toUrl(linked)}${hash}` : undefined
  }

  const pages = new Map<string, string>()
  function rendered(path: string): string {
    const text = read(path)
    const { html, headings, title } = render(text, resolve(path, false))
    return pageHtml({ title, about: readSummary(text), main: html, headings, path }, frame)
  }

  async function createIndex() {
    const passages: Searchable[] = []
    for (const path of paths) {
      const ofPage = passagesIn(await readFile(new URL(path, root), 'utf8'))
      const page = ofPage[0]?.title ?? path
      const weight = pageWeight(contents, path)
      passages.push(...ofPage.map((passage) => ({ ...passage, url: toUrl(path), page, weight })))
    }
    return createSearch(passages, JSON.parse(read(SYNONYMS)) as Synonyms)
  }
  let index: ReturnType<typeof createIndex> | undefined
  const search = async (query: string) => (await (index ??= createIndex()))(query)
  const ownPage = (title: string, main: string, query = '') =>
    pageHtml({ title, about: title, main, headings: [], path: undefined, query }, frame)

  return {
    page(url: string): string | undefined {
      const path = byUrl.get(url)
      if (path !== undefined && !pages.has(path)) pages.set(path, rendered(path))
      return path === undefined ? undefined : pages.get(path)
    },
    /** Returns the Markdown of the page at this URL, which ends in `.md`. */
    text(url: string): string | undefined {
      const path = byTextUrl.get(url)
      return path === undefined ? undefined : withLinks(read(path), resolve(path, true))
    },
    /** Returns a picture of a page: a drawing, or a PNG file. */
    picture(url: string): Buffer | undefined {
      const path = pictures.get(url)
      return path === undefined ? undefined : readFileSync(new URL(path, root))
    },
    missing: () =>
      ownPage(
        'Not found',
        '<h1>Not found</h1><p>This page does not exist. Search for it, or choose one from the contents.</p>',
      ),
    search,
    results: async (query: string) => ownPage('Search', resultsHtml(query, await search(query)), query),
    /** Returns the list of contents for language models: <https://llmstxt.org>. */
    list: () => contentsText(contents, readSummary(read(HOME))),
  }
}

/** Every Markdown file below the folder, and those elsewhere that the contents name. */
function listPages(root: URL, contents: readonly Section[]): string[] {
  const listed = contents.flatMap(({ pages }) => pages.map(({ path }) => path))
  return [...new Set([HOME, ...listed, ...namesIn(root, '.md')])].filter((path) => existsSync(new URL(path, root)))
}

/** Those who search are partners more often than contributors, who also have every page that the contents do not name. */
function pageWeight(contents: readonly Section[], path: string): number {
  const section = contents.findIndex(({ pages }) => pages.some((one) => one.path === path))
  if (section === 0) return 2
  return section === -1 || section === contents.length - 1 ? 0.3 : 1
}

const namesIn = (root: URL, end: string): string[] =>
  readdirSync(new URL(FOLDER, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .toSorted()
    .map((name) => `${FOLDER}/${name}`)

/** Returns the first sentences of a page: what stands between its title and the next empty line. */
const readSummary = (text: string): string =>
  (/^# .+\n+(?:<!--.*-->\n+)?([^#|`\n-][^\n]*(?:\n[^\n]+)*)/.exec(text)?.[1] ?? '')
    .replaceAll(/\]\([^)]*\)|[`*[\]]/g, '')
    .replaceAll('\n', ' ')

/** Returns Markdown whose relative links are those of the server. */
const withLinks = (text: string, resolve: (href: string) => string | undefined) =>
  text.replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/g, (whole, href: string) => {
    const target = resolve(href)
    return target === undefined ? whole : `](${target})`
  })

/** The origin stands for that of the server, as everywhere in the handbook. */
const INTERFACES = `- [OpenAPI](http://localhost:8080/openapi.json): every operation; its paths begin with http://localhost:8080
- [AsyncAPI](http://localhost:8080/asyncapi.json): every event
`

function contentsText(contents: readonly Section[], about: string): string {
  const sections = contents.map(({ title, pages }) => {
    const lines = pages.map(({ path, title: name, about: summary }) => {
      const link = `- [${name}](http://localhost:8080${toTextUrl(path)})`
      return summary === '' ? link : `${link}: ${summary}`
    })
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Banyan\n\n> ${about}\n\n${sections.join('\n')}\n## Documents of the interface\n\n${INTERFACES}`
}
