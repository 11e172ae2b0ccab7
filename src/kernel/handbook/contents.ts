/** A page in the list of contents; its file and everything below are relative to the root of the program. */
export type ListedPage = { path: string; title: string; about: string }
export type Section = { title: string; pages: ListedPage[] }

/** The list of contents, which is also the first page; people read it on a code host as well. */
export const HOME = 'docs/README.md'

const LISTED = /^- \[([^\]]+)\]\(([^)#]+)\)(?:: (.+))?$/

/** Reads the list of contents: a heading of the second level for each section, a link in a list for each page. */
export function contentsIn(text: string): Section[] {
  const [, ...parts] = text.split(/^## /m)
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n')
    const pages = lines.flatMap((line) => {
      const [, name = '', target = '', about = ''] = LISTED.exec(line) ?? []
      return target === '' ? [] : [{ path: pathFrom(HOME, target), title: name, about }]
    })
    return { title, pages }
  })
}

/** Returns the path that a relative link in a file leads to. */
export const pathFrom = (file: string, target: string): string =>
  decodeURIComponent(new URL(target, `file:///${file}`).pathname.slice(1))

/** Returns the URL of a page: `docs/a/b.md` is `/docs/a/b`; files elsewhere are found directly below `/docs`. */
export function toUrl(path: string): string {
  const inside = path.startsWith('docs/') ? path.slice('docs/'.length) : path.toLowerCase()
  const name = inside.replace(/(?:^|\/)readme\.md$/i, '').replace(/\.md$/, '')
  return name === '' ? '/docs' : `/docs/${name}`
}

export const toTextUrl = (path: string): string => (path === HOME ? '/docs/index.md' : `${toUrl(path)}.md`)
