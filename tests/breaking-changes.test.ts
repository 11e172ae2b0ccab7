import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breakingChanges } from '../tools/breaking-changes.ts'
import { RESPELLED } from '../tools/schema-changes.ts'
import { readText } from './support/sources.ts'
import { releasedDocument } from './upgrades/kept.ts'
import { VERSION_BEFORE } from '../src/kernel/program-version.ts'

type Schema = Record<string, unknown>
type Operation = Record<string, unknown>

const read = (path: string) => JSON.parse(readText(path)) as object

describe('the released interface', () => {
  it('has only grown since', () => {
    assert.deepEqual(breakingChanges(JSON.parse(releasedDocument(VERSION_BEFORE)) as object, read('openapi.json')), [])
  })
})

const text = { type: 'string' }
const object = (properties: Record<string, Schema>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})
const content = (schema: Schema) => ({ content: { 'application/json': { schema } } })
const documentOf = (operation: Operation, path = '/things') => ({ paths: { [path]: { post: operation } } })

/** Returns the breaking changes when the body of a request, or of its response, changes. */
const ofRequest = (before: Schema, after: Schema) =>
  breakingChanges(
    documentOf({ requestBody: { required: true, ...content(before) } }),
    documentOf({ requestBody: { required: true, ...content(after) } }),
  )
const ofResponse = (before: Schema, after: Schema) =>
  breakingChanges(
    documentOf({ responses: { 200: content(before) } }),
    documentOf({ responses: { 200: content(after) } }),
  )
const ofOperation = (before: Operation, after: Operation) => breakingChanges(documentOf(before), documentOf(after))

/** Asserts that the change is reported as breaking at this place, and its reverse is not. */
type Case = { what: string; before: Schema; after: Schema; reported: RegExp }

const REQUESTS: Case[] = [
  {
    what: 'a member becomes needed',
    before: object({ a: text }, []),
    after: object({ a: text }),
    reported: /\/: a is now required/,
  },
  {
    what: 'a member within a list becomes needed',
    before: object({ list: { type: 'array', items: object({ a: text }, []) } }),
    after: object({ list: { type: 'array', items: object({ a: text }) } }),
    reported: /\/list\/\*: a is now required/,
  },
  {
    what: 'a word is taken away',
    before: { enum: ['A', 'B'] },
    after: { enum: ['A'] },
    reported: /B is no longer accepted/,
  },
  {
    what: 'a pattern of words takes one less',
    before: { ...text, 'x-token': ['A', 'B/{id}'] },
    after: { ...text, 'x-token': ['A'] },
    reported: /x-token/,
  },
  {
    what: 'free text becomes one of some words',
    before: text,
    after: { ...text, 'x-token': ['A'] },
    reported: /x-token/,
  },
  {
    what: 'free text becomes a list of words',
    before: text,
    after: { ...text, enum: ['A'] },
    reported: /certain values/,
  },
  {
    what: 'null is no longer accepted',
    before: { type: ['string', 'null'] },
    after: text,
    reported: /null is no longer accepted/,
  },
  {
    what: 'a number has to be whole',
    before: { type: 'number' },
    after: { type: 'integer' },
    reported: /number is no longer accepted/,
  },
  {
    what: 'a text has to be shorter',
    before: { ...text, maxLength: 9 },
    after: { ...text, maxLength: 8 },
    reported: /maxLength/,
  },
  { what: 'a text has to be longer', before: text, after: { ...text, minLength: 1 }, reported: /minLength/ },
  { what: 'a number has to be larger', before: { minimum: 0 }, after: { minimum: 1 }, reported: /minimum/ },
  {
    what: 'a list gets an end',
    before: { type: 'array' },
    after: { type: 'array', maxItems: 5 },
    reported: /maxItems/,
  },
  { what: 'a text gets a form', before: text, after: { ...text, pattern: '^a' }, reported: /pattern/ },
  { what: 'a text becomes a date', before: text, after: { ...text, format: 'date' }, reported: /format/ },
  {
    what: 'one of two becomes needed',
    before: object({}),
    after: { ...object({}), 'x-requiresOneOf': ['a'] },
    reported: /OneOf/,
  },
  {
    what: 'other members are refused',
    before: object({}),
    after: { ...object({}), additionalProperties: false },
    reported: /no other members/,
  },
  {
    what: 'one of two shapes is gone',
    before: { anyOf: [text, object({})] },
    after: text,
    reported: /object is no longer accepted/,
  },
  {
    what: 'one of two shapes gets stricter',
    before: { oneOf: [text, object({ a: text }, [])] },
    after: { oneOf: [text, object({ a: text })] },
    reported: /a is now required/,
  },
]

const RESPONSES: Case[] = [
  { what: 'a field is gone', before: object({ a: text }), after: object({}), reported: /\/a: is gone/ },
  {
    what: 'a field of a record within a list is gone',
    before: object({ data: { type: 'array', items: object({ a: text }) } }),
    after: object({ data: { type: 'array', items: object({}) } }),
    reported: /\/data\/\*\/a: is gone/,
  },
  {
    what: 'a field is not always there',
    before: object({ a: text }),
    after: object({ a: text }, []),
    reported: /a is not always/,
  },
  {
    what: 'a field can be null',
    before: text,
    after: { anyOf: [text, { type: 'null' }] },
    reported: /can be null now/,
  },
  {
    what: 'a whole number has decimals',
    before: { type: 'integer' },
    after: { type: 'number' },
    reported: /can be number/,
  },
  { what: 'a list of words becomes free text', before: { ...text, enum: ['A'] }, after: text, reported: /not listed/ },
  { what: 'a date is none any more', before: { ...text, format: 'date' }, after: text, reported: /format/ },
]

describe('a request that was valid becomes invalid', () => {
  for (const { what, before, after, reported } of REQUESTS) {
    it(`when ${what}`, () => {
      const [change = '', ...more] = ofRequest(before, after)
      assert.match(change, reported)
      assert.match(change, /^POST \/things: request /)
      assert.deepEqual(more, [])
    })
    it(`but not the other way round: ${what}`, () => assert.deepEqual(ofRequest(after, before), []))
  }

  it('when a new required member is added', () => {
    assert.deepEqual(ofRequest(object({}), object({ a: text })), ['POST /things: request /: a is now required'])
    assert.deepEqual(ofRequest(object({}), object({ a: text }, [])), [])
  })

  it('when a member is no longer read', () => {
    assert.match(String(ofRequest(object({ a: text }, []), object({}))), /\/a: is no longer read/)
  })

  it('when a format changes', () => {
    assert.equal(ofRequest({ ...text, pattern: '^a' }, { ...text, pattern: '^b' }).length, 1)
  })

  it('but not when its pattern is another spelling, which matches the same with every character', () => {
    for (const [before, after] of Object.entries(RESPELLED)) {
      assert.deepEqual(ofRequest({ ...text, pattern: before }, { ...text, pattern: after }), [])
      const [old, now] = [before, after].map((pattern) => new RegExp(pattern, 'u')) as [RegExp, RegExp]
      for (let code = 0; code <= 0xffff; code++) {
        const one = String.fromCharCode(code)
        for (const sample of [one, ` ${one}`, `${one}a`, `${one}\t`])
          assert.equal(now.test(sample), old.test(sample), `${after} and ${JSON.stringify(sample)}`)
      }
    }
  })
})

describe('a response that callers rely on changes', () => {
  for (const { what, before, after, reported } of RESPONSES) {
    it(`when ${what}`, () => {
      const [change = '', ...more] = ofResponse(before, after)
      assert.match(change, reported)
      assert.match(change, /^POST \/things: 200 /)
      assert.deepEqual(more, [])
    })
    it(`but not the other way round: ${what}`, () => assert.deepEqual(ofResponse(after, before), []))
  }

  it('but not when an enum gets more values', () => {
    assert.deepEqual(ofResponse({ enum: ['A'] }, { enum: ['A', 'B'] }), [])
  })

  it('also where the fields come from several schemas', () => {
    const after = { allOf: [object({ a: text }), { properties: { a: { enum: ['x'] } } }] }
    assert.deepEqual(ofResponse(object({ a: text }), after), [])
    assert.match(
      String(ofResponse({ allOf: [object({ a: text }), object({ b: text })] }, object({ a: text }))),
      /\/b: is gone/,
    )
  })
})

describe('an operation changes', () => {
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } }
  const header = { headers: { ETag: {} } }

  const CASES: [string, Operation, Operation, RegExp][] = [
    ['when a parameter is gone', { parameters: [limit] }, {}, /query limit is gone/],
    [
      'when a new parameter is required',
      {},
      { parameters: [{ ...limit, required: true }] },
      /query limit is now required/,
    ],
    [
      'when a parameter takes less',
      { parameters: [limit] },
      { parameters: [{ ...limit, schema: { type: 'integer', maximum: 5 } }] },
      /query limit \/: maximum/,
    ],
    ['when a body becomes required', {}, { requestBody: { required: true, content: {} } }, /a body is now required/],
    ['when it has another id', { operationId: 'a' }, { operationId: 'b' }, /called b now/],
    ['when it asks for more', { security: [] }, { security: [{ bearer: [] }] }, /other credentials/],
    [
      'when one of several credentials is not enough any more',
      { security: [{ bearer: [] }, { session: [] }] },
      { security: [{ bearer: [] }] },
      /other credentials/,
    ],
    ['when somebody may not call it', { 'x-callers': { user: 'own' } }, { 'x-callers': {} }, /user may not/],
    [
      'when somebody may only for their own',
      { 'x-callers': { user: 'yes' } },
      { 'x-callers': { user: 'own' } },
      /user may not/,
    ],
    [
      'when a success is no longer returned',
      { responses: { 200: {} } },
      { responses: { 201: {} } },
      /200 is no longer returned/,
    ],
    ['when a header is gone', { responses: { 200: header } }, { responses: { 200: {} } }, /header ETag is gone/],
    [
      'when a media type is gone',
      { responses: { 200: { content: { 'text/html': {} } } } },
      { responses: { 200: { content: {} } } },
      /text\/html is gone/,
    ],
  ]
  for (const [what, before, after, reported] of CASES) {
    it(what, () => {
      const changes = ofOperation(before, after)
      assert.equal(changes.length, 1, String(changes))
      assert.match(String(changes), reported)
    })
  }

  it('when it is removed, or its method or path changes', () => {
    const released = documentOf({ responses: {} })
    assert.deepEqual(breakingChanges(released, { paths: {} }), ['POST /things: is gone'])
    assert.deepEqual(breakingChanges(released, { paths: { '/things': { get: {} } } }), ['POST /things: is gone'])
  })

  it('but not when it grows: optional parameters, statuses, fields, headers, callers, credentials, fewer errors', () => {
    const before = {
      responses: { 200: content(object({ a: text })), 409: {} },
      'x-callers': { user: 'own' },
      security: [{ bearer: [] }],
    }
    const after = {
      parameters: [limit],
      responses: { 200: { ...content(object({ a: text, b: text })), ...header }, 202: {} },
      'x-callers': { user: 'yes', owner: 'yes' },
      security: [{ bearer: [] }, { session: [] }],
    }
    assert.deepEqual(ofOperation(before, after), [])
  })

  it('but not when the same schema gets a name', () => {
    const named = {
      ...documentOf({ responses: { 200: content({ $ref: '#/components/schemas/Thing' }) } }),
      components: { schemas: { Thing: object({ a: text }) } },
    }
    assert.deepEqual(breakingChanges(documentOf({ responses: { 200: content(object({ a: text })) } }), named), [])
  })
})
