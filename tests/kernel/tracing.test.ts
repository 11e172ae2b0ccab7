import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { createBatches } from '../../src/kernel/batching/batches.ts'
import { startOtlpTracing } from '../../src/kernel/otlp-tracing.ts'
import {
  beginSpan,
  inChildSpan,
  inSpan,
  isTracing,
  parseTraceparent,
  recordedSpans,
  traceFields,
  traceHeaders,
  traceparent,
  within,
} from '../../src/kernel/tracing.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'

const receiver = await startOtlpReceiver()
after(() => receiver.close())
const lines: Record<string, unknown>[] = []
const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const sampled = `00-${TRACE}-${PARENT}-01`
const unsampled = `00-${TRACE}-${PARENT}-00`
const request = { name: 'GET /v1/things', kind: 'server', isForeign: true } as const

/** The spans that the collector gets for some work, in the order in which they ended. */
async function recorded(work: () => Promise<unknown>, settings: { ratio?: number; url?: string } = {}) {
  const from = receiver.spans.length
  const stop = startOtlpTracing({ url: receiver.url, ratio: 1, version: '1.2.3', log, ...settings })
  try {
    await work()
  } finally {
    await stop()
  }
  return receiver.spans.slice(from)
}

describe('without tracing', () => {
  it('work runs unchanged, and nothing is propagated', async () => {
    assert.equal(isTracing(), false)
    const seen = await inSpan({ ...request, parent: sampled }, async (span) => [span, traceparent(), traceHeaders()])
    assert.deepEqual(seen, [undefined, undefined, {}])
    assert.equal(await inChildSpan({ name: 'statement', kind: 'client' }, async () => 1), 1)
    assert.deepEqual([traceFields(), recordedSpans(), beginSpan(request)], [{}, [], undefined])
  })
})

describe('with tracing', () => {
  it('work is a child of the work around it, across awaits, and continues a caller’s trace', async () => {
    const spans = await recorded(() =>
      inSpan({ ...request, parent: sampled, attributes: { 'http.route': '/v1/things' } }, async (span) => {
        await Promise.resolve()
        await inChildSpan({ name: 'things_find', kind: 'client' }, () => new Promise((done) => setTimeout(done, 1)))
        assert.deepEqual(traceFields(), { trace_id: TRACE, span_id: span?.fields.span_id })
        assert.deepEqual(traceHeaders(), { traceparent: span?.traceparent })
        span?.set({ 'http.response.status_code': 200 })
      }),
    )
    const [statement, outer] = spans
    assert.deepEqual(
      [statement, outer].map((span) => [span?.name, span?.traceId, span?.kind, span?.hasFailed]),
      [
        ['things_find', TRACE, 3, false],
        ['GET /v1/things', TRACE, 2, false],
      ],
    )
    assert.deepEqual([statement?.parentId, outer?.parentId], [outer?.spanId, PARENT])
    assert.deepEqual(outer?.attributes, { 'http.route': '/v1/things', 'http.response.status_code': 200 })
    assert.deepEqual([outer.resource['service.name'], outer.resource['service.version']], ['banyan', '1.2.3'])
  })

  it('an error is reported by its type, never by its message', async () => {
    const failing = (error: Error) =>
      inSpan({ name: 'job', kind: 'consumer' }, () => Promise.reject(error)).catch(() => {})
    const spans = await recorded(async () => {
      await failing(Object.assign(new Error('Key (email)=(asha@example.com) already exists'), { code: '23505' }))
      await failing(new TypeError('asha@example.com is no number'))
    })
    assert.deepEqual(
      spans.map(({ hasFailed, attributes }) => [hasFailed, attributes]),
      [
        [true, { 'error.type': '23505' }],
        [true, { 'error.type': 'TypeError' }],
      ],
    )
    assert(!receiver.text().includes('asha'))
  })

  it('a statement is recorded only as part of a trace, so that polling creates none', async () => {
    const spans = await recorded(() => inChildSpan({ name: 'events_pending', kind: 'client' }, async () => 1))
    assert.deepEqual(spans, [])
  })

  it('a shared statement is in the trace of every call that shares it', async () => {
    const share = createBatches<number, { n: number }>((numbers) =>
      inChildSpan({ name: 'things_find_many', kind: 'client' }, async () =>
        numbers.map((_, index) => ({ n: index + 1 })),
      ),
    )
    const traceRequest = (number: number) => inSpan({ ...request, name: `caller ${number}` }, () => share(number))
    const spans = await recorded(() => Promise.all([1, 2, 3].map(traceRequest)))
    const statements = spans.filter(({ name }) => name === 'things_find_many')
    const callers = spans.filter(({ name }) => name.startsWith('caller'))
    assert.deepEqual(new Set(statements.map(({ parentId }) => parentId)), new Set(callers.map(({ spanId }) => spanId)))
    assert.equal(new Set(statements.map(({ traceId }) => traceId)).size, 3)
    for (const { attributes } of statements) assert.equal(attributes['banyan.shared_by'], 3)
  })
})

describe('sampling', () => {
  const traceRequest = (parent?: string) =>
    inSpan({ ...request, parent }, async (span) => span?.traceparent ?? assert.fail())

  it('is the program’s own choice: no caller can make it record more', async () => {
    const sent: string[] = []
    const spans = await recorded(async () => void sent.push(await traceRequest(), await traceRequest(sampled)), {
      ratio: 0,
    })
    assert.deepEqual(spans, [])
    assert(sent[1]?.startsWith(`00-${TRACE}-`) && sent[1].endsWith('-00'), 'the trace is handed on nevertheless')
  })

  it('follows a caller that does not record', async () => {
    const sent: string[] = []
    const spans = await recorded(async () => void sent.push(await traceRequest(unsampled)))
    assert.deepEqual(spans, [])
    assert.match(sent[0] ?? '', new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  })

  it('continues in a job whatever was started here, whatever the sampling ratio', async () => {
    const spans = await recorded(() => inSpan({ name: 'job', kind: 'consumer', parent: sampled }, async () => {}), {
      ratio: 0,
    })
    assert.deepEqual(
      spans.map(({ traceId, parentId }) => [traceId, parentId]),
      [[TRACE, PARENT]],
    )
  })

  it('starts a new trace for a malformed traceparent', async () => {
    const wrong = [
      '',
      'x',
      `ff-${TRACE}-${PARENT}-01`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `${sampled}-x`,
      sampled.toUpperCase(),
    ]
    for (const text of wrong) assert.equal(parseTraceparent(text), undefined, text)
    for (const text of [sampled, `cc-${TRACE}-${PARENT}-01-what-comes-later`, `00-${TRACE}-${PARENT}-03`])
      assert.deepEqual([parseTraceparent(text)?.traceId, parseTraceparent(text)?.spanId], [TRACE, PARENT], text)
    const spans = await recorded(() => traceRequest(`00-${TRACE}-${'0'.repeat(16)}-01`))
    assert.notEqual(spans[0]?.traceId, TRACE)
    assert.equal(spans[0]?.parentId, '')
  })
})

describe('an unreachable collector', () => {
  it('is reported once, without its URL; the work is done', async () => {
    lines.length = 0
    const work = async () => {
      for (let count = 0; count < 3; count++) await inSpan(request, async () => {})
    }
    await recorded(work, { url: 'http://127.0.0.1:1' })
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['spans could not be exported and are lost'],
    )
    assert(!JSON.stringify(lines).includes('127.0.0.1'))
  })
})

describe('after tracing ends', () => {
  it('nothing remains', async () => {
    await recorded(() => within([], async () => {}))
    assert.equal(isTracing(), false)
    assert.equal(traceparent(), undefined)
  })
})
