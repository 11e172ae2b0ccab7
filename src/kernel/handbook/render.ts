import GithubSlugger from 'github-slugger'
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../http/pages.ts'

/** A heading of a page, with the anchor that a code host gives it too. */
export type Heading = { id: string; depth: number; text: string }
/** What the search finds: the text below a heading. */
export type Passage = { id: string; title: string; text: string }
type Rendered = { html: string; title: string; headings: Heading[] }

/** Returns where a link or an image leads; undefined when that is not served, and only its words are shown. */
type Resolve = (href: string) => string | undefined

/** Converts a page from Markdown to HTML. Its own HTML is shown as text: the content policy allows no styles in it. */
export function render(text: string, resolve: Resolve): Rendered {
  const slugger = new GithubSlugger()
  const headings: Heading[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        const heading = { depth, text, id: slugger.slug(text) }
        headings.push(heading)
        return headingHtml(heading, html)
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        const target = resolve(href)
        return target === undefined ? html : `<a href="${escapeHtml(target)}">${html}</a>`
      },
      image({ href, text: alternative }) {
        const target = resolve(href)
        return target === undefined
          ? escapeHtml(alternative)
          : `<img src="${escapeHtml(target)}" alt="${escapeHtml(alternative)}">`
      },
      code: codeHtml,
      html: ({ text: html }) => (html.startsWith('<!--') ? '' : html === '<br>' ? html : escapeHtml(html)),
    },
  })
  const body = marked.parse(text, { async: false })
  // Whatever is wider than a phone scrolls by itself, also with the keyboard.
  const html = body
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return { html, headings, title: headings.find(({ depth }) => depth === 1)?.text ?? '' }
}

function headingHtml({ id, depth, text }: Heading, html: string): string {
  const anchor = `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a>`
  return `<h${depth} id="${id}">${html}${depth === 1 ? '' : anchor}</h${depth}>\n`
}

function codeHtml({ text, lang = '' }: Tokens.Code): string {
  const [language = '', operation] = lang.split(' ')
  const of = language === '' ? '' : ` class="language-${escapeHtml(language)}"`
  const link = operation?.includes('/') ? `<a class="try" href="/docs/try#/${escapeHtml(operation)}">Try it</a>` : ''
  return `<div class="code"><pre tabindex="0"><code${of}>${escapeHtml(text)}\n</code></pre>${link}</div>\n`
}

/** A finer division would list the members of one record as pages of their own. */
const HEADING = /^(#{1,3}) (.+)$/
/** Sample data would be two thirds of all words. */
const SAMPLE = /^```json$/

/** Divides a page by its headings, for the search. */
export function passagesIn(text: string): Passage[] {
  const slugger = new GithubSlugger()
  const passages: Passage[] = []
  let within: 'text' | 'code' | 'sample' = 'text'
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      within = within !== 'text' ? 'text' : SAMPLE.test(line) ? 'sample' : 'code'
      continue
    }
    const [, , heading] = within === 'text' ? (HEADING.exec(line) ?? []) : []
    const last = passages.at(-1)
    if (heading !== undefined) passages.push({ title: wordsIn(heading), id: slugger.slug(wordsIn(heading)), text: '' })
    else if (last && within !== 'sample') last.text += `${wordsIn(line)} `
  }
  return passages
}

/** Returns the words of some Markdown, without its marks. */
const wordsIn = (text: string) =>
  text
    .replaceAll(/\]\([^)]*\)|^\|[-:|]+\|$|<!--.*-->/g, ' ')
    .replaceAll(/[`*|[\]#]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
