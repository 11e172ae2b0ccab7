import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { PERSONAL, startBusyServer } from '../../support/busy-server.ts'
import { startOtlpReceiver, type ReceivedSpan } from '../../support/otlp-receiver.ts'
import { openReceiver } from '../../support/receiver.ts'
import { eventually } from '../../support/server.ts'

const collector = await startOtlpReceiver()
const operator = await startOperatorDouble()
const receiver = await openReceiver()
const busy = await startBusyServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OPERATOR_URL: operator.url })
after(async () => {
  await busy.stop()
  operator.close()
  collector.close()
})
const { ids, made, workspace, send, server } = busy

/** An operator that provisions every wallet immediately, and records its callers. */
async function startOperatorDouble() {
  const calls: IncomingHttpHeaders[] = []
  const company = createServer((request, response) => {
    calls.push(request.headers)
    void json(request).then((body) => {
      const { reference } = body as { reference: string }
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ reference, status: 'ACTIVE', sequence: 1 }))
    })
  })
  company.listen(0, '127.0.0.1')
  await once(company, 'listening')
  const url = `http://127.0.0.1:${(company.address() as AddressInfo).port}`
  return { url, calls, close: () => company.close().closeAllConnections() }
}

const hex = (digit: string, length: number) => digit.repeat(length)
/** A partner's trace: its id, and the span that calls us. */
const traceOf = (digit: string) => ({ id: hex(digit, 32), span: hex(digit, 16) })
type Trace = ReturnType<typeof traceOf>
const headerOf = ({ id, span }: Trace, flags = '01') => ({
  traceparent: `00-${id}-${span}-${flags}`,
})

const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId)
/** Waits until a trace has spans of all these names: a collector gets them every few seconds. */
const spansNamed = async (traceId: string, names: string[]): Promise<ReceivedSpan[]> => {
  const isThere = (spans: ReceivedSpan[]) => names.every((name) => spans.some((span) => span.name === name))
  const spans = await eventually(async () => spansOf(traceId), isThere)
  return names.map((name) => spans.find((span) => span.name === name) ?? assert.fail())
}

/** Signs the user in to the wallet, as the README's tour does. */
async function signIn(): Promise<string> {
  const phone = { phone_country_code: '+91', phone_number: PERSONAL[2] }
  const asked = await made('POST', '/wallet/v1/auth/otp', { body: { platform_id: ids.platformId, ...phone } })
  const inbox = `${workspace.sandboxUrl}/sms/messages?to=${encodeURIComponent(`+91${PERSONAL[2]}`)}`
  type Inbox = { messages: { text: string }[] }
  const read = async () => (await (await fetch(inbox)).json()) as Inbox
  const { messages } = await eventually(read, (found) => found.messages.length > 0)
  const otp = messages.at(-1)?.text.slice(0, 6)
  const body = { challenge_id: asked.challenge_id, otp }
  return (await made('POST', '/wallet/v1/auth/otp/verify', { body })).access_token
}

/** The partners' traces of the tests below. */
const traces = {
  ofJob: traceOf('a'),
  logged: traceOf('b'),
  unrecorded: traceOf('c'),
  afterUnrecorded: traceOf('d'),
  unknownPath: traceOf('e'),
  concurrent: ['1', '2', '3', '4', '5', '6', '7', '8'].map(traceOf),
}

/** All requests are sent before the first test, because a collector gets the spans of five seconds at once. */
async function sendAll() {
  const endpoint = { url: `${receiver.url}/hook`, event_types: ['wallet.*'] }
  await made('POST', '/v1/webhook_endpoints', { token: ids.platform, body: endpoint })
  const token = await signIn()
  const sent = { token, headers: headerOf(traces.ofJob) }
  const { partner_wallet_id: wallet } = await made('POST', '/wallet/v1/wallet', sent)
  const status = () => made('GET', `/wallet/v1/wallet/${wallet}/status`, { token })
  await eventually(status, ({ wallet_status }) => wallet_status === 'COMPLETED')

  const list = (headers: Record<string, string>) => send('GET', '/v1/platforms', { token: busy.owner, headers })
  await list(headerOf(traces.logged))
  await list(headerOf(traces.unrecorded, '00'))
  await list(headerOf(traces.afterUnrecorded))
  const read = (path: string, trace: Trace) => send('GET', path, { token: ids.platform, headers: headerOf(trace) })
  await read(`/v1/users/${PERSONAL[2]}/${PERSONAL[1]}?name=${PERSONAL[0]}`, traces.unknownPath)
  return Promise.all(traces.concurrent.map((trace) => read(`/v1/users/${ids.userId}`, trace)))
}
const concurrentResponses = await sendAll()

describe('a request that starts a job', () => {
  const partner = traces.ofJob

  it('is one trace: the partner’s call, the statement, the job, the call to the operator, the webhook', async () => {
    const names = ['POST /wallet/v1/wallet', 'job provision-wallet', 'POST operator', 'webhook wallet.status_changed']
    const [request, job, call, webhook] = await spansNamed(partner.id, names)
    assert(request && job && call && webhook)
    assert.equal(request.parentId, partner.span)
    assert.equal(job.parentId, request.spanId)
    assert.equal(call.parentId, job.spanId)
    assert([request.spanId, job.spanId].includes(webhook.parentId), 'by whatever wrote the event')
    const statements = spansOf(partner.id).filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
    assert(statements.some(({ parentId }) => parentId === request.spanId))
    assert(statements.some(({ parentId }) => parentId === job.spanId))
    for (const { name } of statements) assert.match(name, /^[a-z]+(_[a-z]+)+$/, 'a name, never the text')
  })

  it('passes the trace to the operator and to the partner’s webhook', async () => {
    const [call] = await spansNamed(partner.id, ['POST operator'])
    const sent = operator.calls.map(({ traceparent }) => traceparent)
    assert(sent.includes(`00-${partner.id}-${call?.spanId}-01`), sent.join())
    const hasTrace = () => receiver.received.some(({ headers }) => String(headers['traceparent']).includes(partner.id))
    await eventually(async () => hasTrace(), Boolean)
  })

  it('records the outcome of each span: method, route, status', async () => {
    const [request, call] = await spansNamed(partner.id, ['POST /wallet/v1/wallet', 'POST operator'])
    assert.deepEqual(request?.attributes, {
      'http.request.method': 'POST',
      'http.route': '/wallet/v1/wallet',
      'http.response.status_code': 201,
    })
    assert.deepEqual(call?.attributes, { 'http.request.method': 'POST', 'http.response.status_code': 201 })
    assert.deepEqual([request.hasFailed, request.resource['service.name']], [false, 'banyan'])
  })
})

describe('the log', () => {
  it('has the trace and the span in each line of a request', async () => {
    const partner = traces.logged
    const [request] = await spansNamed(partner.id, ['GET /v1/platforms'])
    type Line = Record<string, unknown>
    const lines = (): Line[] =>
      server
        .output()
        .stderr.split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Line)
    const isOwn = (line: Line) => line['msg'] === 'request' && line['trace_id'] === partner.id
    const own = (
      await eventually(
        async () => lines(),
        (all) => all.some(isOwn),
      )
    ).find(isOwn)
    assert.deepEqual([own?.['span_id'], own?.['route'], own?.['status']], [request?.spanId, '/v1/platforms', 200])
  })
})

describe('concurrent callers', () => {
  it('have their statements in their own traces, including shared ones', async () => {
    assert(concurrentResponses.every(({ status }) => status === 200))
    for (const { id } of traces.concurrent) {
      const [request] = await spansNamed(id, ['GET /v1/users/:user_id'])
      const own = spansOf(id).filter(({ parentId }) => parentId === request?.spanId)
      assert(own.length >= 1, id)
      assert(own.every(({ attributes }) => attributes['db.system.name'] === 'postgresql'))
    }
  })
})

describe('exported spans', () => {
  it('exclude callers that do not record', async () => {
    await spansNamed(traces.afterUnrecorded.id, ['GET /v1/platforms'])
    assert.deepEqual(spansOf(traces.unrecorded.id), [])
  })

  it('include errors and unknown paths under the name of their route', async () => {
    const [request] = await spansNamed(traces.unknownPath.id, ['GET none'])
    assert.equal(request?.attributes['http.response.status_code'], 404)
  })

  it('contain no personal data, no token, no user id and no SQL', () => {
    const text = collector.text()
    assert(collector.spans.length > 50 && text.includes('POST /v1/users/:user_id/complete_onboarding'))
    for (const secret of [...PERSONAL, ids.userId, ids.platform, busy.owner]) assert(!text.includes(secret), secret)
    assert.doesNotMatch(text, /\b(select|insert into|update|returning) \w/)
    assert.doesNotMatch(text, /Bearer|127\.0\.0\.1|localhost/)
  })
})
