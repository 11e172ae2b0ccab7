import type { RouteSchema } from './exchange.ts'
import type { Schema, Schemas } from './openapi-schemas.ts'
import { namedIn } from './schemas.ts'

type Media = { schema: Schema; example?: unknown; examples?: object }
type Extended = RouteSchema & { [extension: `x-${string}`]: unknown }
type SecurityScheme = { type?: string; in?: string; name?: string }

/** What the document says about a route before the rules of the protocol are added: `openapi-operations.ts`. */
export type RouteDescription = {
  method: string
  url: string
  schema: Extended & { security?: Record<string, unknown>[] }
}

/** Returns the paths of an OpenAPI document, and the named schemas that they reference. */
export function describeRoutes(
  routes: readonly RouteDescription[],
  schemes: Record<string, SecurityScheme>,
): { paths: Record<string, Record<string, object>>; schemas: Schemas } {
  const named = new Map<string, object>()
  const paths: Record<string, Record<string, object>> = {}
  for (const { method, url, schema } of routes) {
    namedIn(schema, named)
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationFor(schema, { named, schemes }) }
  }
  return { paths, schemas: Object.fromEntries(Array.from(named, ([name, schema]) => [name, documentSchema(schema)])) }
}

type Known = { named: ReadonlyMap<string, object>; schemes: Record<string, SecurityScheme> }

function operationFor(schema: RouteDescription['schema'], { named, schemes }: Known): object {
  const { operationId, summary, tags, description, security, querystring, params, headers, body } = schema
  // A header in which a credential is sent is described by its security scheme.
  const credentials = (security ?? []).flatMap((one) => Object.keys(one)).map((name) => schemeHeader(schemes[name]))
  const parameters = [
    ...toParameters('query', querystring),
    ...toParameters('path', params),
    ...toParameters('header', headers).filter(({ name }) => !credentials.includes(name)),
  ]
  const responses = Object.entries(schema.response ?? {}).map(([status, response]) => [
    status,
    responseFor(response, named),
  ])
  const extensions = Object.entries(schema).filter(([name]) => name.startsWith('x-'))
  return {
    operationId,
    summary,
    tags,
    description,
    ...(body && { requestBody: bodyFor(body, schema.consumes) }),
    ...(parameters.length > 0 && { parameters }),
    security,
    ...Object.fromEntries(extensions),
    responses: Object.fromEntries(responses) as object,
  }
}

const schemeHeader = (scheme: SecurityScheme | undefined) =>
  scheme?.type === 'http' ? 'authorization' : scheme?.in === 'header' ? scheme.name?.toLowerCase() : undefined

function toParameters(source: 'query' | 'path' | 'header', schema: object | undefined): { name: string }[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = documentSchema(property)
    const isRequired = source === 'path' || required.includes(name)
    return {
      ...toMedia(rest),
      in: source,
      name,
      required: isRequired,
      ...(description !== undefined && { description }),
    }
  })
}

function bodyFor(schema: object, consumes: readonly string[] = ['application/json']): object {
  const { content } = schema as { content?: Record<string, { schema: object }> }
  if (content) return { required: true, content: toContent(content) }
  const documented = documentSchema(schema)
  const media = toMedia(documented)
  const { description } = documented
  return {
    required: true,
    content: Object.fromEntries(consumes.map((type) => [type, media])),
    ...(description !== undefined && { description }),
  }
}

type ResponseSchema = {
  content?: Record<string, { schema: object }>
  description?: string
  type?: string
  $ref?: string
}

function responseFor(schema: object, named: ReadonlyMap<string, object>): object {
  const { content, description, type, $ref } = schema as ResponseSchema
  const referenced = $ref === undefined ? undefined : (named.get($ref.replace('#', '')) as { description?: string })
  const documented = { description: description ?? referenced?.description ?? 'Default Response' }
  if (type === 'null') return documented // it has no body
  if (content) return { ...documented, content: toContent(content) }
  return { ...documented, content: { 'application/json': toMedia(documentSchema(schema)) } }
}

const toContent = (content: Record<string, { schema: object }>) =>
  Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, toMedia(documentSchema(schema))]))

/** The example of a schema stands alongside it. */
function toMedia({ examples, ...schema }: Schema): Media {
  if (!Array.isArray(examples)) return { schema: examples === undefined ? schema : { ...schema, examples } }
  return { schema, example: examples[0] as unknown }
}

/**
 * Returns a schema as the document has it: references to components, and words that the page shows and generators know in place of
 * `const` and `patternProperties`.
 */
export function documentSchema(schema: object): Schema {
  if ('$ref' in schema) return { $ref: `#/components/schemas/${String(schema.$ref).replace('#', '')}` }
  const { $id: _, const: only, patternProperties, ...rest } = schema as Schema
  const documented = mapValues(rest, (value, name) =>
    name === 'properties' ? mapValues(value as Schema, inside) : inside(value),
  )
  if (only !== undefined) documented['enum'] = [only]
  if (patternProperties) documented['additionalProperties'] = inside(Object.values(patternProperties)[0])
  return documented
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside)
  return typeof value === 'object' && value !== null ? documentSchema(value) : value
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
