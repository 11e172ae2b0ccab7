import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, beforeEach, describe, it } from 'node:test'
import { createIdentityProvider } from '../../src/domains/administration/administrators/index.ts'
import { onCallDone } from '../../src/kernel/outbound/measured-call.ts'
import { type Span, startTracing } from '../../src/kernel/tracing.ts'
import { startIdentityProviderDouble } from '../support/identity-provider-double.ts'
import { freePorts } from '../support/server.ts'
import { s3StorageAt } from './s3-storage-at.ts'
import { inPieces, read } from './storage-contract.ts'

/** The calls as a dashboard counts them, and the spans as a collector gets them. */
let calls: string[] = []
let spans: string[] = []

const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`

let stop: () => void
beforeEach(() => {
  const [counted, traced]: [string[], string[]] = [[], []]
  ;[calls, spans] = [counted, traced]
  const stopCalls = onCallDone(({ company, outcome, duration_ms }) => {
    assert(duration_ms >= 0)
    counted.push(`${company} ${outcome}`)
  })
  const stopTracing = startTracing(({ name, kind, attributes = {} }): Span => {
    const set = { ...attributes }
    const end = () => void traced.push(`${kind} ${name} ${String(set['http.response.status_code'] ?? set['error'])}`)
    const fields = { trace_id: '1'.repeat(32), span_id: '2'.repeat(16) }
    const fail = (error: string) => void Object.assign(set, { error })
    return {
      isRecorded: true,
      traceparent: TRACEPARENT,
      fields,
      set: (more) => void Object.assign(set, more),
      fail,
      end,
    }
  })
  stop = () => {
    stopCalls()
    stopTracing()
  }
})
afterEach(() => stop())

let respond: (response: ServerResponse, method: string) => void = (response) => void response.end()
const bucket = createServer((request, response) => {
  request.resume().on('end', () => respond(response, request.method ?? ''))
}).listen(0, '127.0.0.1')
await once(bucket, 'listening')
after(async () => {
  bucket.closeAllConnections()
  await once(bucket.close(), 'close')
})

const { port: bucketPort } = bucket.address() as AddressInfo

const missing = (response: ServerResponse) =>
  void response.writeHead(404).end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>')

describe('calls to the object storage', () => {
  it('are counted and traced by the class of their status, without the key of the file', async () => {
    const storage = await s3StorageAt(bucketPort)
    respond = (response, method) => (method === 'GET' ? response.end('stored') : response.end())
    await storage.put('a/b', inPieces(Buffer.from('stored')))
    assert.equal(String(await read(storage, 'a/b')), 'stored')
    await storage.delete('a/b')
    respond = missing
    assert.equal(await storage.get('a/b'), undefined)
    assert.deepEqual(calls, [...Array<string>(3).fill('object_storage 2xx'), 'object_storage 4xx'])
    assert.deepEqual(spans, [
      'client PUT object_storage 200',
      'client GET object_storage 200',
      'client DELETE object_storage 200',
      'client GET object_storage 404',
    ])
  })

  it('are counted one by one where a call is repeated', async () => {
    let left = 2
    respond = (response) => void response.writeHead(left-- > 0 ? 503 : 200).end()
    await (await s3StorageAt(bucketPort)).put('a/b', inPieces(Buffer.from('stored')))
    assert.deepEqual(calls, ['object_storage 5xx', 'object_storage 5xx', 'object_storage 2xx'])
  })

  it('are timeouts when it is silent, and have no response when it is not there', async () => {
    respond = () => {}
    await assert.rejects((await s3StorageAt(bucketPort, 200)).delete('a/b'))
    assert.deepEqual(calls, Array(3).fill('object_storage timeout'))
    calls.length = 0
    const [port] = await freePorts(1)
    await assert.rejects((await s3StorageAt(port as number)).delete('a/b'))
    assert.deepEqual(calls, Array(3).fill('object_storage no_response'))
    assert.match(spans.at(-1) ?? '', /^client DELETE object_storage ECONNREFUSED$/)
  })
})

const double = await startIdentityProviderDouble()

const providerAt = (issuer: string) =>
  createIdentityProvider({
    issuer,
    clientId: 'banyan',
    clientSecret: 'secret',
    scope: 'openid',
    roleClaim: 'roles',
    requiredAcr: [],
    callbackUrl: 'http://banyan.test/v1/auth/oidc/callback',
  })

describe('calls to the identity provider', () => {
  it('are counted and traced: its metadata, the code, its keys and the user info', async () => {
    double.behave({ claims: { roles: undefined } })
    const provider = providerAt(double.issuer)
    const { url, flow } = await provider.begin()
    const { headers } = await fetch(url, { redirect: 'manual' })
    await provider.finish(new URL(headers.get('location') ?? ''), flow)
    assert.deepEqual(calls, Array(4).fill('identity_provider 2xx'))
    const [get, post] = ['client GET identity_provider 200', 'client POST identity_provider 200']
    assert.deepEqual(spans.toSorted(), [get, get, get, post])
  })

  it('are counted when it refuses a code', async () => {
    double.behave({ tokenStatus: 503 })
    const provider = providerAt(double.issuer)
    const { url, flow } = await provider.begin()
    const { headers } = await fetch(url, { redirect: 'manual' })
    await assert.rejects(provider.finish(new URL(headers.get('location') ?? ''), flow))
    assert.deepEqual(calls, ['identity_provider 2xx', 'identity_provider 5xx'])
  })

  it('have no response when it is not there', async () => {
    const [port] = await freePorts(1)
    await assert.rejects(providerAt(`http://localhost:${port}`).begin())
    assert.deepEqual(calls, ['identity_provider no_response'])
  })
})
