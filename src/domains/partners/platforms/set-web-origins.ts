import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changed, operation, unchanged } from '../../../record/index.ts'
import { errorOfOrigin, parseOrigin } from './error-of-origin.ts'
import { originExamples, PlatformPath, tags, versionOfOrigins, WebOriginsRecord } from './records.ts'
import { originsInPath, SET_WEB_ORIGINS } from './store.ts'

const ORIGINS_MAX = 20

const WebOriginsInput = Type.Object(
  { web_origins: Type.Array(Text(), { maxItems: ORIGINS_MAX }) },
  { examples: originExamples },
)

export const setWebOrigins = operation('PUT /platforms/:platform_id/web_origins', {
  access: 'setWebOrigins',
  tags,
  summary: 'Replace the web origins of a platform',
  description:
    'Names the origins of the platform’s web apps: only their pages may call with the tokens of its users, ' +
    'for a browser reads a response only where the service allows the origin (CORS). Scheme, host and port, as in ' +
    '`https://app.example.com`; `http` for `localhost` only; `capacitor://localhost` and `ionic://localhost` for apps that are made ' +
    'of web pages. An empty list allows none. A change holds within five seconds.',
  params: PlatformPath,
  body: WebOriginsInput,
  versioned: true,
  response: { 200: WebOriginsRecord },
  problems: ['not_found', 'precondition_failed'],
  validate: ({ body }) => originErrors(body),
  target: originsInPath,
  version: versionOfOrigins,
  serializeBy: ({ params }) => params.platform_id,
  change: ({ target: { id, webOrigins: former }, body }) => {
    const result = { id, webOrigins: body.web_origins.map(parseOrigin) }
    if (isDeepStrictEqual(result.webOrigins, former)) return unchanged(result)
    return { result, ...SET_WEB_ORIGINS.with({ platform_id: id, former, web_origins: result.webOrigins }) }
  },
  present: (origins) => changed(versionOfOrigins(origins)),
})

/** Returns what is wrong with each text, and which origins are there twice, however they are spelled. */
function originErrors(body: unknown): FieldError[] {
  const { web_origins: texts } = (body ?? {}) as { web_origins?: unknown }
  const earlier = new Set<string>()
  const findError = (text: string): Omit<FieldError, 'pointer'> | undefined => {
    const detail = errorOfOrigin(text)
    if (detail !== undefined) return { code: 'format', detail }
    const origin = parseOrigin(text)
    if (earlier.has(origin)) return { code: 'duplicate', detail: 'Repeats an earlier origin. Send each origin once.' }
    earlier.add(origin)
    return undefined
  }
  return (Array.isArray(texts) ? texts.slice(0, ORIGINS_MAX) : []).flatMap((text: unknown, index) => {
    const error = typeof text === 'string' && text !== '' ? findError(text) : undefined
    return error ? [{ pointer: `/web_origins/${index}`, ...error }] : []
  })
}
