import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, openTestApp, PLAN } from '../support/app.ts'

const t = await openTestApp()
const platform = await t.platform()

const PHONE = '"phone_country_code":"+91","phone_number":"9800000002"'
const JSON_HEADERS = { 'content-type': 'application/json' }

/** Requests a user's token with this body, byte for byte. */
const post = (body: string | Buffer, headers: Record<string, string> = JSON_HEADERS) =>
  t.call('POST', '/v1/auth/token', { token: platform.token, body, headers })

/** A body whose unknown member `x` is this text. */
const withUnknown = (text: string) => `{${PHONE},"x":${text}}`

async function refused(body: string | Buffer, code: string): Promise<string[]> {
  const response = await post(body)
  const what = String(body).slice(0, 60)
  assert.equal(response.body.code, code, what)
  assert.equal(response.status, code === 'malformed_json' ? 400 : 422, what)
  return (response.body.errors ?? []).map((error: { pointer: string }) => error.pointer)
}

async function assertNothingStored(): Promise<void> {
  assert.deepEqual(await t.sql('select user_id from users where platform_id = $1', [platform.id]), [])
}

describe('a body that is not a single JSON object', () => {
  it('400 malformed_json for other JSON values', async () => {
    for (const body of ['[]', '[{}]', '"text"', '12', 'true', 'null', `[{${PHONE}}]`])
      await refused(body, 'malformed_json')
    await assertNothingStored()
  })

  it('400 malformed_json for text that only resembles JSON', async () => {
    const bodies = ['{', '}', `{${PHONE}`, `{${PHONE},}`, `{${PHONE}}{}`, "{'a':1}", '{a:1}', `{${PHONE},"x":NaN}`]
    const others = [
      `\uFEFF\uFEFF{${PHONE}}`,
      `{\uFEFF${PHONE}}`,
      `{${PHONE},"x":01}`,
      `{${PHONE},"x":"\n"}`,
      `{${PHONE},"x":"\\x41"}`,
      '\u0000',
      ' ',
    ]
    for (const body of [...bodies, ...others]) await refused(body, 'malformed_json')
    await assertNothingStored()
  })

  it('200 behind a byte order mark, which is counted as bytes', async () => {
    const { token } = await t.platform()
    const request = { token, body: `\uFEFF{${PHONE}}`, headers: JSON_HEADERS }
    assert.equal((await t.call('POST', '/v1/auth/token', request)).status, 200)
    assert.match((await post('\uFEFF{x}')).body.detail, /at byte 4\./)
  })

  it('422 for a missing body', async () => {
    assert.deepEqual(await refused('', 'validation_failed'), [''])
  })

  it('400 malformed_json for a duplicate key, also nested and also escaped differently', async () => {
    const bodies = [
      `{${PHONE},"phone_number":"9800000003"}`,
      `{${PHONE},"phone_\\u006eumber":"9800000003"}`,
      `{${PHONE},"id_proof":{"number":"A","number":"B"}}`,
      withUnknown('[{"a":1},{"a":1,"b":[],"a":2}]'),
      withUnknown('{"a":{"b":1},"c":[1],"a":2}'),
      withUnknown('{"":1,"":2}'),
    ]
    for (const body of bodies) await refused(body, 'malformed_json')
    await assertNothingStored()
  })

  it('200 for equal keys in different objects, and for strings with keys, braces and numbers', async () => {
    const bodies = [
      withUnknown('[{"a":1},{"a":1},{"b":{"a":1}}]'),
      withUnknown('{"a":"\\",\\"a\\":1","b":"{[[[{","c":"1e999","d":"\\\\"}'),
      withUnknown('["x","x"]'),
    ]
    for (const body of bodies) assert.equal((await post(body)).status, 200, body)
  })
})

describe('the position of the error', () => {
  it('400 malformed_json gives the byte, not the character', async () => {
    const positions: [string | Buffer, number][] = [
      ['[]', 0],
      ['  true', 2],
      ['{"a":1,}', 7],
      ['{"a" 1}', 5],
      ['{"a":1', 6],
      ['{"a":"आशा"x}', 16],
      ['{"a":1}{}', 7],
      ['{"a":[1,2', 9],
      ['{"a":"\\x"}', 7],
      ['{"a":"\n"}', 6],
      ['{"a":01}', 5],
      ['{"a":tru}', 5],
      ['{"😀":1,"😀":2}', 10],
      ['{"a":[1,1e400]}', 8],
      [`{"a":${'['.repeat(40)}`, 36],
      [Buffer.concat([Buffer.from('{"a":"\uFFFDआ'), Buffer.from([0xc0, 0x80])]), 12],
    ]
    for (const [body, byte] of positions) {
      const response = await post(body)
      assert.equal(response.body.code, 'malformed_json', String(body))
      assert.match(response.body.detail, new RegExp(` at byte ${byte}\\.$`), String(body))
    }
  })
})

describe('depth', () => {
  const nested = (levels: number, [open, close]: [string, string]) => open.repeat(levels) + close.repeat(levels)

  it('200 at 32 levels, 400 at 33 and at a hundred thousand', async () => {
    for (const brackets of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as [string, string][]) {
      const innermost = brackets[0] === '[' ? '' : '1'
      const body = (levels: number) => withUnknown(nested(levels - 1, brackets).replace(':}', `:${innermost}}`))
      assert.equal((await post(body(32))).status, 200)
      await refused(body(33), 'malformed_json')
    }
    await refused(withUnknown(nested(100_000, ['[', ']'])), 'malformed_json')
  })
})

describe('numbers', () => {
  /** Numbers that a double represents only in part, or not at all. */
  const BEYOND_DIGITS = [
    '9007199254740991.5',
    '0.1000000000000000055',
    '0.1234567890123456789',
    '1e-400',
    '-1e-400',
    '4.9e-324',
    '1.00000000000000001',
    `0.${'3'.repeat(1_000)}`,
    `0.${'0'.repeat(400)}1`,
  ]

  it('400 malformed_json for every number that cannot be represented exactly', async () => {
    const numbers = [
      '9007199254740992',
      '-9007199254740992',
      '12345678901234567890',
      '1e400',
      '-1e400',
      '1E16',
      '1e308',
    ]
    for (const number of [...numbers, ...BEYOND_DIGITS]) await refused(withUnknown(number), 'malformed_json')
    for (const number of numbers) await refused(withUnknown(`[{"a":[${number}]}]`), 'malformed_json')
  })

  it('200 for all that can, in any notation', async () => {
    const largest = ['9007199254740991', '-9007199254740991', '2251799813685249.5', '0.1', '0.30000000000000004']
    const spellings = [
      '0',
      '-0',
      '0e400',
      '0.000',
      '1.10',
      '1e2',
      '1.5E+3',
      '100e-2',
      '12.50000000000000000000',
      '5e-324',
    ]
    for (const number of [...largest, ...spellings, `1.${'0'.repeat(1_000)}`]) {
      assert.equal((await post(withUnknown(number))).status, 200, number)
    }
  })

  it('422 where a string is required: numbers and booleans are not converted to strings, nor strings to numbers', async () => {
    const pointers = await refused(
      `{"phone_country_code":91,"phone_number":9800000004,"first_name":true,"last_name":false,"id_proof":{"number":12}}`,
      'validation_failed',
    )
    assert.deepEqual(pointers.toSorted(), [
      '/first_name',
      '/id_proof/number',
      '/last_name',
      '/phone_country_code',
      '/phone_number',
    ])
    const plan = { ...PLAN, term_months: '12' }
    const body = { name: 'Cover', benefit_provider_id: 'x', sponsor_id: 'y', plans: [plan] }
    const response = await t.call('POST', '/v1/benefits', { token: t.owner, body })
    assert.deepEqual(
      response.body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
      [['/plans/0/term_months', 'type']],
    )
  })
})

describe('text that cannot be stored as sent', () => {
  it('422 unstorable_text for U+0000 and for half a surrogate pair, in values and in names, at any depth', async () => {
    for (const evil of ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00', '\\udc00\\ud800', '\\ud83d']) {
      assert.deepEqual(await refused(`{${PHONE},"first_name":"${evil}"}`, 'validation_failed'), ['/first_name'])
      assert.deepEqual(await refused(withUnknown(`[{"a":["ok","${evil}"]}]`), 'validation_failed'), ['/x/0/a/1'])
      assert.deepEqual(await refused(withUnknown(`{"${evil}":1}`), 'validation_failed'), ['/x'])
    }
  })

  it('422 also in free-form objects of providers', async () => {
    const provider = await t.provider()
    const user = await t.onboardedUser(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, provider))
    const url = `/v1/users/${user.id}/insurance_policies/${policy}/status`
    for (const metadata of [{ note: '\0' }, { 'a\0': 1 }, { list: [{ note: 'x\0y' }] }]) {
      const body = { status: 'VERIFICATION', provider_metadata: metadata }
      const response = await t.call('PUT', url, { token: provider.token, body })
      assert.equal(response.status, 422)
      assert.equal(response.body.errors[0].code, 'unstorable_text')
    }
    const stored = await t.sql('select status, sealed from insurance_policies where policy_id = $1', [policy])
    assert.equal(stored[0]?.['status'], 'PENDING')
  })

  it('400 malformed_json for bytes that are not UTF-8', async () => {
    const bytes = [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f],
      [0xf4, 0x90, 0x80, 0x80],
      [0x80],
      [0xe2, 0x28, 0xa1],
    ]
    for (const evil of bytes) {
      const body = Buffer.concat([Buffer.from(`{${PHONE},"first_name":"`), Buffer.from(evil), Buffer.from('"}')])
      await refused(body, 'malformed_json')
    }
  })

  it('422 for control characters in single-line text', async () => {
    for (const evil of ['\\u0001', '\\n', '\\t', '\\r', '\\u001b', '\\u007f', '\\u0085', '\\u009f']) {
      assert.deepEqual(await refused(`{${PHONE},"first_name":"a${evil}b"}`, 'validation_failed'), ['/first_name'])
    }
  })

  it('200, and text comes back byte for byte: any script, composed or not, spaces and marks included', async () => {
    const texts = [
      'आशा उदाहरण',
      'ஆஷா',
      'আশা',
      'é',
      'e\u0301',
      '  Asha  ',
      '👩‍👩‍👧‍👦',
      'ﷺ',
      '\u200fעברית\u200e',
      'a\u00a0b',
      'ﬀ',
      '\uFEFFx',
    ]
    const odd = [
      '\uFFFD',
      '\uFFFF',
      '\u{10FFFF}',
      'a\u2028b',
      '"\\/',
      '<script>',
      "'; drop table users; --",
      '%00',
      '${1}',
    ]
    for (const [index, first_name] of [...texts, ...odd].entries()) {
      const user = await t.user(platform, { phone_number: `97000000${String(index).padStart(2, '0')}`, first_name })
      const { body } = await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })
      assert.deepEqual(Buffer.from(body.first_name), Buffer.from(first_name))
    }
  })

  it('200 for an address of empty strings: it must be present, not filled', async () => {
    const user = await t.user(platform, { address: { line1: '', city: '', state: '', country: '', pincode: '' } })
    const { body } = await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })
    assert.deepEqual(body.address, { line1: '', city: '', state: '', country: '', pincode: '' })
  })
})

describe('unknown members', () => {
  const sponsor = {
    name: 'Banyan Textiles',
    pan: 'AAACB1234C',
    address: { ...ADDRESS, planet: 'Earth' },
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com', fax: '1' },
    colour: 'green',
  }
  const body = JSON.stringify(sponsor).replace(
    /}$/,
    ',"__proto__":{"name":"polluted"},"constructor":{"prototype":{"x":1}}}',
  )
  const strictly = { prefer: 'handling=strict' }
  const create = (headers: Record<string, string>) =>
    t.call('POST', '/v1/sponsors', { token: platform.token, body, headers })

  it('201: they are ignored at every depth, and neither stored nor returned', async () => {
    const { status, body: record, headers } = await create({})
    assert.equal(status, 201)
    assert.deepEqual(record.address, ADDRESS)
    assert.deepEqual(Object.keys(record.sponsor_details).toSorted(), [
      'email',
      'first_name',
      'last_name',
      'phone',
      'sponsor_kind',
    ])
    assert.equal(record.name, 'Banyan Textiles')
    assert.equal(headers['preference-applied'], undefined)
    assert.equal(({} as Record<string, unknown>)['x'], undefined)
  })

  it('422 with `Prefer: handling=strict`: each is named', async () => {
    for (const prefer of ['handling=strict', 'respond-async, handling="strict"', 'Handling = Strict; wait=1']) {
      const before = await t.sql('select count(*) from sponsors')
      const response = await create({ prefer })
      assert.equal(response.status, 422, prefer)
      const errors = response.body.errors.map(
        (error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`,
      )
      assert.deepEqual(errors.toSorted(), [
        '/__proto__ unknown',
        '/address/planet unknown',
        '/colour unknown',
        '/constructor unknown',
        '/sponsor_details/fax unknown',
      ])
      assert.deepEqual(await t.sql('select count(*) from sponsors'), before)
    }
  })

  it('201 with `Prefer: handling=strict` and known members only, and the response confirms that it was applied', async () => {
    const known = {
      ...sponsor,
      address: ADDRESS,
      sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
    }
    const { colour: _colour, ...input } = known
    const response = await t.call('POST', '/v1/sponsors', { token: platform.token, body: input, headers: strictly })
    assert.equal(response.status, 201)
    assert.equal(response.headers['preference-applied'], 'handling=strict')
  })

  it('422 with strict handling still accepts anything in free-form objects', async () => {
    const provider = await t.provider()
    const user = await t.onboardedUser(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, provider))
    const url = `/v1/users/${user.id}/insurance_policies/${policy}/status`
    const transition = { status: 'VERIFICATION', provider_metadata: { anything: { at: ['all', 1, null] } } }
    const response = await t.call('PUT', url, { token: provider.token, body: transition, headers: strictly })
    assert.equal(response.status, 200)
    const { body: record } = await t.call('GET', url.replace('/status', ''), { token: platform.token })
    assert.deepEqual(record.metadata.provider_metadata, transition.provider_metadata)
  })
})
