import { Type } from 'typebox'
import type { RouteRules } from './exchange.ts'

/** Whatever a browser had in the address bar. */
const AnyQuery = Type.Object({}, { additionalProperties: true })

/** Returns the options of a page for people. */
export const pageOptions = (config: RouteRules) => ({
  schema: { querystring: AnyQuery },
  config: { ...config, anyAccept: true },
})

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Returns a text for the content or a quoted attribute of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
