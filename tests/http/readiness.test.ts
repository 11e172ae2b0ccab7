import assert from 'node:assert/strict'
import { setImmediate as settle } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { healthRoutes, READINESS_CACHE_MS } from '../../src/kernel/http/health.ts'
import { serveRoutes } from '../support/inject.ts'

/** The probes with a check that takes some time, its present state, and how often it was asked. */
function prepare(cache_ms: number) {
  const check = { asked: 0, database: 'ok' }
  const findReadiness = async () => {
    check.asked++
    await settle()
    return { database: check.database }
  }
  const app = serveRoutes((routes) => healthRoutes(routes, { findReadiness, cache_ms, config: { access: 'anyone' } }))
  const probe = async (url = '/readyz') => (await app.inject({ url })).statusCode
  return { check, probe }
}

describe('GET /readyz', () => {
  it('asks once for all probes of about a second, from wherever they come', async () => {
    assert(READINESS_CACHE_MS <= 1_000, 'a balancer asks every two seconds')
    const { check, probe } = prepare(60_000)
    const first = await Promise.all(Array.from({ length: 20 }, () => probe()))
    assert.deepEqual(new Set(first), new Set([200]))
    for (let again = 0; again < 20; again++) assert.equal(await probe(), 200)
    assert.equal(check.asked, 1)
  })

  it('asks again after that, and keeps no failure longer than a success', async () => {
    const { check, probe } = prepare(0)
    for (const [state, status] of [
      ['ok', 200],
      ['failed', 503],
      ['ok', 200],
    ] as const) {
      check.database = state
      assert.equal(await probe(), status)
    }
    assert.equal(check.asked, 3)
  })

  it('is nothing that /livez waits for', async () => {
    const { check, probe } = prepare(1_000)
    assert.equal(await probe('/livez'), 200)
    assert.equal(check.asked, 0)
  })
})
