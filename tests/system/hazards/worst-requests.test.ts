import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestApp } from '../../support/app.ts'
import { dereferenced } from '../../../tools/dereferenced.ts'
import { ADMIN_KEYS } from '../../support/keys.ts'

const BODY_BYTES_MAX = 256 * 1024
/** Of a body; one with more is not read to its end. */
const VALUES_MAX = 5_000
/** Of the request line and the headers together; Node rejects more. */
const HEADER_BYTES = 15_000
const FIELD_ERRORS_MAX = 100
const PROBLEM_LENGTH_MAX = 128 * 1024

/** The longest time for which one request, whatever its content, may block all others. */
const STALL_MAX_MS = 100
const RESOLUTION_MS = 2
/** A stall of the program recurs at every attempt, one of a busy machine does not. */
const ATTEMPTS = 5
const RESPONSE_TIMEOUT_MS = 60_000
const MIB = 1024 * 1024
const GROWTH_MAX_BYTES = 400 * MIB

const t = await openTestApp({ own: true })
const platform = await t.platform()
const provider = await t.provider()
const user = await t.onboardedUser(platform)
await t.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = t.app.server.address() as AddressInfo

type Headers = Record<string, string>
type TestResponse = { status: number; text: string }
type Sending = { method: string; path: string; headers?: Headers; body?: string }

function send({ method, path, headers = {}, body }: Sending): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    const sent = httpRequest({ port, method, path, headers, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The longest time in ms during which nothing else could run. */
async function stallOf(work: () => unknown): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  await sleep(2 * RESOLUTION_MS) // delays are recorded between two ticks, so one must come before and one after
  await work()
  await sleep(2 * RESOLUTION_MS)
  delay.disable()
  return delay.max / 1e6
}

/** CPU time in ms that this thread has used. */
function threadCpu_ms(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function spin(cpu_ms: number): void {
  const start = threadCpu_ms()
  while (threadCpu_ms() - start < cpu_ms);
}

/**
 * Fails when this blocks the process for longer than `STALL_MAX_MS` of work takes on this machine at this moment. A
 * thread that used less CPU time was not blocked by its own work, but waited for a core.
 */
async function assertStallsNobody(work: () => Promise<unknown>, what: string): Promise<void> {
  const stalls: number[] = []
  while (stalls.length < ATTEMPTS) {
    const start = threadCpu_ms()
    const stall = await stallOf(work)
    if (stall < STALL_MAX_MS || threadCpu_ms() - start < STALL_MAX_MS) return
    if (stall < (await stallOf(() => spin(STALL_MAX_MS)))) return
    stalls.push(Math.round(stall))
  }
  assert.fail(`${what}: nothing else was done for ${stalls.join(', ')} ms`)
}

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
  examples?: unknown
}
type Operation = { location: string; sending: Sending; schema: Schema }
type Documented = {
  'x-callers': object
  security: object[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Every operation that reads JSON, called by an allowed caller. */
const operations: Operation[] = Object.entries(
  dereferenced(t.app.document() as unknown as { paths: Record<string, Record<string, Documented>> }).paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema) return []
    const address = path
      .replace('{user_id}', user.id)
      .replace('{language}', 'en')
      .replaceAll(/\{\w+\}/g, 'none')
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'key', ...credentialsFor(operation) }
    return { location: `${method} ${path}`, sending: { method: method.toUpperCase(), path: address, headers }, schema }
  }),
)

function credentialsFor({ 'x-callers': callers, security }: Documented): Headers {
  const [scheme] = security.flatMap(Object.keys)
  if (scheme === 'admin_key') return { 'admin-api-key': ADMIN_KEYS[0] as string }
  if (scheme === 'basic') return { authorization: `Basic ${platform.basicToken}` }
  if (scheme !== 'bearer') return {}
  const tokens = { user: user.token, platform: platform.token, provider: provider.token, owner: t.owner }
  const [token] = Object.entries(tokens).flatMap(([kind, of]) => (kind in callers ? [of] : []))
  assert(token, 'somebody may call it')
  return { authorization: `Bearer ${token}` }
}

/** The paths to each value that the schema describes. */
function* pathsIn(schema: Schema, path: string[] = []): Generator<[string[], Schema]> {
  yield [path, schema]
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* pathsIn(inner, path)
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* pathsIn(inner, [...path, name])
}

/** The bodies that every operation gets: written once, because that takes longer than to send one. */
const bodies = new Map<string, string>()

function bodyOf(kind: string): string {
  const textOf = OBJECTS[kind]
  assert(textOf)
  const body = bodies.get(kind) ?? bodyWith([], textOf)
  bodies.set(kind, body)
  return body
}

/** A body with this text at the location, as long as a body may be. */
function bodyWith(path: string[], textOf: (bytes: number) => string): string {
  const before = path.map((name) => `{${JSON.stringify(name)}:`).join('')
  return before + textOf(BODY_BYTES_MAX - before.length - path.length) + '}'.repeat(path.length)
}

function filled(bytes: number, [open, item, close]: [string, string, string]): string {
  const count = Math.min((bytes - open.length - close.length - item.length) / (item.length + 1), VALUES_MAX - 100)
  return `${open}${`${item},`.repeat(count)}${item}${close}`
}

const ARRAYS: Record<string, (bytes: number) => string> = {
  'empty objects': (bytes) => filled(bytes, ['[', '{}', ']']),
  numbers: (bytes) => filled(bytes, ['[', '1', ']']),
  'empty texts': (bytes) => filled(bytes, ['[', '""', ']']),
  'texts that cannot be stored': (bytes) => filled(bytes, ['[', '"\\u0000"', ']']),
  'equal long texts': (bytes) => filled(bytes, ['[', `"${'x'.repeat(5_300)}"`, ']']),
  'arrays within arrays': (bytes) => filled(bytes, ['[', `${'['.repeat(25)}${']'.repeat(25)}`, ']']),
  'objects of unknown members': (bytes) => filled(bytes, ['[', manyMembers(5_200, (n) => n.toString(36)), ']']),
}

function manyMembers(bytes: number, nameOf: (n: number) => string): string {
  const members: string[] = []
  for (let n = 0, left = bytes - 2; ; n++) {
    const member = `${JSON.stringify(nameOf(n))}:0`
    left -= member.length + 1
    if (left < 0 || n === VALUES_MAX) return `{${members.join(',')}}`
    members.push(member)
  }
}

const OBJECTS: Record<string, (bytes: number) => string> = {
  'unknown members': (bytes) => manyMembers(bytes, (n) => n.toString(36)),
  'unknown numbered members': (bytes) => manyMembers(bytes, (n) => String(n * 97_003)),
  'names that cannot be stored': (bytes) => manyMembers(bytes, (n) => `\0${n.toString(36)}`),
  'unknown long names': (bytes) => manyMembers(bytes, (n) => n.toString(36).padStart(2_500, 'x')),
  'errors below a long name': (bytes) =>
    `{"${'x'.repeat(bytes / 2)}":${filled(bytes / 2 - 10, ['[', '"\\u0000"', ']'])}}`,
  'one number of many digits': (bytes) => `{"x":0.${'1'.repeat(bytes - 8)}}`,
  'one name of many escapes': (bytes) => `{"${'\\u0061'.repeat((bytes - 8) / 6)}":0}`,
  'nothing but openings': (bytes) => `{"x":${'['.repeat(bytes - 5)}`,
  'an end that is no JSON': (bytes) => `{"x":"${'x'.repeat(bytes - 9)}"]`,
}

/** Texts that cause backtracking in a careless regular expression. */
const TEXTS: Record<string, (bytes: number) => string> = {
  blanks: (bytes) => `"${' '.repeat(bytes - 3)}x"`,
  digits: (bytes) => `"${'1'.repeat(bytes - 2)}"`,
  capitals: (bytes) => `"${'A_'.repeat(bytes / 2 - 2)}!"`,
  'an address of many parts': (bytes) => `"a@${'a.'.repeat(bytes / 2 - 4)}!"`,
  'an address of one long part': (bytes) => `"a@a.${'a'.repeat(bytes - 8)}!"`,
  'faces of four bytes': (bytes) => `"${'😀'.repeat(bytes / 4 - 2)}"`,
}

const withBody = ({ sending }: Operation, body: string, headers: Headers = {}): Sending => ({
  ...sending,
  headers: { ...sending.headers, ...headers },
  body,
})

/** Sends it, and checks the response against the limits. */
async function sendHarmless(sending: Sending, what: string): Promise<void> {
  assert(Buffer.byteLength(sending.body ?? '') <= BODY_BYTES_MAX, what)
  const { status, text } = await send(sending)
  assert(status >= 200 && status < 500, `${what}: ${status}`)
  assert(text.length <= PROBLEM_LENGTH_MAX, `${what}: a response of ${text.length} characters`)
  if (status === 422) assert(JSON.parse(text).errors.length <= FIELD_ERRORS_MAX, what)
}

/**
 * Sends them one after another, and checks the responses and their cost for others against the limits. Their stalls are measured
 * together, because most of a measurement is waiting; after a stall, each that has used the CPU for so long is measured alone.
 */
async function assertHarmless(sendings: [Sending, what: string][]): Promise<void> {
  const costly: typeof sendings = []
  const stall = await stallOf(async () => {
    for (const [sending, what] of sendings) {
      const start = threadCpu_ms()
      await sendHarmless(sending, what)
      if (threadCpu_ms() - start >= STALL_MAX_MS) costly.push([sending, what])
    }
  })
  if (stall < STALL_MAX_MS) return
  for (const [sending, what] of costly) await assertStallsNobody(() => sendHarmless(sending, what), what)
}

describe('the largest bodies, built to be as expensive as possible, block nobody', () => {
  const HANDLINGS: Headers[] = [{}, { prefer: 'handling=strict' }]

  const arrays = operations.flatMap((operation) =>
    [...pathsIn(operation.schema)].flatMap(([path, { type, maxItems }]) =>
      type === 'array' ? [{ operation, path, maxItems }] : [],
    ),
  )

  it('every array that is read has a maximum length', () => {
    assert(arrays.length >= 5)
    for (const { operation, path, maxItems } of arrays) assert(maxItems, `${operation.location} ${path.join('/')}`)
  })

  for (const { operation, path } of arrays) {
    it(`${operation.location}: ${path.join('/')}`, async () => {
      for (const [kind, textOf] of Object.entries(ARRAYS)) {
        const body = bodyWith(path, textOf)
        await assertHarmless(HANDLINGS.map((handling) => [withBody(operation, body, handling), kind]))
      }
    })
  }

  it('422 for an overlong array, without checking its items', async () => {
    let refused = 0
    for (const { operation, path } of arrays) {
      for (const kind of ['empty objects', 'numbers', 'texts that cannot be stored']) {
        const body = bodyWith(path, ARRAYS[kind] as (bytes: number) => string)
        const { status, text } = await send({ ...operation.sending, body })
        if (status === 404) continue // the record in the path is looked up before errors are reported
        const reported: { pointer: string; detail: string }[] = JSON.parse(text).errors
        const pointer = `/${path.join('/')}`
        const within = reported.filter((error) => error.pointer.startsWith(pointer))
        assert.deepEqual(within, [{ pointer, code: 'too_many', detail: within[0]?.detail }], operation.location)
        refused++
      }
    }
    assert(refused >= 12)
  })

  for (const operation of operations) {
    it(`${operation.location}: objects`, async () => {
      const strict = { prefer: 'handling=strict' }
      await assertHarmless(Object.keys(OBJECTS).map((kind) => [withBody(operation, bodyOf(kind), strict), kind]))
    })
  }

  /** One location for each rule of a string. */
  const texts = new Map(
    operations.flatMap((operation) =>
      [...pathsIn(operation.schema)].flatMap(([path, schema]) => {
        const { description: _description, examples: _examples, ...rule } = schema
        return schema.type === 'string' ? [[JSON.stringify(rule), { operation, path }] as const] : []
      }),
    ),
  )
  for (const { operation, path } of texts.values()) {
    it(`${operation.location}: ${path.join('/')}`, async () => {
      const sendings = Object.entries(TEXTS).map(([kind, textOf]): [Sending, string] => [
        withBody(operation, bodyWith(path, textOf)),
        kind,
      ])
      await assertHarmless(sendings)
    })
  }

  it('forms too', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', prefer: 'handling=strict' }
    const names = Array.from({ length: BODY_BYTES_MAX / 4 - 1 }, (_, index) => index.toString(36)).join('&')
    const inputs = ['&'.repeat(BODY_BYTES_MAX), '%'.repeat(BODY_BYTES_MAX), names.slice(0, BODY_BYTES_MAX)]
    await assertHarmless(
      inputs.map((body) => [{ method: 'POST', path: '/v1/oauth/token', headers, body }, body.slice(0, 10)]),
    )
  })

  it('many at once do not exhaust the memory', async () => {
    const first = arrays.find(({ operation }) => operation.location.endsWith('/insurance_policies'))
    assert(first)
    const body = bodyWith(first.path, ARRAYS['empty objects'] as (bytes: number) => string)
    const before = process.memoryUsage().rss
    const responses = await Promise.all(Array.from({ length: 24 }, () => send({ ...first.operation.sending, body })))
    const growth = process.memoryUsage().rss - before
    assert(responses.every(({ status }) => status === 422))
    assert(growth < GROWTH_MAX_BYTES, `${Math.round(growth / MIB)} MiB more`)
  })
})

describe('the longest headers and URLs block nobody', () => {
  const authorization = `Bearer ${platform.token}`
  const PARTS = [
    ',',
    ' ',
    ';',
    '"',
    'a,',
    '*,',
    'W/"a",',
    '*/*,',
    'a/b;q=0.1,',
    'handling = ',
    'handling=',
    '; charset ',
  ]

  for (const name of [
    'accept',
    'authorization',
    'content-type',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'prefer',
    'x-forwarded-for',
    'x-request-id',
  ]) {
    it(name, async () => {
      const sendings = PARTS.flatMap((part): [Sending, string][] => {
        const headers = {
          authorization,
          'content-type': 'application/json',
          [name]: part.repeat(HEADER_BYTES / part.length),
        }
        const patch = { method: 'PATCH', path: '/v1/sponsors/none', headers, body: '{"name":"N"}' }
        return [
          [{ method: 'GET', path: `/v1/users/${user.id}`, headers }, `GET ${part}`],
          [patch, `PATCH ${part}`],
        ]
      })
      await assertHarmless(sendings)
    })
  }

  it('many headers', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => [`x${index.toString(36)}`, ''])
    await assertHarmless([[{ method: 'GET', path: '/v1/sponsors', headers: Object.fromEntries(many) }, 'many']])
  })

  it('query strings', async () => {
    const parts = ['a&', '&', 'limit=1&', 'status=x&', 'status=ACTIVE&', '%', '%61=&', '=', '+', 'a[]=&', 'a.b.c=&']
    const sendings = parts.flatMap((part): [Sending, string][] => {
      const query = part.repeat(HEADER_BYTES / part.length)
      const sending = { method: 'GET', path: `/v1/sponsors?${query}`, headers: { authorization } }
      return [
        [sending, part],
        [{ ...sending, path: `/v1/platforms/none/credentials?${query}` }, part],
      ]
    })
    const names = Array.from({ length: 3_500 }, (_, index) => index.toString(36)).join('&')
    const named = { method: 'GET', path: `/v1/sponsors?${names}`, headers: { authorization } }
    await assertHarmless([...sendings, [named, 'many names']])
  })

  it('paths', async () => {
    const parts = ['/', 'a/', '%41', '..', '../../hazards/', ';', ':a', '*']
    await assertHarmless(
      parts.map((part) => [{ method: 'GET', path: `/${part.repeat(HEADER_BYTES / part.length)}` }, part]),
    )
  })
})
