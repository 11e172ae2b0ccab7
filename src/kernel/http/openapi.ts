import { CSV_TYPE } from '../csv/csv-text.ts'
import type { ProblemCode } from '../problem-error.ts'
import type { Route, RouteRules } from './exchange.ts'
import { type Document, type DocumentDescriptions, type OperationInfo, finishDocument } from './openapi-operations.ts'
import { type ProblemNames, problemSchema } from './openapi-problems.ts'
import { describeRoutes, documentSchema, type RouteDescription } from './openapi-routes.ts'
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

type DocumentSettings = ProblemNames & {
  origin: string
  version: string
  description: string
  tags: { name: string; description: string }[]
  securitySchemes: Record<string, object>
  descriptions: DocumentDescriptions
  /** What we send to the URLs of others, by name. */
  webhooks: Record<string, object>
  /** Returns what the role table declares for an operation. */
  describeAccess: (config: RouteRules) => OperationNotes | undefined
}

export type OpenApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, object>> }

/** Makes the OpenAPI 3.1 document of the routes. */
export function openApiDocument(routes: readonly Route[], settings: DocumentSettings): OpenApiDocument {
  const described = routes.flatMap((route) => documented(route, settings) ?? [])
  const { paths, schemas } = describeRoutes(described, settings.securitySchemes)
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Banyan',
      version: settings.version,
      description: settings.description,
      contact: { name: 'The operators of this installation', url: settings.origin },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: {
      securitySchemes: settings.securitySchemes,
      schemas: { Problem: documentSchema(problemSchema(settings, settings.descriptions.problems)), ...schemas },
    },
    paths,
    servers: [{ url: settings.origin }],
    tags: settings.tags,
  }
  const finished = finishDocument(document as unknown as Document, settings.descriptions)
  return { ...finished, webhooks: settings.webhooks } as unknown as OpenApiDocument
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

/** Returns an operation as the document shows it: its callers, its authentication and every possible error. Undefined when it is not listed. */
function documented(route: Route, settings: DocumentSettings): RouteDescription | undefined {
  const { method, url, schema, config } = route
  const notes = settings.describeAccess(config)
  if (route.isHidden || !notes) return undefined
  const isRead = isReadOnly(route)
  const codes = new Set<ProblemCode>([...notes.codes, ...(config.problems ?? [])])
  const isJson = !isByMediaType(schema.body)
  const isKeyed = notes.takesKeys && !isRead && takesKey(schema)
  // An unexpected body is read all the same, so these do not depend on the schema.
  if (!isRead) codes.add('payload_too_large')
  if (!isRead && isJson) codes.add('malformed_json')
  if (isKeyed) for (const code of ['idempotency_in_progress', 'idempotency_key_reused'] as const) codes.add(code)
  for (const code of ALWAYS) codes.add(code)
  if (config.toProblem) codes.delete('validation_failed')
  const response = Object.fromEntries(
    Object.entries(schema.response ?? {}).map(([status, success]) => [
      status,
      '$ref' in success ? success : { description: schema.summary, ...success },
    ]),
  )
  const info: OperationInfo = {
    codes: [...codes],
    isKeyed,
    takesPurpose: notes.takesPurpose,
    isVersioned: config.versioned === true,
    setsCookie: config.setsCookie === true,
    isCsvToo: config.produces?.includes(CSV_TYPE) === true,
  }
  const described = {
    ...schema,
    description: `${String(schema.description)}\n\n**Who may call:** ${notes.callers}`,
    security: notes.security,
    response,
    ...notes.extensions,
    'x-operation-info': info,
  }
  return { method, url, schema: described }
}
