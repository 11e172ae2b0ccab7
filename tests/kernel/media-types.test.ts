import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContractCheck } from '../support/contract.ts'
import { dereferenced } from '../../tools/dereferenced.ts'
import { openPdfApp, pdfOf } from '../support/pdf-app.ts'

const { app, document: documented, watch } = await openPdfApp()
const document = dereferenced(documented)
const checkContract = createContractCheck(document)
const PDF = pdfOf(2_000)

type Sending = { headers?: Record<string, string>; body?: Buffer | string }

/** Sends a request and checks the response against the OpenAPI document. */
async function call(method: 'GET' | 'PUT' | 'POST', url: string, { headers = {}, body }: Sending = {}) {
  const injected = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) })
  const isJson = /json/.test(String(injected.headers['content-type']))
  const response = {
    status: injected.statusCode,
    body: isJson ? injected.json() : undefined,
    text: injected.body,
    bytes: injected.rawPayload,
    headers: injected.headers,
  }
  checkContract(method, url, response)
  return response
}

const put = (body: Buffer | string, headers: Record<string, string> = {}, url = '/documents/one') =>
  call('PUT', url, { body, headers: { 'content-type': 'application/pdf', ...headers } })

const errorsOf = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)

describe('an operation that reads a PDF', () => {
  it('200, and it returns exactly the bytes that were sent', async () => {
    const { status, body } = await put(PDF)
    assert.deepEqual([status, body], [200, { bytes: PDF.length }])
    const read = await call('GET', '/documents/one')
    assert.deepEqual([read.status, read.headers['content-type']], [200, 'application/pdf'])
    assert(read.bytes.equals(PDF))
  })

  it('200 with a parameter on the media type, in capitals, and with handling=strict', async () => {
    for (const headers of [
      { 'content-type': 'Application/PDF' },
      { 'content-type': 'application/pdf; version=1.7' },
      { 'content-type': 'application/pdf; charset=utf-8' },
      { 'content-encoding': 'identity' },
      { prefer: 'handling=strict' },
    ]) {
      const response = await put(PDF, headers)
      assert.equal(response.status, 200, JSON.stringify(headers))
    }
    assert.equal((await put(PDF, { prefer: 'handling=strict' })).headers['preference-applied'], 'handling=strict')
  })

  it('422 not_a_pdf for anything else, including an empty body', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('{}'), Buffer.alloc(2_000), PDF.subarray(0, -10)]) {
      const response = await put(bytes)
      assert.equal(response.status, 422)
      assert.deepEqual(errorsOf(response), [' not_a_pdf'])
    }
    assert((await call('GET', '/documents/one')).bytes.equals(PDF), 'what was there before stays')
  })

  it('422 required for a missing body, with every other error', async () => {
    const response = await call('PUT', '/documents/one?x=1')
    assert.equal(response.status, 422)
    assert.deepEqual(errorsOf(response).toSorted(), [' required', 'query:x unknown'])
  })

  it('404 for another owner’s record before any error of the body is reported', async () => {
    assert.equal((await call('PUT', '/documents/foreign')).status, 404)
  })

  it('415 for other media types, JSON included, for charsets and for encodings; the body is not read', async () => {
    watch.uploads.length = 0
    for (const [headers, body] of [
      [{ 'content-type': 'application/json' }, '{"name":"Asha"}'],
      [{ 'content-type': 'application/merge-patch+json' }, '{"name":"Asha"}'],
      [{ 'content-type': 'text/plain' }, PDF],
      [{ 'content-type': 'application/octet-stream' }, PDF],
      [{ 'content-type': 'application/x-pdf' }, PDF],
      [{ 'content-type': 'application/pdfx' }, PDF],
      [{ 'content-type': 'multipart/form-data; boundary=x' }, PDF],
      [{ 'content-type': '' }, PDF],
      [{ 'content-type': 'application/pdf; charset=utf-16' }, PDF],
      [{ 'content-type': 'application/pdf; charset="latin1"' }, PDF],
      [{ 'content-encoding': 'gzip' }, PDF],
      [{ 'content-encoding': 'br' }, PDF],
    ] as const) {
      const response = await put(body, headers)
      assert.deepEqual([response.status, response.body.code], [415, 'unsupported_media_type'], JSON.stringify(headers))
    }
    assert.deepEqual(watch.uploads, [])
  })

  it('406 when the caller does not accept the JSON response', async () => {
    watch.uploads.length = 0
    assert.equal((await put(PDF, { accept: 'application/pdf' })).status, 406)
    assert.deepEqual(watch.uploads, [])
  })
})

describe('an operation on the same path that reads JSON', () => {
  it('200 for JSON and 415 for a PDF', async () => {
    const headers = { 'content-type': 'application/json' }
    assert.equal((await call('POST', '/records', { headers, body: '{"name":"Asha"}' })).status, 200)
    const response = await call('POST', '/records', { headers: { 'content-type': 'application/pdf' }, body: PDF })
    assert.deepEqual([response.status, response.body.code], [415, 'unsupported_media_type'])
  })
})

describe('an operation that returns a PDF', () => {
  it('406 as JSON, and a problem is a problem whatever was requested', async () => {
    const asJson = await call('GET', '/documents/one', { headers: { accept: 'application/json' } })
    assert.deepEqual([asJson.status, asJson.body.detail], [406, 'Supported response types: application/pdf.'])
    const missing = await call('GET', '/documents/none', { headers: { accept: 'application/pdf' } })
    assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'])
  })
})

type Operation = {
  requestBody: { required: boolean; content: Record<string, object> }
  responses: Record<string, { description: string; content: Record<string, object> }>
}

describe('the OpenAPI document', () => {
  const paths = document['paths'] as Record<string, Record<string, Operation>>
  const operation = (path: string, method: string) => paths[path]?.[method] as Operation
  const upload = operation('/documents/{id}', 'put')
  const download = operation('/documents/{id}', 'get')
  const record = operation('/records', 'post')
  const file = { type: 'string', format: 'binary' }

  it('declares the body as a PDF, with an example', () => {
    const content = { 'application/pdf': { schema: file, example: '%PDF-1.7' } }
    assert.deepEqual(plain(upload.requestBody), { required: true, content })
  })

  it('declares the response as a PDF, and problems as JSON', () => {
    const { description, content } = plain(download.responses['200'])
    assert.deepEqual(
      { description, content },
      {
        description: 'The document',
        content: { 'application/pdf': { schema: file } },
      },
    )
    const problems = Object.entries(download.responses).filter(([status]) => status >= '400')
    assert(problems.length > 3)
    for (const [, { content }] of problems) assert.deepEqual(Object.keys(content), ['application/problem+json'])
  })

  it('lists 413 and 415 for a PDF as for JSON, and nothing about JSON where none is read', () => {
    const words = ({ responses }: Operation) => Object.values(responses).map(({ description }) => description)
    for (const each of [upload, record]) {
      for (const status of ['400', '406', '413', '415', '422', '500', '503']) assert(each.responses[status], status)
    }
    assert.match(String(upload.responses['413']?.description), /10 MiB for uploads/)
    assert(words(record).some((description) => description.includes('malformed_json')))
    assert(!words(upload).some((description) => description.includes('malformed_json')))
    assert(!words(download).some((description) => /malformed_json|payload_too_large/.test(description)))
  })
})

/** As serialised: without members that exist for the type only. */
const plain = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value))

describe('the contract check of responses', () => {
  const said = { 'x-request-id': 'req_test', 'content-disposition': 'attachment' }
  const headers = { ...said, 'content-type': 'application/pdf' }
  const response = { status: 200, body: undefined, text: 'bytes', headers }
  const check = (url: string, other: object = {}) => checkContract('GET', url, { ...response, ...other })

  it('accepts a PDF where one is documented, and only there', () => {
    check('/documents/one')
    assert.throws(
      () => checkContract('PUT', '/documents/one', response),
      /application\/pdf: the document does not have/,
    )
  })

  it('rejects JSON, HTML and a missing media type where a PDF is documented', () => {
    for (const type of ['application/json', 'text/html; charset=utf-8', undefined]) {
      assert.throws(() => check('/documents/one', { body: {}, headers: { 'content-type': type } }), /does not have/)
    }
  })

  it('checks both media types of one status', () => {
    const both = {
      'application/json': { schema: { type: 'object', properties: { result: { type: 'string' } } } },
      'text/html': { schema: { type: 'string', pattern: '^<!doctype html>' } },
    }
    const checkBoth = createContractCheck({ paths: { '/check': { get: { responses: { 200: { content: both } } } } } })
    const html = { status: 200, body: undefined, text: '<!doctype html>', headers: { 'content-type': 'text/html' } }
    const json = { status: 200, body: { result: 'valid' }, text: '', headers: { 'content-type': 'application/json' } }
    checkBoth('GET', '/check', html)
    checkBoth('GET', '/check', json)
    assert.throws(() => checkBoth('GET', '/check', { ...html, text: '{}' }), /must match pattern/)
    assert.throws(() => checkBoth('GET', '/check', { ...json, body: { more: 1 } }), /additional properties/)
  })
})
