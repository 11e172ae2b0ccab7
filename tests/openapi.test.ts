import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FIELD_ERROR_CODES } from '../src/kernel/field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS } from '../src/kernel/problem-error.ts'
import { openApiDocument } from '../tools/openapi-document.ts'
import { dereferenced } from '../tools/dereferenced.ts'

type Json = Record<string, unknown>
type Media = { schema: Json }
type Response = { headers?: Record<string, Json>; content?: Record<string, Media> }
type Operation = {
  operationId: string
  description: string
  parameters?: { name: string; in: string; description?: string; required?: boolean }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response>
  security: Json[]
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Json> } }

const document = (await openApiDocument()) as unknown as Document
const { paths } = dereferenced(document)
const { schemas } = document.components

const operationsOf = ({ paths }: Pick<Document, 'paths'>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      location: `${method} ${path}`,
      path,
      method,
      ...operation,
    })),
  )
const operations = operationsOf({ paths })

/** Fails with one line for each location that breaks the rule. */
function EVERYTHING<T extends { location: string }>(locations: T[], holds: (one: T) => unknown): void {
  assert(locations.length > 10, 'there is something to look at')
  assert.deepEqual(
    locations.filter((one) => !holds(one)).map(({ location }) => location),
    [],
  )
}

const parameter = ({ parameters = [] }: Operation, name: string) =>
  parameters.find((one) => one.name.toLowerCase() === name)
const headersIn = ({ responses }: Operation, status: string) => Object.keys(responses[status]?.headers ?? {})
const successes = ({ responses }: Operation) => Object.keys(responses).filter((status) => status.startsWith('2'))
/** The codes that a response of this status can carry. */
function codesOf({ responses }: Operation, status: string): string[] {
  const { allOf = [] } = responses[status]?.content?.['application/problem+json']?.schema ?? {}
  const narrowed = (allOf as { properties?: { code?: { enum?: string[] } } }[]).at(-1)
  return narrowed?.properties?.code?.enum ?? []
}
/** The statuses of responses that a caller with a limit gets after it was counted. */
const COUNTED = ['304', '400', '403', '404', '409', '412', '413', '415', '422', '429', '500', '503']
const isList = (operation: Operation) => parameter(operation, 'limit') !== undefined
const isOfKnownCaller = ({ security }: Operation) =>
  security.some((scheme) => ['bearer', 'wallet_bearer', 'admin_key'].some((name) => name in scheme))
const isJson = ({ requestBody }: Operation) => requestBody === undefined || 'application/json' in requestBody.content

describe('the OpenAPI document names', () => {
  it('every JSON body of a request and a response, so that clients get a type for it', () => {
    const media = operationsOf(document).flatMap(({ location, requestBody, responses }) => [
      ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({ location, type, schema })),
      ...Object.values(responses).flatMap(({ content = {} }) =>
        Object.entries(content).map(([type, { schema }]) => ({ location, type, schema })),
      ),
    ])
    EVERYTHING(media, ({ type, schema }) => !type.endsWith('json') || typeof schema['$ref'] === 'string')
  })

  it('the states of `invalid_state`, so that clients get the words of the records', () => {
    const { properties } = schemas['Problem'] as {
      properties: Record<string, { enum?: string[]; items?: { enum?: string[] } }>
    }
    const states = properties['current_state']?.enum ?? []
    assert.deepEqual(properties['allowed_transitions']?.items?.enum, states)
    for (const state of ['REQUIRES_CUSTOMER_RENEWAL', 'BLOCKED', 'RETRYING', 'CLOSED', 'inactive'])
      assert(states.includes(state), state)
  })

  it('the width of each number, money above all', () => {
    const numbers = Object.entries(schemas).flatMap(([location, schema]) =>
      [
        ...JSON.stringify(schema, (name, value: unknown) => (name === 'examples' ? [] : value)).matchAll(
          /\{[^{}]*"type":"(?:integer|number)"[^{}]*\}/g,
        ),
      ].map(([text]) => ({ location: `${location} ${text}`, text })),
    )
    EVERYTHING(numbers, ({ text }) => text.includes('"format":'))
    const { properties } = schemas['Money'] as { properties: Record<string, Json> }
    assert.equal(properties['value']?.['format'], 'double')
  })

  it('the codes of problems and errors, and the reasons of conflicts', () => {
    const enumOf = (name: string, field: string) =>
      (schemas[name]?.['properties'] as Record<string, { enum?: string[] }> | undefined)?.[field]?.enum
    assert.deepEqual(enumOf('Problem', 'code'), Object.keys(PROBLEMS))
    assert.deepEqual(enumOf('Problem', 'reason'), CONFLICT_REASONS)
    assert.deepEqual(enumOf('FieldError', 'code'), FIELD_ERROR_CODES)
  })

  it('for each error of each operation the codes that it can carry, all of this status', () => {
    const errors = operations.flatMap((operation) =>
      Object.keys(operation.responses)
        .filter((status) => status >= '400')
        .map((status) => ({ location: `${operation.location} ${status}`, status, codes: codesOf(operation, status) })),
    )
    EVERYTHING(
      errors,
      ({ status, codes }) =>
        codes.length > 0 && codes.every((code) => String(PROBLEMS[code as keyof typeof PROBLEMS].status) === status),
    )
  })

  it('the code of an error as text that is always there, so that clients can tell errors apart by it', () => {
    const errors = operations.flatMap((operation) =>
      Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema }) =>
          ((schema['allOf'] ?? []) as Json[]).slice(1).map((narrowed) => ({
            location: `${operation.location} ${status}`,
            narrowed: narrowed as { required?: string[]; properties: { code: { type?: string } } },
          })),
        ),
      ),
    )
    EVERYTHING(
      errors,
      ({ narrowed }) => narrowed.required?.includes('code') && narrowed.properties.code.type === 'string',
    )
  })

  it('the two shapes of sponsor details in a record too, so that a client can tell them apart and send them back', () => {
    const details = schemas['SponsorDetails'] as { discriminator?: { propertyName: string }; oneOf?: Json[] }
    assert.equal(details.discriminator?.propertyName, 'sponsor_kind')
    const individual = schemas['IndividualSponsor']?.['properties'] as Record<string, Json> | undefined
    assert.equal(individual?.['first_name']?.['type'], 'string', 'an individual always has a name')
    const organisation = schemas['OrganisationSponsor']?.['properties'] as Record<string, Json> | undefined
    assert(organisation?.['first_name']?.['anyOf'], 'an organisation need not have one')
  })

  it('no default of a member of a body, which generated clients would require', () => {
    const members = Object.entries(schemas).flatMap(([name, schema]) => propertiesIn(schema, name))
    EVERYTHING(members, ({ schema }) => schema['default'] === undefined)
  })

  it('the paths outside both interfaces that partners use', () => {
    for (const path of [
      '/verify/health_card/{token}',
      '/.well-known/jwks.json',
      '/.well-known/oauth-authorization-server',
    ]) {
      assert.deepEqual(paths[path]?.['get']?.security, [], path)
    }
  })
})

describe('the OpenAPI document describes', () => {
  it('what a webhook endpoint receives: the event and the headers of its signature', () => {
    const { webhooks } = document as unknown as { webhooks: { event: { post: Operation } } }
    const { requestBody, parameters = [] } = webhooks.event.post
    assert.deepEqual(
      parameters.map(({ name, required }) => [name, required]),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, true]),
    )
    assert.equal(requestBody?.content['application/json']?.schema['$ref'], '#/components/schemas/Event')
  })

  it('every property, at least once', () => {
    const properties = Object.entries(schemas).flatMap(([name, schema]) => propertiesIn(schema, name))
    EVERYTHING(properties, ({ schema }) => schema['description'] ?? schema['$ref'])
  })

  it('every parameter and every header', () => {
    EVERYTHING(
      operations.flatMap(({ location, parameters = [] }) =>
        parameters.map(({ name, description }) => ({ location: `${location} ${name}`, description })),
      ),
      ({ description }) => description,
    )
    EVERYTHING(
      operations.flatMap(({ location, responses }) =>
        Object.values(responses).flatMap(({ headers = {} }) =>
          Object.entries(headers).map(([name, header]) => ({ location: `${location} ${name}`, header })),
        ),
      ),
      ({ header }) => header['description'] && header['schema'],
    )
  })

  it('a required body as required, except one that may be empty', () => {
    const bodies = operations.flatMap(({ location, requestBody }) =>
      requestBody ? [{ location, ...requestBody }] : [],
    )
    EVERYTHING(bodies, ({ required, content }) => {
      const { schema = {} } = content['application/json'] ?? {}
      const isOptional = schema['type'] === 'object' && !schema['required'] && !schema['x-requiresOneOf']
      return required === !isOptional
    })
  })

  it('every list with a non-empty example', () => {
    EVERYTHING(operations.filter(isList), ({ responses }) => {
      const { examples = [] } = responses['200']?.content?.['application/json']?.schema ?? {}
      const [{ data }] = examples as [{ data: unknown[] | Record<string, unknown> }]
      const entries = Array.isArray(data) ? data : Object.values(data).find(Array.isArray)
      return entries?.length === 1 && JSON.stringify(entries[0]).length > 20
    })
  })

  it('schemas in standard keywords, and our own behind x-', () => {
    for (const [name, schema] of Object.entries(schemas)) {
      for (const keyword of keywordsIn(schema)) assert.match(keyword, KEYWORD, name)
    }
    const formats = new Set(JSON.stringify(document).match(/"format":"[^"]+"/g))
    const known = ['date', 'date-time', 'idn-email', 'uri', 'uri-reference', 'binary', 'int32', 'int64', 'double']
    for (const format of formats) assert(known.includes(format.slice(10, -1)), format)
  })
})

describe('the OpenAPI document documents of the protocol', () => {
  it('the idempotency key on every write of an authenticated caller, and its errors', () => {
    const writes = operations.filter(
      (one) => one.method !== 'get' && !isList(one) && isOfKnownCaller(one) && isJson(one),
    )
    EVERYTHING(writes, (one) => parameter(one, 'idempotency-key')?.name === 'Idempotency-Key')
    EVERYTHING(writes, (one) => codesOf(one, '409').includes('idempotency_in_progress'))
    EVERYTHING(writes, (one) => codesOf(one, '422').includes('idempotency_key_reused'))
    EVERYTHING(writes, (one) =>
      successes(one).every((status) => headersIn(one, status).includes('Idempotent-Replayed')),
    )
    EVERYTHING(
      operations.filter((one) => !writes.some(({ location }) => location === one.location)),
      (one) => !parameter(one, 'idempotency-key'),
    )
  })

  it('If-Match wherever a 412 is possible, and nowhere else', () => {
    EVERYTHING(operations, (one) => (parameter(one, 'if-match') !== undefined) === '412' in one.responses)
    assert(operations.some(({ responses }) => '412' in responses))
  })

  it('If-Match on every change of a record that has an ETag at the same URL', () => {
    const changes = operations.filter(({ method }) => ['put', 'patch', 'delete'].includes(method))
    const versioned = changes.filter(({ path }) => {
      const read = operations.find((one) => one.method === 'get' && one.path === path)
      return read !== undefined && headersIn(read, '200').includes('ETag')
    })
    EVERYTHING(versioned, (one) => parameter(one, 'if-match'))
    assert(versioned.some(({ method }) => method === 'delete'))
  })

  it('If-None-Match, 304 and ETag together on reads of one record, and on no list', () => {
    const reads = operations.filter(({ method }) => method === 'get')
    EVERYTHING(reads, (one) => {
      const shown = [
        parameter(one, 'if-none-match') !== undefined,
        '304' in one.responses,
        headersIn(one, '200').includes('ETag'),
      ]
      return new Set(shown).size === 1 && !(isList(one) && shown[0])
    })
    assert(reads.filter((one) => '304' in one.responses).length > 10)
  })

  it('the Location and ETag of a new record, links between pages, Retry-After, and how to authenticate', () => {
    const has = (status: string, name: string) =>
      operations.flatMap((one) => (headersIn(one, status).includes(name) ? [one.operationId] : []))
    assert(has('201', 'Location').includes('createSponsor'))
    const withoutTag = has('201', 'Location').filter((name) => !has('201', 'ETag').includes(name))
    assert.deepEqual(withoutTag, ['createPlatformCredential', 'createBenefitProviderCredential'], 'they show a secret')
    assert.deepEqual(
      has('201', 'ETag').filter((name) => !has('201', 'Location').includes(name)),
      [],
    )
    assert(!has('201', 'Location').includes('createDependants'))
    EVERYTHING(operations.filter(isList), (one) => headersIn(one, '200').includes('Link'))
    for (const [status, name] of [
      ['401', 'WWW-Authenticate'],
      ['405', 'Allow'],
      ['503', 'Retry-After'],
    ] as const) {
      EVERYTHING(
        operations.filter(({ responses }) => status in responses),
        (one) => headersIn(one, status).includes(name),
      )
    }
    const limited = operations.filter(({ responses }) => '429' in responses)
    EVERYTHING(limited, (one) => headersIn(one, '429').includes('Retry-After'))
    for (const one of limited) {
      const counted = Object.keys(one.responses).filter((status) => COUNTED.includes(status))
      for (const status of [...successes(one), ...counted]) {
        assert(headersIn(one, status).includes('RateLimit'), `${one.operationId} ${status}`)
      }
    }
    for (const id of ['verifyOtp', 'refreshWalletToken']) {
      const one = operations.find(({ operationId }) => operationId === id)
      assert(one && headersIn(one, '401').includes('RateLimit'), `${id} counts what it refuses`)
    }
  })

  it('on every operation 405, 406, 408, 415, 431, and 413 where a body is read', () => {
    for (const status of ['400', '405', '406', '408', '415', '431', '500', '503']) {
      EVERYTHING(operations, ({ responses }) => status in responses)
    }
    // RFC 6749 requires a 400 for token requests.
    EVERYTHING(operations, ({ operationId, responses }) => '422' in responses || operationId === 'exchangeCredential')
    EVERYTHING(operations, ({ method, responses }) => (method === 'get') !== '413' in responses)
  })
})

/** The keywords of JSON Schema 2020-12 and OpenAPI 3.1 that we use. */
const KEYWORD = new RegExp(
  `^(x-[A-Za-z]+|${[
    'type|enum|const|format|pattern|default|example|examples|description|discriminator|deprecated|readOnly|writeOnly',
    'minLength|maxLength|minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf',
    'items|minItems|maxItems|uniqueItems|properties|patternProperties|additionalProperties|required',
    'minProperties|maxProperties|anyOf|oneOf|allOf|not|\\$ref',
  ].join('|')})$`,
)

const inner = (schema: Json): Json[] => {
  const {
    properties = {},
    patternProperties = {},
    items,
    additionalProperties,
    anyOf = [],
    oneOf = [],
    allOf = [],
  } = schema
  const all = [Object.values(properties as Json), Object.values(patternProperties as Json), items, additionalProperties]
  return [...all, anyOf, oneOf, allOf].flat(2).filter((one): one is Json => typeof one === 'object' && one !== null)
}

const keywordsIn = (schema: Json): string[] => [...Object.keys(schema), ...inner(schema).flatMap(keywordsIn)]

function propertiesIn(schema: Json, location: string): { location: string; schema: Json }[] {
  const own = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  return [
    ...own.map(([name, property]) => ({ location: `${location}.${name}`, schema: property })),
    ...inner(schema).flatMap((one) => propertiesIn(one, location)),
  ]
}

describe('what generators make of the document', () => {
  const values: { name: string; value: unknown }[] = []
  JSON.parse(JSON.stringify(document), (name, value: unknown) => {
    values.push({ name, value })
    return value
  })

  it('is right, because no schema has two types but one and null', () => {
    const types = values.flatMap(({ name, value }) => (name === 'type' && Array.isArray(value) ? [value] : []))
    assert(types.length > 10)
    assert.deepEqual(
      types.filter((one) => one.length !== 2 || !one.includes('null')),
      [],
    )
    assert.deepEqual(
      ((schemas['UserAddress']?.['oneOf'] ?? []) as Json[]).map(({ type }) => type),
      ['object', 'string'],
    )
  })

  it('can be sent as a header, because tokens in examples are ASCII', () => {
    const tokens = values.filter(
      ({ name, value }) => /_token$|^setCookie$|Cookie/.test(name) && typeof value === 'string',
    )
    assert(tokens.length > 5)
    assert.deepEqual(
      tokens.filter(({ value }) => /[^\x20-\x7e]/.test(String(value))),
      [],
    )
  })
})
