import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import pg from 'pg'
import { clientFiles } from '../tools/client-generator/client-files.ts'
import { pythonFiles } from '../tools/python-generator/python-files.ts'
import { dashboardTables } from '../tools/dashboard-tables.ts'
import { databaseSchema } from '../tools/database-schema.ts'
import { jsonDocuments } from '../tools/json-documents.ts'
import { cloneDatabase } from './support/database.ts'
import { dereferenced } from '../tools/dereferenced.ts'
import { referencePages } from '../tools/reference/reference-pages.ts'

const committed = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  tags: string[]
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> }
  responses: Record<string, { description: string; content: Record<string, { schema: Json }> }>
  security: Record<string, unknown>[]
}

const documents = await jsonDocuments()
const document = JSON.parse(documents['openapi.json'] ?? '') as Json & {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: Json }
  tags: { name: string }[]
}

const reference = await referencePages(document)

const operations = Object.entries(dereferenced(document).paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    location: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
)

describe('generated and committed files', () => {
  const files = { ...documents, ...clientFiles(document), ...pythonFiles(document), ...dashboardTables(), ...reference }
  for (const [name, text] of Object.entries(files)) {
    it(`${name} is up to date with the code`, () => {
      assert(committed(name) === text, `${name} is out of date: npm run generate`)
    })
  }

  it('schema.sql is up to date with the migrations', async () => {
    const database = await cloneDatabase()
    after(() => database.close())
    const isSame = committed('schema.sql') === (await databaseSchema(database.ownerUrl))
    assert(isSame, 'schema.sql is out of date: npm run generate')
  })

  it('schema.sql creates the same database', async () => {
    const url = new URL(process.env['BANYAN_TEST_OWNER_URL'] ?? '')
    const name = `test_${randomBytes(6).toString('hex')}`
    await run(url.href, `create database ${name}`)
    url.pathname = `/${name}`
    await run(url.href, `create schema banyan; set search_path = banyan; ${committed('schema.sql')}`)
    assert.equal(await databaseSchema(url.href), committed('schema.sql'))
  })

  it('contain nothing of the machine that generated them', () => {
    for (const name of [...Object.keys(documents), 'schema.sql']) {
      assert.doesNotMatch(committed(name), /\/tmp|\/home|\/work|file:\/\/|v24\.\d|PostgreSQL \d/)
    }
  })
})

async function run(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Every value of the document, with its JSON Pointer. */
function* walk(value: unknown, pointer = '#'): Generator<[string, Json]> {
  if (value === null || typeof value !== 'object') return
  yield [pointer, value as Json]
  for (const [key, inner] of Object.entries(value))
    yield* walk(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 with a title, a version, a licence and the default origin', () => {
    const { openapi, info, servers } = document
    const { version } = JSON.parse(committed('package.json')) as { version: string }
    assert.match(String(openapi), /^3\.1\.\d+$/)
    const { title, version: named, license } = info as Json
    assert.deepEqual([title, named], ['Banyan', version])
    assert.deepEqual(license, { name: 'Apache-2.0', identifier: 'Apache-2.0' })
    assert.deepEqual(servers, [{ url: 'http://localhost:8080' }])
    assert(operations.length > 40)
  })

  it('all references resolve, and every named schema is referenced', () => {
    const pointers = new Set([...walk(document)].map(([pointer]) => pointer))
    const refs = [...walk(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    assert(refs.length > 100)
    for (const ref of new Set(refs)) assert(pointers.has(ref), ref)
    for (const name of Object.keys(document.components.schemas)) {
      assert(refs.includes(`#/components/schemas/${name}`), `${name} is not used`)
    }
  })

  it('operation ids are unique and can be used as function names', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
  })

  it('every path parameter is declared and required, and no other is', () => {
    for (const { location, path, operation } of operations) {
      const parameters = operation.parameters ?? []
      const declared = parameters.filter((parameter) => parameter.in === 'path')
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]))
      assert.deepEqual(declared.map((parameter) => parameter.name).toSorted(), named.toSorted(), location)
      assert(
        declared.every((parameter) => parameter.required === true),
        location,
      )
      const all = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      assert.equal(new Set(all).size, all.length, location)
      assert(
        parameters.every((parameter) => ['path', 'query', 'header'].includes(parameter.in) && parameter.schema),
        location,
      )
    }
  })

  it('no two paths differ only in parameter names', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    assert.equal(new Set(shapes).size, shapes.length)
    assert(shapes.every((shape) => shape.startsWith('/')))
  })

  it('tags and security schemes are declared and used', () => {
    const tags = new Set(operations.flatMap(({ operation }) => operation.tags))
    assert.deepEqual([...tags].toSorted(), document.tags.map(({ name }) => name).toSorted())
    const schemes = new Set(operations.flatMap(({ operation }) => operation.security.flatMap(Object.keys)))
    assert.deepEqual([...schemes].toSorted(), Object.keys(document.components.securitySchemes).toSorted())
  })

  it('every response has a description, a media type and a schema; a success comes first', () => {
    for (const { location, operation } of operations) {
      const [first = ''] = Object.keys(operation.responses)
      assert.match(first, /^(20[0-4]|302)$/, location)
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        assert(description, `${location} ${status}`)
        if (status === '304' || status === '302' || status === '204') continue
        const types = status < '400' ? Object.keys(content) : ['application/problem+json']
        assert(types.length > 0 && types.every((type) => content[type]?.schema), `${location} ${status}`)
      }
    }
  })

  it('every schema is valid JSON Schema, and every example conforms to its schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema({ ...document, $id: 'document' })
    let examples = 0
    for (const [pointer, value] of walk(document)) {
      const isSchema = /\/(schema|schemas\/\w+)$/.test(pointer)
      if (!isSchema) continue
      const validate = ajv.compile({
        $ref: `document${pointer.split('/').map(encodeURIComponent).join('/').replace('%23', '#')}`,
      })
      const beside = pointer.endsWith('/schema') ? [at(pointer.slice(0, -'/schema'.length))['example']] : []
      for (const example of [...((value['examples'] as unknown[]) ?? []), value['example'], ...beside]) {
        if (example === undefined) continue
        examples++
        assert(validate(example), `${pointer}: ${JSON.stringify(validate.errors)}`)
      }
    }
    assert(examples > 50, String(examples))
  })
})

const locations = new Map(walk(document))
const at = (pointer: string): Json => locations.get(pointer) ?? {}
