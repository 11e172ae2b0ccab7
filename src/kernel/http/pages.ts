import { extname } from 'node:path'
import { Type } from 'typebox'
import type { RouteRules } from './exchange.ts'

/** Whatever a browser had in the address bar. */
const AnyQuery = Type.Object({}, { additionalProperties: true })

/** Returns the options of a page for people. */
export const pageOptions = (config: RouteRules) => ({
  schema: { querystring: AnyQuery },
  config: { ...config, anyAccept: true },
})

const FILE_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Returns the media type of a file of a page, by its name. */
export const typeOfFile = (name: string): string => FILE_TYPES[extname(name)] ?? 'application/octet-stream'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Returns a text for the content or a quoted attribute of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
