import assert from 'node:assert/strict'
import type { TestResponse } from '../support/app.ts'

const EXPOSED = 'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotent-Replayed'

/** What a response says about other origins. */
export const corsOf = ({ headers }: Pick<TestResponse, 'headers'>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('access-control-')))

/** The page may read the response, and what is exposed of its headers. */
export function assertReadable(response: TestResponse, origin: string): void {
  assert.deepEqual(corsOf(response), {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
  })
  assert.match(response.headers['vary'] ?? '', /^Origin\b/)
}

export function assertHidden(response: TestResponse): void {
  assert.deepEqual(corsOf(response), {})
  assert.match(response.headers['vary'] ?? '', /^Origin\b/)
}
