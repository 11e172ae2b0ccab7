import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyContextConfig } from 'fastify'
import { Type } from 'typebox'
import { CONFLICT_REASONS, PROBLEMS, type ProblemCode } from '../refusal.ts'
import { PROBLEMS_PATH, problemsPage } from './problems.ts'
import { OneOf, record } from './schemas.ts'
import type { App } from './server.ts'

const CONFLICT_WORDS = Object.keys(CONFLICT_REASONS) as (keyof typeof CONFLICT_REASONS)[]
const REASONS_TEXT = CONFLICT_WORDS.map((word) => `\`${word}\`: ${CONFLICT_REASONS[word]}`).join(' ')

export const Problem = record(
  'Problem',
  {
    type: Type.String({ description: 'Where the code is explained' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    code: Type.String({ description: 'Stable; programs decide by it' }),
    request_id: Type.String(),
    current_state: Type.Optional(Type.String({ description: 'With invalid_state' })),
    allowed_transitions: Type.Optional(Type.Array(Type.String(), { description: 'With invalid_state' })),
    reason: Type.Optional(OneOf(CONFLICT_WORDS, { description: `With conflict. ${REASONS_TEXT}` })),
    existing_ids: Type.Optional(Type.Array(Type.String(), { description: 'With already_exists' })),
    error: Type.Optional(Type.String({ description: 'Where access tokens are asked for: the word of RFC 6749, 5.2' })),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() }), {
        description: 'With validation_failed: one entry for each fault',
      }),
    ),
  },
  {
    description: 'Any error, as RFC 9457 application/problem+json',
    examples: [
      {
        type: 'http://localhost:8080/docs/errors#validation_failed',
        title: 'Input not valid',
        status: 422,
        detail: 'One fault in the input.',
        instance: 'urn:banyan:request:req_06bnv3kq0r3cj8m3w0h2d8y6xg',
        code: 'validation_failed',
        request_id: 'req_06bnv3kq0r3cj8m3w0h2d8y6xg',
        errors: [
          {
            pointer: '/dependants/0/date_of_birth',
            code: 'format',
            detail: 'Must be a real calendar day, YYYY-MM-DD, from 1900-01-01 to today.',
          },
        ],
      },
    ],
  },
)

type OperationNotes = {
  security: Record<string, string[]>[]
  callers: string
  codes: ProblemCode[]
  extensions: Record<string, unknown>
}

type DocumentSettings = {
  origin: string
  version: string
  description: string
  tags: { name: string; description: string }[]
  securitySchemes: Record<string, object>
  /** What the role table says of an operation. */
  notesOf: (config: FastifyContextConfig) => OperationNotes | undefined
}

type OpenApiDocument = Record<string, unknown>

/** Collects the OpenAPI 3.1 document from the routes that follow, and serves it with a page that shows it. */
export async function installOpenApi(app: App, settings: DocumentSettings): Promise<void> {
  app.addSchema(Problem)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Banyan',
        version: settings.version,
        description: settings.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: settings.origin }],
      tags: settings.tags,
      components: { securitySchemes: settings.securitySchemes as never },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => (json['$id'] as string | undefined) ?? `def-${index}`,
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: documented(schema as OpenApiDocument, {
        config: route.config ?? {},
        isRead: [route.method].flat().every((method) => method === 'GET' || method === 'HEAD'),
        settings,
      }) as never,
    }),
  })
}

/** The plugin's own policy lets styles, fonts and pictures in from elsewhere, and rewrites http to https. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves what was collected. The page loads nothing from elsewhere, and its content policy forbids it to. */
export async function serveOpenApi(app: App, config: FastifyContextConfig): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, ...config, anyAccept: true }
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: PAGE_POLICY,
      uiConfig: { layout: 'BaseLayout', docExpansion: 'list', persistAuthorization: true, validatorUrl: null },
    })
  })
  const hidden = { schema: { hide: true }, config: { ...config, anyAccept: true } }
  let document: string | undefined
  app.get('/openapi.json', hidden, (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json').send(document)
  })
  app.get(PROBLEMS_PATH, hidden, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(problemsPage()),
  )
}

/** What any request can be refused with; `validation_failed` at least for a query parameter that nobody knows. */
const ALWAYS = [
  'malformed_request',
  'not_acceptable',
  'unsupported_media_type',
  'validation_failed',
  'internal',
  'unavailable',
] as const

/** An operation as the document shows it: who may call it, how it authenticates, every error it can answer. */
function documented(
  schema: OpenApiDocument | undefined,
  { config, isRead, settings }: { config: FastifyContextConfig; isRead: boolean; settings: DocumentSettings },
): OpenApiDocument {
  const notes = settings.notesOf(config)
  if (!schema || schema['hide'] || !notes) return schema ?? { hide: true }
  const codes = new Set<ProblemCode>([...notes.codes, ...((config.refuses ?? []) as ProblemCode[])])
  // A body that nobody asked for is read all the same, so these do not depend on the schema.
  if (!isRead) codes.add('payload_too_large')
  if (!isRead && !isByMediaType(schema['body'])) codes.add('malformed_json')
  for (const code of ALWAYS) codes.add(code)
  const response = Object.fromEntries(
    Object.entries(schema['response'] as Record<string, object>).map(([status, success]) => [
      status,
      '$ref' in success ? success : { description: String(schema['summary']), ...success },
    ]),
  )
  return {
    ...schema,
    description: `${String(schema['description'])}\n\n**Who may call:** ${notes.callers}`,
    security: notes.security,
    response: { ...response, ...problemResponses(codes) },
    ...notes.extensions,
  }
}

/** A body that is described by media type is not JSON. */
const isByMediaType = (body: unknown) => typeof body === 'object' && body !== null && 'content' in body

function problemResponses(codes: Set<ProblemCode>): Record<string, object> {
  const byStatus = Map.groupBy(
    [...codes].toSorted((a, b) => PROBLEMS[a].status - PROBLEMS[b].status),
    (code) => PROBLEMS[code].status,
  )
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join(' '),
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  )
}
