import { CSV_TYPE } from '../csv/csv-text.ts'
import type { ProblemCode } from '../problem-error.ts'
import { headersNamed, LIMIT_HEADERS, problemResponses, type ProblemTexts } from './openapi-problems.ts'
import { component, buildExample, componentName, publicSchema, type Schema, type Schemas } from './openapi-schemas.ts'
import { isOptionalBody } from './validation.ts'

/** What a route declares beyond its schema; removed from the finished document. */
export type OperationInfo = {
  codes: ProblemCode[]
  /** Takes an `Idempotency-Key`. */
  isKeyed: boolean
  takesPurpose: boolean
  /** Its success has an `ETag`. */
  isVersioned: boolean
  setsCookie: boolean
  /** A list, which is available as CSV. */
  isCsvToo: boolean
}

type Media = { schema: Schema; example?: unknown }
type Parameter = { name?: string; in?: string; description?: string; schema?: Schema; $ref?: string }
type Response = {
  description: string
  headers?: Record<string, object>
  content?: Record<string, Media>
  $ref?: string
}
type Operation = {
  operationId: string
  description: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
  security: object[]
  'x-operation-info': OperationInfo
}
type Paths = Record<string, Record<string, Operation>>

export type Document = {
  paths: Paths
  components: { schemas: Schemas; [kind: string]: Record<string, object> }
}

const JSON_TYPE = 'application/json'
const PDF_TYPE = 'application/pdf'

type HeaderParameter = { name: string; in: string; schema: object }

/** What the document says about headers, by name; parameters by the name of their component. */
export type HeaderDescription = {
  headers: Record<string, object>
  parameters: Record<'IfMatch' | 'IfNoneMatch' | 'IdempotencyKey' | 'Prefer' | 'Purpose', HeaderParameter>
}

export type DocumentDescriptions = HeaderDescription & {
  /** Descriptions of fields by name, for schemas without one. */
  fields: Record<string, string>
  problems: ProblemTexts
}

/**
 * Completes the routes' declarations: named schemas, headers, parameters and responses of the protocol, and every
 * error. All of it follows from rules, so new operations get it too.
 */
export function finishDocument(document: Document, descriptions: DocumentDescriptions): object {
  const schemas: Schemas = {}
  const naming = {
    components: schemas,
    fieldDescriptions: descriptions.fields,
    parameters: Object.values(descriptions.parameters),
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    component(schemas, name, publicSchema(schema, naming))
  }
  const kinds = { parameters: {}, headers: descriptions.headers, responses: {} as Record<string, object> }
  const { paths } = document
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ paths, path, method, operation })),
  )
  for (const { operation } of routes) {
    nameBodies(operation, naming)
    if (operation['x-operation-info'].isCsvToo) addCsv(operation)
    for (const parameter of operation.parameters ?? []) describeParameter(parameter, naming)
  }
  for (const route of routes) {
    const { method, operation } = route
    const { codes, isKeyed, takesPurpose, isVersioned } = operation['x-operation-info']
    const isRead = method === 'get'
    const names = [
      ...(isKeyed && !asksForKey(operation) ? ['IdempotencyKey'] : []),
      ...(codes.includes('precondition_failed') ? ['IfMatch'] : []),
      ...(isVersioned && isRead ? ['IfNoneMatch'] : []),
      ...(isRead ? [] : ['Prefer']),
      ...(takesPurpose ? ['Purpose'] : []),
    ]
    Object.assign(kinds.parameters, pick(descriptions.parameters, names))
    operation.parameters = [
      ...(operation.parameters ?? []),
      ...names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ]
    for (const [status, response] of Object.entries(operation.responses)) {
      response.headers = headersNamed('X-Request-Id', ...headersOfSuccess(route, status))
    }
    if (isVersioned && isRead) operation.responses['304'] = NOT_MODIFIED
    for (const { status, name, response } of problemResponses(codes, descriptions.problems.problems)) {
      kinds.responses[name] = response
      operation.responses[status] = { $ref: `#/components/responses/${name}` } as Response
    }
  }
  for (const { operation } of routes) delete (operation as Partial<Operation>)['x-operation-info']
  for (const schema of Object.values(schemas)) {
    const example = (schema['examples'] ?? schema['enum']) ? undefined : buildExample(schema, schemas)
    if (example !== undefined) schema['examples'] = [example]
  }
  const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { ...document, components: { ...document.components, ...kinds, schemas: sorted } }
}

/** A line of names, then one for each record of the list: `docs/partners/csv.md`. */
function addCsv({ responses }: Operation): void {
  const { content } = responses['200'] ?? {}
  if (content) content[CSV_TYPE] = { schema: { type: 'string' } }
}

const NOT_MODIFIED: Response = {
  description: 'Not modified: you already have this version.',
  headers: headersNamed('X-Request-Id', 'ETag', ...LIMIT_HEADERS),
}

type Naming = Parameters<typeof publicSchema>[1] & { parameters: readonly HeaderParameter[] }

/** Makes each JSON body of a request or a response a named component, unless it is one. */
function nameBodies({ operationId, requestBody, responses }: Operation, naming: Naming): void {
  const name = operationId.replace(/^./, (letter) => letter.toUpperCase())
  const json = requestBody?.content[JSON_TYPE]
  if (requestBody && json) requestBody.required = !isOptionalBody(json.schema)
  nameMedia(requestBody?.content ?? {}, {
    ...naming,
    name: `${name}Request`,
    description: `Request body of \`${operationId}\``,
  })
  for (const { content = {}, description } of Object.values(responses)) {
    nameMedia(content, { ...naming, name: `${name}Response`, description })
  }
}

function nameMedia(
  content: Record<string, Media>,
  { name, description, ...naming }: Naming & { name: string; description: string },
): void {
  for (const [type, { schema, example }] of Object.entries(content)) {
    const documented = publicSchema(schema, naming)
    const isNamed = componentName(documented) !== undefined || !type.endsWith('json')
    const examples = example === undefined ? {} : { examples: [example] }
    content[type] = isNamed
      ? { schema: documented, ...(example !== undefined && { example }) }
      : { schema: component(naming.components, name, { description, ...documented, ...examples }) }
  }
}

/** Headers that a route requires itself are named and described like everywhere else. */
function describeParameter(parameter: Parameter, naming: Naming): void {
  const shared = naming.parameters.find(({ name }) => name.toLowerCase() === parameter.name)
  if (shared) Object.assign(parameter, { ...shared, schema: { ...shared.schema, ...parameter.schema } })
  const description = parameter.description ?? naming.fieldDescriptions[parameter.name ?? '']
  if (description !== undefined) parameter.description = description
  if (parameter.schema) parameter.schema = publicSchema(parameter.schema, naming)
}

type Route = { paths: Paths; path: string; method: string; operation: Operation }

const asksForKey = ({ parameters = [] }: Operation) =>
  parameters.some(({ name }) => name?.toLowerCase() === 'idempotency-key')

const isPaged = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'limit')

/** Returns true when a created record can be read, at this path or one below. */
const hasOwnPath = ({ paths, path }: Route): boolean =>
  paths[path]?.['get']?.['x-operation-info'].isVersioned === true ||
  Object.keys(paths).some((other) => parentPath(other) === path && other.endsWith('}') && paths[other]?.['get'])

const parentPath = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** Returns the headers of a success besides those of every response. */
function headersOfSuccess(route: Route, status: string): string[] {
  const { method, operation } = route
  const { codes, isKeyed, isVersioned, setsCookie } = operation['x-operation-info']
  return [
    ...(isVersioned ? ['ETag'] : []),
    ...(setsCookie ? ['Set-Cookie'] : []),
    ...(status === '302' || (status === '201' && hasOwnPath(route)) ? ['Location'] : []),
    ...(isPaged(operation) ? ['Link'] : []),
    ...(codes.includes('rate_limited') ? LIMIT_HEADERS : []),
    ...([PDF_TYPE, CSV_TYPE].some((type) => operation.responses[status]?.content?.[type])
      ? ['Content-Disposition']
      : []),
    ...(isKeyed ? ['Idempotent-Replayed'] : []),
    ...(method === 'get' ? [] : ['Preference-Applied']),
  ]
}

const pick = <T>(table: Record<string, T>, names: string[]) =>
  Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name)))
