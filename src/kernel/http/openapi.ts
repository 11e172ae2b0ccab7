import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyContextConfig } from 'fastify'
import type { ProblemCode } from '../problem-error.ts'
import { contentPolicy } from './content-policy.ts'
import { type Document, type DocumentWords, type OperationInfo, finishDocument } from './openapi-operations.ts'
import { problemOf } from './openapi-problems.ts'
import type { App } from './server.ts'
import { isByMediaType, isReadOnly, takesKey } from './takes-key.ts'

type OperationNotes = {
  security: Record<string, string[]>[]
  callers: string
  codes: ProblemCode[]
  /** It writes for an authenticated caller, and so accepts an `Idempotency-Key`. */
  takesKeys: boolean
  /** It reads sealed personal data, and accepts a `Purpose`. */
  takesPurpose: boolean
  extensions: Record<string, unknown>
}

type DocumentSettings = {
  origin: string
  version: string
  description: string
  tags: { name: string; description: string }[]
  securitySchemes: Record<string, object>
  words: DocumentWords
  /** Every state that an `invalid_state` can name. */
  states: readonly string[]
  /** What we send to the URLs of others, by name. */
  webhooks: Record<string, object>
  /** Returns what the role table declares for an operation. */
  notesOf: (config: FastifyContextConfig) => OperationNotes | undefined
}

type OpenApiDocument = Record<string, unknown>

/** Collects the OpenAPI 3.1 document from the routes registered after this call. */
export async function installOpenApi(app: App, settings: DocumentSettings): Promise<void> {
  app.addSchema(problemOf(settings.states, settings.words.problems))
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Banyan',
        version: settings.version,
        description: settings.description,
        contact: { name: 'The operators of this installation', url: settings.origin },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: settings.origin }],
      tags: settings.tags,
      components: { securitySchemes: settings.securitySchemes as never },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => (json['$id'] as string | undefined) ?? `def-${index}`,
    },
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new Error('the document is made as OpenAPI 3.1')
      return { ...finishDocument(made.openapiObject as Document, settings.words), webhooks: settings.webhooks }
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: documented(schema as OpenApiDocument, {
        config: route.config ?? {},
        isRead: isReadOnly(route),
        settings,
      }) as never,
    }),
  })
}

/** The plugin's own policy allows styles, fonts and images from elsewhere, and rewrites http to https. */
const PAGE_POLICY = contentPolicy({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
})

/** Additional files for the page, also served by us. */
type PageFiles = Partial<Record<'js' | 'css', { filename: string; content: string }[]>>

/**
 * Runs in the browser: sends an empty JSON object with operations that take no body, because a request with a session
 * cookie must be JSON.
 */
function withBody<Request extends { method?: string; body?: unknown; headers?: object }>(request: Request): Request {
  const isBare = ['POST', 'PUT', 'PATCH'].includes(request.method ?? '') && request.body === undefined
  const headers = { ...request.headers, 'Content-Type': 'application/json' }
  return isBare ? Object.assign(request, { body: '{}', headers }) : request
}

/** Serves the document and its page, which loads nothing from elsewhere; its content policy forbids it. */
export async function serveOpenApi(app: App, config: FastifyContextConfig, files: PageFiles = {}): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, ...config, anyAccept: true }
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs/try',
      staticCSP: PAGE_POLICY,
      theme: { title: 'Try it · Banyan', ...files },
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'none',
        deepLinking: true,
        persistAuthorization: false, // a secret that was entered would stay in the browser's storage
        validatorUrl: null,
        requestInterceptor: withBody,
      },
    })
  })
  const hidden = { schema: { hide: true }, config: { ...config, anyAccept: true } }
  let document: Buffer | undefined
  app.get('/openapi.json', hidden, (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger())) // as text it would be encoded for each response
    return reply.type('application/json').send(document)
  })
}

/** Errors of every operation; `validation_failed` at least for an unknown query parameter. */
const ALWAYS = [
  'malformed_request',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'unsupported_media_type',
  'expectation_failed',
  'validation_failed',
  'headers_too_large',
  'internal',
  'unreadable',
  'unavailable',
] as const

/** Returns an operation as the document shows it: its callers, its authentication and every possible error. */
function documented(
  schema: OpenApiDocument | undefined,
  { config, isRead, settings }: { config: FastifyContextConfig; isRead: boolean; settings: DocumentSettings },
): OpenApiDocument {
  const notes = settings.notesOf(config)
  if (!schema || schema['hide'] || !notes) return schema ?? { hide: true }
  const codes = new Set<ProblemCode>([...notes.codes, ...(config.problems ?? [])])
  const isJson = !isByMediaType(schema['body'])
  const isKeyed = notes.takesKeys && !isRead && takesKey(schema)
  // An unexpected body is read all the same, so these do not depend on the schema.
  if (!isRead) codes.add('payload_too_large')
  if (!isRead && isJson) codes.add('malformed_json')
  if (isKeyed) for (const code of ['idempotency_in_progress', 'idempotency_key_reused'] as const) codes.add(code)
  for (const code of ALWAYS) codes.add(code)
  if (config.toProblem) codes.delete('validation_failed')
  const response = Object.fromEntries(
    Object.entries(schema['response'] as Record<string, object>).map(([status, success]) => [
      status,
      '$ref' in success ? success : { description: String(schema['summary']), ...success },
    ]),
  )
  const info: OperationInfo = {
    codes: [...codes],
    isKeyed,
    takesPurpose: notes.takesPurpose,
    isVersioned: config.versioned === true,
    setsCookie: config.setsCookie === true,
  }
  return {
    ...schema,
    description: `${String(schema['description'])}\n\n**Who may call:** ${notes.callers}`,
    security: notes.security,
    response,
    ...notes.extensions,
    'x-operation-info': info,
  }
}
