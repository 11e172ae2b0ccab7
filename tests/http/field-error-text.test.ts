import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FIELD_ERROR_CODES } from '../../src/kernel/field-error-codes.ts'
import { openApiDocument } from '../../tools/openapi-document.ts'
import { openTestApp } from '../support/app.ts'
import { dereferenced } from '../../tools/dereferenced.ts'

type Json = Record<string, unknown>
type Operation = { operationId: string; parameters?: Json[]; requestBody?: { content: Record<string, Json> } }

const { paths } = dereferenced(await openApiDocument()) as unknown as {
  paths: Record<string, Record<string, Operation>>
}

/** Every location of every request that requires a format, with its error text. */
const inputs = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, parameters = [], requestBody }) => [
    ...formsIn(parameters, `${operationId} parameters`),
    ...formsIn(requestBody?.content['application/json']?.['schema'], `${operationId} body`),
  ])

function formsIn(value: unknown, location: string): { location: string; schema: Json }[] {
  if (value === null || typeof value !== 'object') return []
  const schema = value as Json
  const isNumber = schema['type'] === 'integer' || schema['type'] === 'number' // its format is a width
  const isPatterned =
    !isNumber && ['pattern', 'format', 'x-dayRange'].some((keyword) => typeof schema[keyword] === 'string')
  return [
    ...(isPatterned ? [{ location, schema }] : []),
    ...Object.entries(schema).flatMap(([key, inner]) => formsIn(inner, `${location}/${key}`)),
  ]
}

describe('the error text of a malformed field', () => {
  it('exists for every pattern and format of every request: what is wrong and how to fix it, in a sentence', () => {
    assert(inputs.length > 100)
    for (const { location, schema } of inputs) {
      assert.match(String(schema['x-words']), /^[A-Z].{20,}\.$/, `${location} has no words of its own`)
      assert.doesNotMatch(String(schema['x-words']), /form it must have|invalid|wrong/i, location)
    }
  })

  it('is the same wherever the pattern is the same', () => {
    const byPattern = Map.groupBy(inputs, ({ schema }) => schema['pattern'])
    for (const [pattern, locations] of byPattern) {
      if (typeof pattern !== 'string') continue
      assert.equal(new Set(locations.map(({ schema }) => schema['x-words'])).size, 1, pattern)
    }
  })
})

describe('an error', async () => {
  const t = await openTestApp()
  const platform = await t.platform()

  const detailOf = async (url: string, body: object, pointer: string, headers = {}) => {
    const response = await t.call('POST', url, { token: platform.token, body, headers })
    assert.equal(response.status, 422, response.text)
    const error = response.body.errors.find((one: { pointer: string }) => one.pointer === pointer)
    assert(error, response.text)
    assert(
      FIELD_ERROR_CODES.some((code) => code === error.code),
      error.code,
    )
    return error.detail
  }

  it('422 explains a PAN, a dial code, a phone number and a date', async () => {
    assert.equal(
      await detailOf('/v1/sponsors', { pan: 'aaapl1234c' }, '/pan'),
      'A PAN is five capital letters, four digits and a capital letter, such as AAAPL1234C.',
    )
    const phone = { phone_country_code: '91', phone_number: '98-76', dob: '2026-02-30' }
    assert.match(
      await detailOf('/v1/auth/token', phone, '/phone_country_code'),
      /a plus and 1 to 4 digits.*such as \+91/,
    )
    assert.match(await detailOf('/v1/auth/token', phone, '/phone_number'), /4 to 14 digits without.*hyphens/)
    assert.match(await detailOf('/v1/auth/token', phone, '/dob'), /valid date, YYYY-MM-DD, from 1900-01-01 to today/)
  })

  it('422 distinguishes a control character from an empty text and from one that is too long', async () => {
    const named = (name: string) => detailOf('/v1/sponsors', { name }, '/name')
    assert.match(await named('a\tb'), /control characters/)
    assert.equal(await named(''), 'Must have at least 1 character.')
    assert.equal(await named('x'.repeat(201)), 'Must have at most 200 characters.')
  })

  it('422 states what is missing, and the required type', async () => {
    assert.equal(await detailOf('/v1/sponsors', {}, '/pan'), 'Required.')
    assert.equal(await detailOf('/v1/sponsors', { pan: 5 }, '/pan'), 'Must be a string.')
    assert.equal(await detailOf('/v1/sponsors', { address: [] }, '/address'), 'Must be an object.')
  })

  it('422 validates the sponsor by its kind, and reports a wrong kind once', async () => {
    const reported = async (sponsor_details: object) => {
      const { body } = await t.call('POST', '/v1/sponsors', { token: platform.token, body: { sponsor_details } })
      const errors = body.errors as { pointer: string; code: string }[]
      return errors
        .filter(({ pointer }) => pointer.startsWith('/sponsor_details'))
        .map(({ pointer, code }) => `${pointer} ${code}`)
    }
    assert.deepEqual(await reported({ sponsor_kind: 'INDIVIDUAL', first_name: 'Asha' }), [
      '/sponsor_details/last_name required',
    ])
    assert.deepEqual(await reported({ sponsor_kind: 'ORGANISATION', first_name: 'Asha' }), [
      '/sponsor_details required',
    ])
    assert.deepEqual(await reported({ sponsor_kind: 'TRUST', first_name: 5 }), [
      '/sponsor_details/sponsor_kind not_allowed',
    ])
    assert.deepEqual(await reported({ sponsor_kind: 5 }), ['/sponsor_details/sponsor_kind type'])
    assert.deepEqual(await reported({}), ['/sponsor_details/sponsor_kind required'])
  })

  it('422 with Prefer: handling=strict still knows the members of each kind', async () => {
    const sponsor_details = { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', telex: '1' }
    const call = { token: platform.token, body: { sponsor_details }, headers: { prefer: 'handling=strict' } }
    const { body } = await t.call('POST', '/v1/sponsors', call)
    const inside = body.errors.filter(({ pointer }: { pointer: string }) => pointer.startsWith('/sponsor_details'))
    assert.deepEqual(inside, [
      { pointer: '/sponsor_details/telex', code: 'unknown', detail: 'Unknown name. Check the spelling, or remove it.' },
    ])
  })
})
