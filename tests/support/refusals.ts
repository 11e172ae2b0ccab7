import assert from 'node:assert/strict'
import type { TestResponse } from './app.ts'

/** The errors of a 422 as `pointer code`, sorted. */
export function errorsOf(response: TestResponse): string[] {
  assert.equal(response.status, 422, response.text)
  assert.equal(response.body.code, 'validation_failed')
  return response.body.errors
    .map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    .toSorted()
}

/** Both are 404, and the foreign record and the missing one cannot be distinguished. */
export function assertSameNotFound(foreign: TestResponse, missing: TestResponse): void {
  assert.equal(foreign.status, 404, foreign.text)
  assertSameProblem(foreign, missing)
}

/** Two errors that nobody may tell apart: equal to the byte except for what names the request. */
export function assertSameProblem(one: TestResponse, other: TestResponse): void {
  assert.equal(one.status, other.status)
  assert.equal(withoutRequest(one), withoutRequest(other))
}

/** The body to the byte, except what names the request. */
function withoutRequest({ body, text }: TestResponse): string {
  return text.replaceAll(body.request_id, '')
}

/** Why a 409 `conflict` was returned: its reason, with the ids of what is in the way where there is some. */
export function conflictOf({ status, text, body }: TestResponse): string {
  assert.deepEqual([status, body.code], [409, 'conflict'], text)
  return [body.reason, ...(body.existing_ids ?? [])].join(' ')
}
