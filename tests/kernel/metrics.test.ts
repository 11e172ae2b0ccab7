import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { createMetrics, serveMetrics } from '../../src/kernel/metrics.ts'
import { readMetrics, valueOf } from '../support/metrics-page.ts'

const metrics = createMetrics()
const deliveryGivenUp = metrics.counter('webhook_deliveries_given_up_total', 'Given up')
const server = await serveMetrics(metrics.page, { host: '127.0.0.1', port: 0 })
after(() => server.close().closeAllConnections())
const read = () => readMetrics(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)

describe('gauges read at a scrape', () => {
  it('have no value when they cannot be read, and never the previous one', async () => {
    const state = { fails: false }
    metrics.watch(
      { test_lag_seconds: { help: 'A lag', labels: ['queue'] }, test_waiting: { help: 'A number' } },
      async () => {
        if (state.fails) throw new Error('the database is away')
        return { test_lag_seconds: [{ labels: { queue: 'one' }, value: 2 }], test_waiting: 3 }
      },
    )
    const before = await read()
    assert.deepEqual([valueOf(before, 'test_lag_seconds', { queue: 'one' }), valueOf(before, 'test_waiting')], [2, 3])
    state.fails = true
    const during = await read()
    assert.deepEqual([valueOf(during, 'test_lag_seconds'), valueOf(during, 'test_waiting')], [undefined, undefined])
    assert.equal(valueOf(during, 'webhook_deliveries_given_up_total'), 0, 'the rest of the page is there')
    assert.equal(during.types.get('test_lag_seconds'), 'gauge')
    state.fails = false
    assert.equal(valueOf(await read(), 'test_waiting'), 3)
  })

  it('are removed when nobody watches any more', async () => {
    const unwatch = metrics.watch({ test_gone: { help: 'A number' } }, () => ({ test_gone: 1 }))
    assert.equal(valueOf(await read(), 'test_gone'), 1)
    unwatch()
    assert(!(await read()).types.has('test_gone'))
  })
})

describe('counters and timers', () => {
  it('go on where they were when the part of the program that has them starts again', async () => {
    for (const done of [metrics.counter('test_done_total', 'Done'), metrics.counter('test_done_total', 'Done')]) done()
    const times = () => metrics.timer('test_seconds', 'Takes')
    for (const took of [times(), times()]) took({ outcome: 'ok', duration_ms: 1 })
    const page = await read()
    assert.equal(valueOf(page, 'test_done_total'), 2)
    assert.equal(valueOf(page, 'test_seconds_count', { outcome: 'ok' }), 2)
  })

  it('are reported in seconds, in buckets, by class of status', async () => {
    for (const [status, duration_ms] of [
      [200, 250],
      [204, 750],
      [503, 4],
    ] as const)
      metrics.requestDone({ method: 'GET', route: '/v1/users/:user_id', status, duration_ms })
    const page = await read()
    const ok = { route: '/v1/users/:user_id', status_class: '2xx' }
    assert.equal(valueOf(page, 'http_request_duration_seconds_sum', ok), 1)
    assert.equal(valueOf(page, 'http_request_duration_seconds_bucket', { ...ok, le: '0.25' }), 1)
    assert.equal(valueOf(page, 'http_request_duration_seconds_bucket', { ...ok, le: '+Inf' }), 2)
    assert.equal(valueOf(page, 'http_request_duration_seconds_count', { ...ok, status_class: '5xx' }), 1)
  })

  it('count what a domain registers', async () => {
    deliveryGivenUp()
    assert.equal(valueOf(await read(), 'webhook_deliveries_given_up_total'), 1)
  })
})
