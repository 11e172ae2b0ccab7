/** The pages that a login leads back to. */
export const PAGES = ['/docs', '/dashboard'] as const

const BELOW = /^\/(?:docs|dashboard)(?:\/|$)/
/** Any; it only has to be seen whether the text leads away from it. */
const HERE = 'http://here.invalid'

/**
 * Returns the address of ours that a text leads to, below one of the pages, as a browser would read it; undefined for one that
 * leads anywhere else.
 */
export function returnTarget(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, HERE)) return undefined
  const { origin, pathname, search, hash } = new URL(text, HERE)
  return origin === HERE && BELOW.test(pathname) ? `${pathname}${search}${hash}` : undefined
}
