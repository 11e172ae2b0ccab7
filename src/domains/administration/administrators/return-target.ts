/** The pages to which a login can return. */
export const PAGES = ['/docs', '/dashboard'] as const

const BELOW = /^\/(?:docs|dashboard)(?:\/|$)/
/** An arbitrary origin, to detect URLs that leave it. */
const HERE = 'http://here.invalid'

/** The path a text leads to, as a browser would resolve it; undefined when it is not one of our pages or below one. */
export function returnTarget(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, HERE)) return undefined
  const { origin, pathname, search, hash } = new URL(text, HERE)
  return origin === HERE && BELOW.test(pathname) ? `${pathname}${search}${hash}` : undefined
}
