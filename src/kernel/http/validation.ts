import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest, FastifyServerOptions, RouteOptions } from 'fastify'
import type { Clock } from '../clock.ts'
import { type FieldError, invalid } from '../problem-error.ts'
import { tagErrors } from './conditional.ts'
import { wordsOf } from './field-error-text.ts'
import { escapePointer } from './json.ts'
import { newAjv } from './keywords.ts'
import { FIELD_ERRORS_MAX, knownMembers } from './known-members.ts'

type Schema = Record<string, unknown>
type Checks = {
  params?: ValidateFunction
  headers?: ValidateFunction
  query?: ValidateFunction
  body?: ValidateFunction
}

/** Adds a check of the input to a route, after its own. For hooks that run when a route is mounted. */
export function addErrors(route: RouteOptions, check: (request: FastifyRequest) => FieldError[]): void {
  const own = route.config?.validate
  route.config = { ...route.config, validate: (request) => [...(own?.(request) ?? []), ...check(request)] }
}

/** Passed to Fastify's constructor: its own validators and serialisers would be built again for every scope. */
export const plainCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: (() => () => () => true) as never,
    // Serialising by schema halves the rate of the hot list; `records.ts` of a domain names the fields, and tests compare
    // them with the schema.
    buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
  },
}

/**
 * Replaces Fastify's validation, because the contract requires what Ajv's defaults do not do: no coercion in bodies,
 * every error at once, and the order path, ownership, rest (`docs/partners/values.md#the-order-of-checks`). Validators are
 * compiled at first use.
 */
export function installValidation(app: FastifyInstance, clock: Clock): void {
  const ajv = newAjv(clock)
  const checksOf = new WeakMap<object, Checks>()

  /** Throws 422 for errors in the path; returns all other errors. */
  function check(request: FastifyRequest): FieldError[] {
    const schema = request.routeOptions.schema as Record<string, Schema> | undefined
    if (!schema || request.is404) return []
    let checks = checksOf.get(schema)
    if (!checks) checksOf.set(schema, (checks = {}))
    const { params, headers } = schema
    const { validate, problems } = request.routeOptions.config

    if (params) {
      const errors = errorsOf((checks.params ??= ajv.compile(params)), request.params, 'path')
      if (errors.length > 0) throw invalid(errors)
    }
    return [
      ...queryErrors(request, schema['querystring'], (query) => (checks.query ??= ajv.compile(query))),
      ...bodyErrors(request, schema['body'], (body) => (checks.body ??= ajv.compile(body))),
      ...(headers ? errorsOf((checks.headers ??= ajv.compile(headers)), request.headers, 'header') : []),
      ...(problems?.includes('precondition_failed') ? tagErrors(request) : []),
      ...(validate?.(request) ?? []),
    ]
  }

  async function reject(request: FastifyRequest, errors: FieldError[]): Promise<never> {
    const { checkTargetFirst, toProblem = invalid } = request.routeOptions.config
    await checkTargetFirst?.(request)
    throw toProblem(errors.slice(0, FIELD_ERRORS_MAX))
  }

  // Synchronous on the valid path, to avoid a promise per request.
  app.addHook('preHandler', (request, _reply, done) => {
    try {
      const errors = check(request)
      if (errors.length === 0) done()
      else reject(request, errors).catch(done)
    } catch (error) {
      done(error as Error)
    }
  })

  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isStrict(request) && reply.statusCode < 300) reply.header('preference-applied', 'handling=strict')
    done()
  })
}

function isStrict(request: FastifyRequest): boolean {
  const prefer = request.headers['prefer']
  return prefer !== undefined && /(^|[,;\s])handling\s*=\s*"?strict"?/i.test(String(prefer))
}

type Compile = (schema: Schema) => ValidateFunction

/** The schema where none is given. */
const EMPTY: Schema = { properties: {} }

function queryErrors(request: FastifyRequest, schema: Schema | undefined, compile: Compile): FieldError[] {
  const query = typedQuery(request.query as Record<string, unknown>, (schema ?? EMPTY)['properties'] as Schema)
  const { known, errors } = knownMembers(schema ?? EMPTY, query, { refusesUnknown: true })
  request.query = known
  const unknown = errors.map((error) => inSource('query', error))
  return schema ? [...unknown, ...errorsOf(compile(schema), known, 'query')] : unknown
}

/** Converts query text to the types of the schema: plain integers to numbers, a single value of a list to a list. */
function typedQuery(query: Record<string, unknown>, properties: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const type = (properties[name] as Schema | undefined)?.['type']
      if (type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return [name, Number(value)]
      if (type === 'array' && typeof value === 'string') return [name, [value]]
      return [name, value]
    }),
  )
}

/** Drops unknown members of the body and returns its errors. */
function bodyErrors(request: FastifyRequest, schema: Schema | undefined, compile: Compile): FieldError[] {
  const handling = { refusesUnknown: isStrict(request) }
  if (!schema) return handling.refusesUnknown ? knownMembers(EMPTY, request.body, handling).errors : []
  if (request.body === undefined || request.body === null) {
    if (isOptionalBody(schema)) return []
    return [{ pointer: '', code: 'required', detail: 'A request body is required.' }]
  }
  // Bodies described by media type are not JSON: the schema is for the document, and the reader of the body checks it.
  if (schema['content']) return []
  const { known, errors } = knownMembers(schema, request.body, handling)
  request.body = known
  if (errors.length >= FIELD_ERRORS_MAX) return errors // the rest was not checked
  const reported = new Set(errors.map((error) => error.pointer))
  return [...errors, ...errorsOf(compile(schema), known, 'body').filter((error) => !reported.has(error.pointer))]
}

/** Returns true for a body without required members, which may be omitted. */
export const isOptionalBody = (schema: Schema) =>
  schema['type'] === 'object' && schema['required'] === undefined && schema['requiresOneOf'] === undefined

type InputSource = 'body' | 'query' | 'path' | 'header'

function errorsOf(validate: ValidateFunction, value: unknown, source: InputSource): FieldError[] {
  if (validate(value)) return []
  const errors = (validate.errors ?? [])
    .filter((error) => !WRAPPERS.has(error.keyword))
    .map((error) => inSource(source, { pointer: pointerOf(error), ...wordsOf(error, rulesAt(validate.schema, error)) }))
  // A value of the wrong type is one error: that it is not an allowed word either adds nothing.
  const ofWrongType = new Set(errors.filter(({ code }) => code === 'type').map(({ pointer }) => pointer))
  const significant = errors.filter(({ code, pointer }) => code === 'type' || !ofWrongType.has(pointer))
  return [...new Map(significant.map((error) => [`${error.pointer} ${error.code}`, error])).values()]
}

/** Keywords that only repeat the errors inside them. */
const WRAPPERS = new Set(['if', 'allOf', 'discriminator'])

function pointerOf({ instancePath, params }: ErrorObject): string {
  const missing: unknown = params['missingProperty']
  return typeof missing === 'string' ? `${instancePath}/${escapePointer(missing)}` : instancePath
}

/** Outside the body, the pointer of an error names the parameter. */
const inSource = (source: InputSource, error: FieldError): FieldError =>
  source === 'body' ? error : { ...error, pointer: `${source}:${error.pointer.split('/')[1] ?? ''}` }

/**
 * Returns the keywords beside the one that failed. Ajv could report them too, but would keep schema and data with every
 * error.
 */
function rulesAt(schema: unknown, { schemaPath }: ErrorObject): Schema {
  const inner = schemaPath
    .split('/')
    .slice(1, -1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((outer, name) => (outer as Schema | undefined)?.[name], schema)
  return (inner ?? {}) as Schema
}
