import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import { isDay } from '../../src/kernel/date.ts'
import { dereferenced } from '../../tools/dereferenced.ts'

type Json = Record<string, unknown>
type TestResponse = { status: number; body: unknown; text: string; headers: Record<string, unknown> }

/**
 * Checks every response against the OpenAPI document: its status, media type and headers must be listed for the
 * operation, and its body must have exactly the fields of the schema. A body that is not JSON is treated as text.
 */
export function createContractCheck(document: Json) {
  const formats = {
    binary: true,
    date: isDay,
    'date-time': true,
    'idn-email': true,
    uri: true,
    'uri-reference': true,
    int32: true,
    int64: true,
    double: true,
  } as const
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats, meta: false, validateSchema: false })
  // A process sees a small part of the document, and many operations have the same errors.
  const seen = new Map<string, Described | undefined>()
  const validators = new Map<string, ValidateFunction>()
  const compiled = new Map<string, ValidateFunction>()
  const paths = document['paths'] as Record<string, Record<string, { responses: Record<string, Json> }>>
  const patterns = Object.keys(paths).map((path) => ({
    path,
    regexp: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
  patterns.sort((a, b) => a.path.split('{').length - b.path.split('{').length) // literal paths before patterns

  function compile(schema: Json = {}): ValidateFunction {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile(closed(schema) as Json)
    compiled.set(text, validate)
    return validate
  }

  return function check(method: string, url: string, response: TestResponse): void {
    const pathname = url.split('?', 1)[0] as string
    const path = patterns.find(({ regexp }) => regexp.test(pathname))?.path
    const operation = path && paths[path]?.[method.toLowerCase()]
    if (!operation) return
    const name = `${method} ${path} ${response.status}`
    if (!seen.has(name)) seen.set(name, dereferenced(operation.responses[response.status], document))
    const described = seen.get(name)
    const type = String(response.headers['content-type']).split(';', 1)[0] as string
    const label = `${name} ${type}`
    assert(described, `${label} is not in the OpenAPI document`)
    const content = described.content?.[type]
    const isBare = response.status === 304 || response.status === 302 || response.status === 204
    if (!isBare) assert(content, `${label}: the document does not have this media type`)
    checkHeaders(described, response, label)
    if (isBare) return assert.equal(response.text, '', `${label}: no body`)
    const validate = validators.get(label) ?? compile(content?.schema)
    validators.set(label, validate)
    const value = type.endsWith('json') ? response.body : response.text
    assert(validate(value), `${label}: ${JSON.stringify(validate.errors)}`)
  }
}

type Described = { headers?: Record<string, object>; content?: Record<string, { schema?: Json }> }

/** Headers that programs act on: each one sent must be documented. */
const MEANINGFUL_HEADERS = [
  'etag',
  'location',
  'link',
  'allow',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'www-authenticate',
  'content-disposition',
  'idempotent-replayed',
  'preference-applied',
  'set-cookie',
  'x-request-id',
]
/** Documented ones of these are always present; the others depend on the request. */
const ALWAYS_THERE = ['etag', 'location', 'allow', 'www-authenticate', 'content-disposition', 'x-request-id']
/** The policy's status of today is not a stored version while the calendar is late: it has no ETag then. */
const SOMETIMES_WITHOUT_ETAG = '/insurance_policies/{insurance_policy_id}/status 200'

function checkHeaders({ headers: described = {} }: Described, { headers }: TestResponse, label: string): void {
  const documented = Object.keys(described).map((name) => name.toLowerCase())
  for (const name of MEANINGFUL_HEADERS) {
    if (headers[name] !== undefined)
      assert(documented.includes(name), `${label}: ${name} is not in the OpenAPI document`)
  }
  for (const name of ALWAYS_THERE) {
    if (!documented.includes(name) || (name === 'etag' && label.includes(SOMETIMES_WITHOUT_ETAG))) continue
    // Of a list that is available as CSV, too: only that is a file.
    if (name === 'content-disposition' && label.endsWith(' application/json')) continue
    assert(headers[name] !== undefined, `${label}: the document promises ${name}`)
  }
}

/** Objects with named properties allow no others, in responses. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isRecord =
    copy['type'] === 'object' && copy['properties'] !== undefined && copy['additionalProperties'] === undefined
  return isRecord ? { ...copy, additionalProperties: false } : copy
}
