import type { FastifyContextConfig } from 'fastify'
import { Type } from 'typebox'

/** Whatever a browser had in the address bar. */
const AnyQuery = Type.Object({}, { additionalProperties: true })

/** Returns the options of a route that serves pages to people, which the OpenAPI document does not list. */
export const pageOptions = (config: FastifyContextConfig) => ({
  schema: { hide: true, querystring: AnyQuery },
  config: { ...config, anyAccept: true },
})

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Returns a text for the content or a quoted attribute of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
