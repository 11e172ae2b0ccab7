import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()
const platform = await t.platform()
const token = platform.token
const bearer = { authorization: `Bearer ${token}` }
const INPUT = { phone_country_code: '+91', phone_number: '9800000005' }
const BODY_BYTES_MAX = 256 * 1024

const post = (headers: Record<string, string>, body: unknown = INPUT) =>
  t.call('POST', '/v1/auth/token', { token, body, headers })

/** Sends a request that the contract check does not know. */
async function plain(method: string, url: string, headers: Record<string, string> = {}) {
  const response = await t.app.inject({ method: method as 'GET', url, headers })
  const isProblem = String(response.headers['content-type']).startsWith('application/problem+json')
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isProblem ? response.json() : undefined,
  }
}

describe('paths', () => {
  it('404 as a problem that does not repeat the path', async () => {
    for (const url of [
      '/nowhere-secret',
      '/v1/nowhere-secret?q=secret',
      '/v1/people',
      '/v1//platforms',
      '/V1/platforms',
      '/v1/platforms/',
      '/platforms',
    ]) {
      const { status, body, text, headers } = await plain('GET', url, bearer)
      assert.equal(status, 404, url)
      assert.equal(body.code, 'not_found')
      assert.match(
        body.detail,
        /^There is no such operation\. Paths begin with \/v1 or \/wallet\/v1 and have no trailing slash/,
      )
      assert.doesNotMatch(text, /secret|nowhere|platforms|GET/)
      assert.equal(headers['cache-control'], 'no-store')
    }
  })

  it('404 is identical for every path and method', async () => {
    const withoutRequestIds = async (method: string, url: string) => {
      const { instance: _instance, request_id: _id, ...rest } = (await plain(method, url)).body
      return rest
    }
    const first = await withoutRequestIds('GET', '/one')
    for (const method of ['POST', 'DELETE', 'OPTIONS'])
      assert.deepEqual(await withoutRequestIds(method, '/another/one'), first)
  })

  it('400 for U+0000 and invalid UTF-8 in the path, with nothing of the database in the response', async () => {
    for (const evil of ['%00', 'a%00b', '%ff', '%c0%80', '%ed%a0%80', '%zz', '%', '%f0%9f']) {
      for (const url of [`/v1/users/${evil}`, `/v1/sponsors/${evil}`, `/v1/users/012345678901/accounts/${evil}`]) {
        const { status, body, text, headers } = await plain('GET', url, bearer)
        assert.equal(status, 400, url)
        assert.equal(body.code, 'malformed_request')
        assert.equal(headers['cache-control'], 'no-store')
        assert.equal(headers['x-request-id'], body.request_id)
        assert.doesNotMatch(text, /utf|postgres|byte sequence|encoding/i)
      }
    }
    assert.equal((await plain('GET', '/v1/sponsors?status=%00', bearer)).status, 400)
  })

  it('404, not 400, for an encoded percent sign: it is text like any other', async () => {
    assert.equal((await plain('GET', '/v1/sponsors/%2500', bearer)).status, 404)
  })

  it('422 for control characters and 404 for any other unknown id', async () => {
    assert.equal((await t.call('GET', '/v1/sponsors/a%0Ab', { token })).status, 422)
    for (const id of ["'; drop table sponsors; --", '../platforms', '{sponsor_id}', 'आशा', 'a b', '*', '%']) {
      assert.equal((await plain('GET', `/v1/sponsors/${encodeURIComponent(id)}`, bearer)).status, 404, id)
    }
  })

  it('200 with spaces around a user id; 422 for anything else that is not 12 digits', async () => {
    const user = await t.user(platform)
    assert.equal((await plain('GET', `/v1/users/%20${user.id}%09%0A`, bearer)).status, 200)
    for (const id of [
      '1',
      '1234567890123',
      '12345678901a',
      '12345 678901',
      '+12345678901',
      '١٢٣٤٥٦٧٨٩٠١٢',
      '123456789012%20x',
    ]) {
      const { status, body } = await plain('GET', `/v1/users/${id.includes('%') ? id : encodeURIComponent(id)}`, bearer)
      assert.equal(status, 422, id)
      assert.deepEqual(
        body.errors.map((error: { pointer: string }) => error.pointer),
        ['path:user_id'],
      )
    }
  })

  it('422 for very long ids, and 401 without a token, as for short ones', async () => {
    for (const length of [101, 299, 301, 5_000]) {
      const url = `/v1/sponsors/${'x'.repeat(length)}`
      assert.equal((await plain('GET', url, bearer)).status, 422, String(length))
      assert.equal((await plain('GET', url)).status, 401, String(length))
    }
  })

  it('405 with Allow outside the interface too, and the body names no path', async () => {
    for (const url of [
      '/livez',
      '/docs',
      '/docs/partners/first-policy',
      '/openapi.json',
      '/.well-known/jwks.json',
      '/v1/oauth/token',
      '/v1/users/012345678901/dependants',
    ]) {
      const { status, body, headers } = await plain('PATCH', url)
      assert.equal(status, 405, url)
      assert.equal(headers.allow, url === '/v1/oauth/token' ? 'POST' : 'GET, HEAD')
      assert.doesNotMatch(JSON.stringify({ ...body, type: '' }), new RegExp(url))
    }
  })
})

describe('query', () => {
  it('422 reports every unknown parameter and every error of the known ones, all at once', async () => {
    const { status, body } = await t.call('GET', '/v1/sponsors?limit=0&offset=x&page=2&status=NONE&Limit=1', { token })
    assert.equal(status, 422)
    const errors = body.errors.map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`)
    assert.deepEqual(errors.toSorted(), [
      'query:Limit unknown',
      'query:limit too_small',
      'query:offset type',
      'query:page unknown',
      'query:status not_allowed',
    ])
    assert.match(
      body.errors.find((error: { pointer: string }) => error.pointer === 'query:status').detail,
      /PENDING, ACTIVE, INACTIVE/,
    )
  })

  it('422 on operations without parameters too', async () => {
    for (const [method, url] of [
      ['GET', `/v1/platforms/${platform.id}/credentials`],
      ['POST', '/v1/platforms'],
      ['DELETE', '/v1/benefits/bnf_missing'],
    ] as const) {
      const caller = method === 'GET' ? token : t.owner
      const response = await t.call(method, `${url}?x=1`, {
        token: caller,
        ...(method === 'POST' && { body: { name: 'N' } }),
      })
      assert.equal(response.status, method === 'DELETE' ? 404 : 422)
    }
    assert.deepEqual(await t.sql(`select 1 from platforms where name = 'N'`), [])
  })

  it('422 for numbers in any notation but plain digits', async () => {
    for (const limit of [
      '',
      '1e1',
      '0x10',
      '5.0',
      '%205',
      '+5',
      '٥',
      '1_0',
      '1&limit=2',
      '99999999999999999999',
      '-1',
      '101',
    ]) {
      assert.equal((await t.call('GET', `/v1/sponsors?limit=${limit}`, { token })).status, 422, limit)
    }
    assert.equal((await t.call('GET', '/v1/sponsors?limit=007', { token })).body.limit, 7)
  })

  it('422 for names that every JavaScript object has', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.equal((await t.call('GET', `/v1/sponsors?${name}=1`, { token })).status, 422, name)
    }
  })
})

describe('media types', () => {
  it('415 for charsets other than UTF-8', async () => {
    for (const charset of ['utf-16', 'utf-16le', 'UTF-16BE', 'latin1', 'iso-8859-1', 'us-ascii', '"utf-16"', 'utf-7']) {
      const response = await post({ 'content-type': `application/json; charset=${charset}` })
      assert.equal(response.status, 415, charset)
      assert.equal(response.body.code, 'unsupported_media_type')
    }
    const utf16 = Buffer.from(JSON.stringify(INPUT), 'utf16le')
    assert.equal((await post({ 'content-type': 'application/json; charset=utf-16le' }, utf16)).status, 415)
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'UTF8']) {
      assert.equal((await post({ 'content-type': `application/json; charset=${charset}` })).status, 200, charset)
    }
  })

  it('415 for any content encoding', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'x', 'gzip, identity', 'GZIP']) {
      assert.equal((await post({ 'content-encoding': encoding })).status, 415, encoding)
    }
    assert.equal((await post({ 'content-encoding': 'identity' })).status, 200)
  })

  it('201 for an empty body of any type where none is read, as curl -d sends it', async () => {
    const { id } = await t.platform()
    const url = `/v1/platforms/${id}/credentials`
    const types = ['text/plain', 'application/json', 'application/merge-patch+json', 'nonsense']
    for (const type of ['application/x-www-form-urlencoded', ...types]) {
      const headers = { 'content-type': type, 'content-length': '0' }
      const response = await t.call('POST', url, { token: t.owner, headers })
      assert.equal(response.status, 201, `${type} ${response.text}`)
    }
    const input = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await t.call('POST', url, { token: t.owner, body: 'a=b', headers: input })).status, 415)
  })

  it('415 for other media types, and for a missing one', async () => {
    const types = [
      'text/plain',
      'text/json',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'application/merge-patch+json', // of PATCH only
    ]
    for (const type of [...types, 'application/x-www-form-urlencoded', 'application/jsonx', 'json', '']) {
      assert.equal((await post({ 'content-type': type })).status, 415, type)
    }
    assert.equal((await post({ 'content-type': 'Application/JSON' })).status, 200)
  })

  it('406 when JSON is not acceptable', async () => {
    for (const accept of [
      'text/html',
      'application/xml',
      'image/*',
      'application/json;q=0',
      '*/*;q=0.0',
      'application/pdf, image/*',
    ]) {
      const response = await t.call('GET', '/v1/benefit_providers', { token, headers: { accept } })
      assert.equal(response.status, 406, accept)
    }
    const mixed = 'text/html, application/json;q=0.1'
    for (const accept of [
      '*/*',
      'application/*',
      'APPLICATION/JSON',
      mixed,
      'application/problem+json',
      'text/html, */*;q=0.8',
    ]) {
      const response = await t.call('GET', '/v1/benefit_providers', { token, headers: { accept } })
      assert.equal(response.status, 200, accept)
    }
  })

  it('406 writes nothing', async () => {
    const body = { name: 'Never made' }
    const response = await t.call('POST', '/v1/platforms', { token: t.owner, body, headers: { accept: 'text/html' } })
    assert.equal(response.status, 406)
    assert.deepEqual(await t.sql(`select 1 from platforms where name = 'Never made'`), [])
  })
})

describe('sizes', () => {
  const padded = (bytes: number) => {
    const input = JSON.stringify({ ...INPUT, padding: '' })
    return input.replace('"padding":""', `"padding":"${'x'.repeat(bytes - input.length)}"`)
  }

  it('200 for a body of 256 KiB, 413 for one byte more', async () => {
    assert.equal(Buffer.byteLength(padded(BODY_BYTES_MAX)), BODY_BYTES_MAX)
    assert.equal((await post({}, padded(BODY_BYTES_MAX))).status, 200)
    const response = await post({}, padded(BODY_BYTES_MAX + 1))
    assert.equal(response.status, 413)
    assert.equal(response.body.code, 'payload_too_large')
  })

  it('401 before 413: bodies of unauthenticated callers are not read', async () => {
    const response = await t.call('POST', '/v1/auth/token', { body: padded(BODY_BYTES_MAX + 1) })
    assert.equal(response.status, 401)
  })

  it('422 with at most a hundred errors, however many there are', async () => {
    const user = await t.user(platform)
    const questions = Array.from({ length: 100 }, () => ({ question: '', answer: 'no' }))
    const body = { benefit_id: '', plan_code: '', start_date: '', dependant_ids: [], questionnaire: { questions } }
    const response = await t.call('POST', `/v1/users/${user.id}/insurance_policies`, { token, body })
    assert.equal(response.status, 422)
    assert.equal(response.body.errors.length, 100)
  })
})

describe('every response', () => {
  it('has no-store, nosniff and a request id, the caller’s only when it is well formed', async () => {
    const url = '/v1/benefit_providers'
    for (const [sent, isTaken] of [
      ['request-0001_A', true],
      ['short', false],
      ['x'.repeat(65), false],
      ['asha@example.com', false],
      ['a b c d e f g', false],
    ] as const) {
      for (const headers of [{ 'x-request-id': sent }, { 'x-request-id': sent, ...bearer }]) {
        const response = await t.call('GET', url, { headers })
        assert.equal(response.headers['cache-control'], 'no-store')
        assert.equal(response.headers['x-content-type-options'], 'nosniff')
        assert.equal(response.headers['x-request-id'] === sent, isTaken, sent)
        if (response.status === 401) assert.equal(response.body.request_id, response.headers['x-request-id'])
      }
    }
  })

  it('422 describes the rule and never repeats the value', async () => {
    const user = await t.user(platform)
    const values = ['ravi@@example', '1875-02-30', 'UNKNOWN-GENDER', 'x'.repeat(201), '12-bank-34', 'IFSC-NOT']
    const [email, dob, gender, first_name, account_number, ifsc_code] = values
    const body = { email, dob, gender, first_name, bank_details: { account_number, ifsc_code } }
    const response = await t.call('POST', `/v1/users/${user.id}/complete_onboarding`, { token, body })
    assert.equal(response.status, 422)
    for (const value of values) assert(!response.text.includes(value), value)
  })
})
