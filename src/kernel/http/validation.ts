import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Clock } from '../clock.ts'
import { type FieldError, invalid } from '../problem-error.ts'
import { tagErrors } from './conditional.ts'
import type { Exchange, Request, Route, RouteRules, RouteSchema } from './exchange.ts'
import { describeError } from './field-error-text.ts'
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
export function addErrors(route: Route, check: (request: Request) => FieldError[]): void {
  const validateMore = route.config.validate
  route.config = { ...route.config, validate: (request) => [...(validateMore?.(request) ?? []), ...check(request)] }
}

/**
 * Creates the validation of input. Every error is reported at once and nothing in a body is converted; the order is path, ownership,
 * rest (`docs/partners/values.md#the-order-of-checks`). Validators are compiled at first use. The calendar is that of policies: an
 * input that is a day in the past is one of its days.
 */
export function createValidation(calendar: Clock) {
  const ajv = newAjv(calendar)
  const checksOf = new WeakMap<RouteSchema, Checks>()

  return {
    /** Throws 422 for errors in the path; returns all other errors. */
    errorsIn(request: Request): FieldError[] {
      const { schema, config } = request.route
      let checks = checksOf.get(schema)
      if (!checks) checksOf.set(schema, (checks = {}))
      const { params, headers } = schema

      if (params) {
        const errors = findErrors((checks.params ??= ajv.compile(params)), request.params, 'path')
        if (errors.length > 0) throw invalid(errors)
      }
      const errors = queryErrors(
        request,
        schema.querystring as Schema,
        (query) => (checks.query ??= ajv.compile(query)),
      )
      const others = [
        bodyErrors(request, schema.body as Schema, (body) => (checks.body ??= ajv.compile(body))),
        headers ? findErrors((checks.headers ??= ajv.compile(headers)), request.headers, 'header') : NONE,
        config.problems?.includes('precondition_failed') ? tagErrors(request) : NONE,
        config.validate?.(request) ?? NONE,
      ]
      return others.every(({ length }) => length === 0) ? errors : [...errors, ...others.flat()]
    },

    /** Throws 404 when the record in the path is not the caller's, else the errors. */
    async reject(request: Request, errors: FieldError[]): Promise<never> {
      const { checkTargetFirst, toProblem = invalid }: RouteRules = request.route.config
      await checkTargetFirst?.(request)
      throw toProblem(errors.slice(0, FIELD_ERRORS_MAX))
    },
  }
}

/** Says that unknown members were refused, where that was asked for. */
export function notePreference({ request, reply }: Exchange): void {
  if (isStrict(request) && reply.statusCode < 300) reply.header('preference-applied', 'handling=strict')
}

function isStrict(request: Request): boolean {
  const prefer = request.headers['prefer']
  return prefer !== undefined && /(^|[,;\s])handling\s*=\s*"?strict"?/i.test(String(prefer))
}

type Compile = (schema: Schema) => ValidateFunction

const NONE: FieldError[] = []

/** The schema where none is given. */
const EMPTY: Schema = { properties: {} }

function queryErrors(request: Request, schema: Schema | undefined, compile: Compile): FieldError[] {
  if (isEmpty(request.query as object) && schema?.['required'] === undefined) return NONE
  const query = typedQuery(request.query as Record<string, unknown>, (schema ?? EMPTY)['properties'] as Schema)
  const { knownValue, errors } = knownMembers(schema ?? EMPTY, query, { refusesUnknown: true })
  request.query = knownValue
  const unknown = errors.map((error) => inSource('query', error))
  return schema ? [...unknown, ...findErrors(compile(schema), knownValue, 'query')] : unknown
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false
  return true
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
function bodyErrors(request: Request, schema: Schema | undefined, compile: Compile): FieldError[] {
  const handling = { refusesUnknown: isStrict(request) }
  if (!schema) return handling.refusesUnknown ? knownMembers(EMPTY, request.body, handling).errors : []
  if (request.body === undefined || request.body === null) {
    if (isOptionalBody(schema)) return []
    return [{ pointer: '', code: 'required', detail: 'A request body is required.' }]
  }
  // Bodies described by media type are not JSON: the schema is for the document, and the reader of the body checks it.
  if (schema['content']) return []
  const { knownValue, errors } = knownMembers(schema, request.body, handling)
  request.body = knownValue
  if (errors.length >= FIELD_ERRORS_MAX) return errors // the rest was not checked
  const reported = new Set(errors.map((error) => error.pointer))
  return [...errors, ...findErrors(compile(schema), knownValue, 'body').filter((error) => !reported.has(error.pointer))]
}

/** Returns true for a body without required members, which may be omitted. */
export const isOptionalBody = (schema: Schema) =>
  schema['type'] === 'object' && schema['required'] === undefined && schema['requiresOneOf'] === undefined

type InputSource = 'body' | 'query' | 'path' | 'header'

function findErrors(validate: ValidateFunction, value: unknown, source: InputSource): FieldError[] {
  if (validate(value)) return []
  const errors = (validate.errors ?? [])
    .filter((error) => !WRAPPERS.has(error.keyword))
    .map((error) =>
      inSource(source, { pointer: toPointer(error), ...describeError(error, rulesAt(validate.schema, error)) }),
    )
  // A value of the wrong type is one error: that it is not an allowed word either adds nothing.
  const ofWrongType = new Set(errors.filter(({ code }) => code === 'type').map(({ pointer }) => pointer))
  const significant = errors.filter(({ code, pointer }) => code === 'type' || !ofWrongType.has(pointer))
  return [...new Map(significant.map((error) => [`${error.pointer} ${error.code}`, error])).values()]
}

/** Keywords that only repeat the errors inside them. */
const WRAPPERS = new Set(['if', 'allOf', 'discriminator'])

function toPointer({ instancePath, params }: ErrorObject): string {
  const missing: unknown = params['missingProperty']
  return typeof missing === 'string' ? `${instancePath}/${escapePointer(missing)}` : instancePath
}

/** Outside the body, the pointer of an error names the parameter. */
const inSource = (source: InputSource, error: FieldError): FieldError =>
  source === 'body' ? error : { ...error, pointer: `${source}:${error.pointer.split('/')[1] ?? ''}` }

/**
 * Returns the keywords alongside the one that failed. Ajv could report them too, but would keep schema and data with every
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
