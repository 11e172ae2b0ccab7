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

/** Both are 404, and another owner's record and the missing one cannot be distinguished. */
export function assertSameNotFound(foreign: TestResponse, missing: TestResponse): void {
  assert.equal(foreign.status, 404, foreign.text)
  assertSameProblem(foreign, missing)
}

/** Two errors that must be indistinguishable: identical byte for byte except for the request id. */
export function assertSameProblem(one: TestResponse, other: TestResponse): void {
  assert.equal(one.status, other.status)
  assert.equal(withoutRequest(one), withoutRequest(other))
}

/** The body byte for byte, except the request id. */
function withoutRequest({ body, text }: TestResponse): string {
  return text.replaceAll(body.request_id, '')
}

/** The reason of a 409 `conflict`, with the ids of the conflicting records where there are any. */
export function conflictOf({ status, text, body }: TestResponse): string {
  assert.deepEqual([status, body.code], [409, 'conflict'], text)
  return [body.reason, ...(body.existing_ids ?? [])].join(' ')
}
