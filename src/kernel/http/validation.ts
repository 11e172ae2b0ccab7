import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Clock } from '../clock.ts'
import { type Fault, invalid } from '../refusal.ts'
import { wordsOf } from './fault-words.ts'
import { escapePointer } from './json.ts'
import { newAjv } from './keywords.ts'
import { FAULTS_MAX, knownMembers } from './known-members.ts'

type Schema = Record<string, unknown>
type Checks = {
  params?: ValidateFunction
  headers?: ValidateFunction
  query?: ValidateFunction
  body?: ValidateFunction
}

/** Given to Fastify at its making: its own validators and serialisers would be built a second time for every scope. */
export const plainCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: (() => () => () => true) as never,
    // A response schema run on objects halves the hot list; `present.ts` names the fields and tests hold them to the schema.
    buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
  },
}

/**
 * Takes Fastify's validation out and puts ours in, because the contract fixes what Ajv's defaults do not: no coercion
 * in bodies, every fault at once, and the order path, ownership, rest (completion 3). Validators are compiled at first use.
 */
export function installValidation(app: FastifyInstance, clock: Clock): void {
  const ajv = newAjv(clock)
  const checksOf = new WeakMap<object, Checks>()

  /** Throws 422 for what the path names wrongly; returns the faults of the rest. */
  function check(request: FastifyRequest): Fault[] {
    const schema = request.routeOptions.schema as Record<string, Schema> | undefined
    if (!schema || request.is404) return []
    let checks = checksOf.get(schema)
    if (!checks) checksOf.set(schema, (checks = {}))
    const { params, headers } = schema

    if (params) {
      const faults = faultsOf((checks.params ??= ajv.compile(params)), request.params, 'path')
      if (faults.length > 0) throw invalid(faults)
    }
    return [
      ...queryFaults(request, schema['querystring'], (query) => (checks.query ??= ajv.compile(query))),
      ...bodyFaults(request, schema['body'], (body) => (checks.body ??= ajv.compile(body))),
      ...(headers ? faultsOf((checks.headers ??= ajv.compile(headers)), request.headers, 'header') : []),
      ...(request.routeOptions.config.faults?.(request) ?? []),
    ]
  }

  async function refuse(request: FastifyRequest, faults: Fault[]): Promise<never> {
    const { reach, refuseFaults = invalid } = request.routeOptions.config
    await reach?.(request)
    throw refuseFaults(faults.slice(0, FAULTS_MAX))
  }

  // Without a promise for the many who sent nothing wrong.
  app.addHook('preHandler', (request, _reply, done) => {
    try {
      const faults = check(request)
      if (faults.length === 0) done()
      else refuse(request, faults).catch(done)
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

/** What is read where nothing is named. */
const NOTHING: Schema = { properties: {} }

function queryFaults(request: FastifyRequest, schema: Schema | undefined, compile: Compile): Fault[] {
  const query = typedQuery(request.query as Record<string, unknown>, (schema ?? NOTHING)['properties'] as Schema)
  const { known, faults } = knownMembers(schema ?? NOTHING, query, { refusesUnknown: true })
  request.query = known
  const unknown = faults.map((fault) => inPlace('query', fault))
  return schema ? [...unknown, ...faultsOf(compile(schema), known, 'query')] : unknown
}

/** Query text to the types of its schema; only plain integers are numbers, a single value of a list is a list. */
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

/** Leaves of the body what its schema names. */
function bodyFaults(request: FastifyRequest, schema: Schema | undefined, compile: Compile): Fault[] {
  const handling = { refusesUnknown: isStrict(request) }
  if (!schema) return handling.refusesUnknown ? knownMembers(NOTHING, request.body, handling).faults : []
  if (request.body === undefined || request.body === null) {
    if (isOptionalBody(schema)) return []
    return [{ pointer: '', code: 'required', detail: 'A body is needed; send it.' }]
  }
  // Named by media type it is not JSON: the schema is for the document, and whoever reads the body checks it.
  if (schema['content']) return []
  const { known, faults } = knownMembers(schema, request.body, handling)
  request.body = known
  if (faults.length >= FAULTS_MAX) return faults // the rest was not looked at
  const told = new Set(faults.map((fault) => fault.pointer))
  return [...faults, ...faultsOf(compile(schema), known, 'body').filter((fault) => !told.has(fault.pointer))]
}

/** A body of which nothing has to be there can be left out. */
export const isOptionalBody = (schema: Schema) =>
  schema['type'] === 'object' && schema['required'] === undefined && schema['requiresOneOf'] === undefined

type Place = 'body' | 'query' | 'path' | 'header'

function faultsOf(validate: ValidateFunction, value: unknown, place: Place): Fault[] {
  if (validate(value)) return []
  const faults = (validate.errors ?? [])
    .filter((error) => !WRAPPERS.has(error.keyword))
    .map((error) => inPlace(place, { pointer: pointerOf(error), ...wordsOf(error, rulesAt(validate.schema, error)) }))
  // A value of the wrong type is one fault: that it is also none of the allowed words says nothing more.
  const ofWrongType = new Set(faults.filter(({ code }) => code === 'type').map(({ pointer }) => pointer))
  const telling = faults.filter(({ code, pointer }) => code === 'type' || !ofWrongType.has(pointer))
  return [...new Map(telling.map((fault) => [`${fault.pointer} ${fault.code}`, fault])).values()]
}

/** Keywords that only repeat what the errors inside them say. */
const WRAPPERS = new Set(['if', 'allOf', 'discriminator'])

function pointerOf({ instancePath, params }: ErrorObject): string {
  const missing: unknown = params['missingProperty']
  return typeof missing === 'string' ? `${instancePath}/${escapePointer(missing)}` : instancePath
}

/** Outside the body a fault names the parameter. */
const inPlace = (place: Place, fault: Fault): Fault =>
  place === 'body' ? fault : { ...fault, pointer: `${place}:${fault.pointer.split('/')[1] ?? ''}` }

/** What stands beside the keyword that failed. Ajv would tell it too, but would keep schema and data with every error. */
function rulesAt(schema: unknown, { schemaPath }: ErrorObject): Schema {
  const inner = schemaPath
    .split('/')
    .slice(1, -1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((outer, name) => (outer as Schema | undefined)?.[name], schema)
  return (inner ?? {}) as Schema
}
