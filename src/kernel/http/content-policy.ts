import { hash } from 'node:crypto'

/** Of every response, so that no page of another site can use it and nothing in it is loaded or executed. */
const NOTHING = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** Returns a content security policy that allows a page only these sources, by directive. */
export const contentPolicy = (allowed: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...NOTHING, ...allowed })
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')

/** Returns the source that allows exactly this text of an inline style. */
export const inlineStyle = (css: string): string => `'sha256-${hash('sha256', css, 'base64')}'`
