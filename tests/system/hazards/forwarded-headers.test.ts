import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createRateLimits } from '../../../src/access/rate-limits.ts'
import { sendRaw, statusesIn } from '../../hazards/raw.ts'
import { DEFAULT_LIMITS, openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })
/** Its clock stands still. */
const rates = () => createRateLimits(t.db, { ...DEFAULT_LIMITS, pages: 1 }, { now: () => 0 })

/** Opens a page with these headers, in one connection each, and returns the statuses. */
async function opening(trustedProxies: number, requests: readonly string[][]): Promise<number[]> {
  const counting = rates()
  const node = await t.openNode({ trustedProxies, rates: () => counting })
  await node.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = node.app.server.address() as AddressInfo
  const statuses: number[] = []
  for (const headers of requests) {
    const lines = ['GET /docs/errors HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', '']
    statuses.push(...statusesIn(await sendRaw(port, lines.join('\r\n'), { timeout_ms: 30_000 })))
  }
  return statuses
}

const forwarded = (...entries: string[]) => entries.map((entry) => `X-Forwarded-For: ${entry}`)

describe('several X-Forwarded-For headers', () => {
  it('are one list, whose end the trusted proxy wrote', async () => {
    const requests = [
      forwarded('203.0.113.1', '203.0.113.9:51234'),
      forwarded('203.0.113.2', '203.0.113.3', '203.0.113.9:51235'),
      forwarded('203.0.113.9', '203.0.113.1'),
    ]
    assert.deepEqual(await opening(1, requests), [200, 429, 200])
  })

  it('are one list behind two proxies, too', async () => {
    const requests = [
      forwarded('203.0.113.1', '203.0.113.9:51234', '10.0.0.1'),
      forwarded('203.0.113.9', '10.0.0.2'),
      forwarded('203.0.113.9', '203.0.113.8, 10.0.0.2'),
    ]
    assert.deepEqual(await opening(2, requests), [200, 429, 200])
  })

  it('and Forwarded mean nothing without a trusted proxy', async () => {
    const requests = [forwarded('203.0.113.1'), forwarded('203.0.113.2'), ['Forwarded: for=203.0.113.3']]
    assert.deepEqual(await opening(0, requests), [200, 429, 429])
  })
})
