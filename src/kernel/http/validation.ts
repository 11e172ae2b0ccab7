import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify'
import { canonicalJson } from '../canonical.ts'
import { type Clock, todayIn } from '../clock.ts'
import { isDay } from '../date.ts'
import { hasPaisePrecision } from '../money.ts'
import { type Fault, invalid } from '../refusal.ts'
import { escapePointer, unstorableText } from './json.ts'

const BIRTH_MIN = '1900-01-01'
/** Further out, counting the months of a term leaves the years that a day can be written in. */
const DAY_MIN = '1900-01-01'
const DAY_MAX = '2999-12-31'
const FAULTS_MAX = 100

type Schema = Record<string, unknown>
type Checks = {
  params?: ValidateFunction
  headers?: ValidateFunction
  query?: ValidateFunction
  body?: ValidateFunction
  strictBody?: ValidateFunction
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
  const lenient = newAjv(clock)
  const strict = newAjv(clock)
  const checksOf = new WeakMap<object, Checks>()

  app.addHook('preHandler', async (request) => {
    const schema = request.routeOptions.schema as Record<string, Schema> | undefined
    if (!schema || request.is404) return
    let checks = checksOf.get(schema)
    if (!checks) checksOf.set(schema, (checks = {}))

    if (schema['params']) {
      const faults = faultsOf((checks.params ??= lenient.compile(schema['params'])), request.params, 'path')
      if (faults.length > 0) throw invalid(faults)
    }
    const faults = [
      ...queryFaults(
        request,
        schema['querystring'],
        () => (checks.query ??= lenient.compile(schema['querystring'] as Schema)),
      ),
      ...bodyFaults(request, schema['body'], () =>
        isStrict(request)
          ? (checks.strictBody ??= strict.compile(closed(schema['body']) as Schema))
          : (checks.body ??= lenient.compile(schema['body'] as Schema)),
      ),
      ...(schema['headers']
        ? faultsOf((checks.headers ??= lenient.compile(schema['headers'])), request.headers, 'header')
        : []),
      ...(request.routeOptions.config.faults?.(request) ?? []),
    ]
    if (faults.length === 0) {
      request.body = knownMembers(schema['body'], request.body)
      return
    }
    await request.routeOptions.config.reach?.(request)
    throw invalid(faults.slice(0, FAULTS_MAX))
  })

  app.addHook('onSend', async (request, reply) => {
    if (isStrict(request) && reply.statusCode < 300) reply.header('preference-applied', 'handling=strict')
  })
}

function isStrict(request: FastifyRequest): boolean {
  const prefer = request.headers['prefer']
  return prefer !== undefined && /(^|[,;\s])handling\s*=\s*"?strict"?/i.test(String(prefer))
}

function queryFaults(request: FastifyRequest, schema: Schema | undefined, compiled: () => ValidateFunction): Fault[] {
  const query = request.query as Record<string, unknown>
  if (!schema) {
    return Object.keys(query).map((name) => unknownMember(`query:${name}`))
  }
  request.query = typedQuery(query, schema['properties'] as Record<string, Schema>)
  return faultsOf(compiled(), request.query, 'query')
}

/** Query text to the types of its schema; only plain integers are numbers, a single value of a list is a list. */
function typedQuery(query: Record<string, unknown>, properties: Record<string, Schema>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const type = properties[name]?.['type']
      if (type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return [name, Number(value)]
      if (type === 'array' && typeof value === 'string') return [name, [value]]
      return [name, value]
    }),
  )
}

function bodyFaults(request: FastifyRequest, schema: Schema | undefined, compiled: () => ValidateFunction): Fault[] {
  if (!schema)
    return isStrict(request)
      ? Object.keys(request.body ?? {}).map((name) => unknownMember(`/${escapePointer(name)}`))
      : []
  if (request.body === undefined || request.body === null) {
    return [{ pointer: '', code: 'required', detail: 'A body is required.' }]
  }
  // Named by media type it is not JSON: the schema is for the document, and whoever reads the body checks it.
  if (schema['content']) return []
  const unstorable = unstorableText(request.body)
  const told = new Set(unstorable.map((fault) => fault.pointer))
  return [...unstorable, ...faultsOf(compiled(), request.body, 'body').filter((fault) => !told.has(fault.pointer))]
}

function newAjv(clock: Clock): Ajv {
  const ajv = new Ajv({
    verbose: true,
    allErrors: true,
    strict: false,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
  })
  ajvFormats.default(ajv, { formats: ['email'], mode: 'full' })
  ajv.addFormat('calendar-day', (text: string) => isDay(text) && text >= DAY_MIN && text <= DAY_MAX)
  ajv.addFormat('birth-day', (text: string) => isDay(text) && text >= BIRTH_MIN && text <= todayIn(clock))
  ajv.addKeyword({
    keyword: 'paisePrecision',
    type: 'number',
    schemaType: 'boolean',
    validate: (_schema: boolean, value: number) => hasPaisePrecision(value),
  })
  ajv.addKeyword({
    keyword: 'requiresOneOf',
    type: 'object',
    schemaType: 'array',
    validate: (names: string[], value: object) => names.some((name) => Object.hasOwn(value, name)),
  })
  ajv.addKeyword({
    keyword: 'token',
    type: 'string',
    schemaType: 'array',
    validate: (words: string[], value: string) => words.some((word) => isToken(word, value)),
  })
  ajv.addKeyword({ keyword: 'uniqueBy', type: 'array', schemaType: 'array', errors: 'full', validate: uniqueBy })
  return ajv
}

/** True for the word itself; a word that ends in a name in braces stands for all that go on with something. */
function isToken(word: string, value: string): boolean {
  const [stem = '', name] = word.split('{')
  return name === undefined ? value === word : value.startsWith(stem) && value.length > stem.length
}

/** No two items of the array may agree in all the named members. */
function uniqueBy(names: string[], items: unknown[], _schema?: Schema, place?: { instancePath: string }): boolean {
  const seen = new Set<string>()
  const errors: Partial<ErrorObject>[] = []
  for (const [index, item] of items.entries()) {
    if (item === null || typeof item !== 'object') continue
    const key = canonicalJson(names.map((name) => (item as Record<string, unknown>)[name] ?? null))
    const instancePath = `${place?.instancePath ?? ''}/${index}`
    if (seen.has(key)) errors.push({ keyword: 'uniqueBy', params: {}, schemaPath: '', instancePath, message: '' })
    seen.add(key)
  }
  ;(uniqueBy as { errors?: Partial<ErrorObject>[] }).errors = errors
  return errors.length === 0
}

/** The same schema with every object closed, for `Prefer: handling=strict`. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isOpenObject =
    'properties' in schema && typeof (schema as Schema)['properties'] === 'object' && 'type' in schema
  return isOpenObject ? { additionalProperties: false, ...copy } : copy
}

/** The value without the members its schema does not name: what is ignored is not stored either. */
function knownMembers(schema: unknown, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || schema === null || typeof schema !== 'object') return value
  const { properties, items } = schema as { properties?: Schema; items?: Schema }
  if (Array.isArray(value)) return items ? value.map((inner) => knownMembers(items, inner)) : value
  if (!properties) return value
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(known.map(([name, inner]) => [name, knownMembers(properties[name], inner)]))
}

type Place = 'body' | 'query' | 'path' | 'header'

function faultsOf(validate: ValidateFunction, value: unknown, place: Place): Fault[] {
  if (validate(value)) return []
  const faults = (validate.errors ?? [])
    .filter((error) => !WRAPPERS.has(error.keyword))
    .map((error) => faultOf(error, place))
  // A value of the wrong type is one fault: that it is also none of the allowed words says nothing more.
  const ofWrongType = new Set(faults.filter(({ code }) => code === 'type').map(({ pointer }) => pointer))
  const telling = faults.filter(({ code, pointer }) => code === 'type' || !ofWrongType.has(pointer))
  return [...new Map(telling.map((fault) => [`${fault.pointer} ${fault.code}`, fault])).values()]
}

/** Keywords that only repeat what the errors inside them say. */
const WRAPPERS = new Set(['if', 'allOf'])

function faultOf(error: ErrorObject, place: Place): Fault {
  const params = error.params as Record<string, string | number | undefined>
  const member = error.keyword === 'required' ? params['missingProperty'] : params['additionalProperty']
  const path = member === undefined ? error.instancePath : `${error.instancePath}/${escapePointer(String(member))}`
  const pointer = place === 'body' ? path : `${place}:${path.split('/')[1] ?? ''}`
  if (error.keyword === 'additionalProperties') return unknownMember(pointer)
  return { pointer, ...wordsOf(error, params) }
}

const unknownMember = (pointer: string): Fault => ({ pointer, code: 'unknown', detail: 'Is not known here.' })

const FORMATS: Record<string, string> = {
  email: 'Must be an email address.',
  'calendar-day': `Must be a real calendar day, YYYY-MM-DD, from ${DAY_MIN} to ${DAY_MAX}.`,
  'birth-day': `Must be a real calendar day, YYYY-MM-DD, from ${BIRTH_MIN} to today.`,
}

/** The public words for a failed keyword. They describe the rule, never the value. */
function wordsOf(error: ErrorObject, params: Record<string, unknown>): Omit<Fault, 'pointer'> {
  const limit = String(params['limit'])
  switch (error.keyword) {
    case 'required':
      return { code: 'required', detail: 'Must be there.' }
    case 'type':
      return { code: 'type', detail: `Must be of type ${String(params['type']).replaceAll(',', ' or ')}.` }
    case 'enum':
    case 'const':
      return { code: 'not_allowed', detail: `Must be one of: ${allowedOf(error)}.` }
    case 'token':
      return { code: 'not_allowed', detail: `Must be one of: ${(error.schema as string[]).join(', ')}.` }
    case 'minLength':
      return { code: 'too_short', detail: `Must have at least ${limit} characters.` }
    case 'maxLength':
      return { code: 'too_long', detail: `Must have at most ${limit} characters.` }
    case 'minItems':
      return { code: 'too_few', detail: `Must have at least ${limit} entries.` }
    case 'maxItems':
      return { code: 'too_many', detail: `Must have at most ${limit} entries.` }
    case 'minProperties':
      return { code: 'too_few', detail: `Must have at least ${limit} member.` }
    case 'minimum':
    case 'exclusiveMinimum':
      return { code: 'too_small', detail: `Must be ${String(params['comparison'])} ${limit}.` }
    case 'maximum':
      return { code: 'too_large', detail: `Must be ${String(params['comparison'])} ${limit}.` }
    case 'format':
      return { code: 'format', detail: FORMATS[String(params['format'])] ?? 'Does not have the form it must have.' }
    case 'pattern':
      return { code: 'format', detail: 'Does not have the form it must have.' }
    case 'uniqueItems':
    case 'uniqueBy':
      return { code: 'duplicate', detail: 'Is the same as an entry before it.' }
    case 'requiresOneOf':
      return { code: 'required', detail: `Must have at least one of: ${(error.schema as string[]).join(', ')}.` }
    case 'paisePrecision':
      return { code: 'format', detail: 'Must have at most two decimals.' }
    default:
      return { code: 'not_allowed', detail: 'Is not allowed here.' }
  }
}

function allowedOf(error: ErrorObject): string {
  const values: unknown = error.keyword === 'const' ? [error.params['allowedValue']] : error.params['allowedValues']
  return (values as unknown[]).map(String).join(', ')
}
