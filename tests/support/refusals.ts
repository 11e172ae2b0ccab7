import assert from 'node:assert/strict'
import type { Answer } from './app.ts'

/** What a 422 complains of, as sorted `pointer code` lines; fails when the answer is not one. */
export function faultsOf(answer: Answer): string[] {
  assert.equal(answer.status, 422, answer.text)
  assert.equal(answer.body.code, 'validation_failed')
  const faults = answer.body.errors as { pointer: string; code: string; detail: string }[]
  return faults.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()
}

/** Two refusals that nobody may tell apart: equal to the byte save for what names the request. */
export function assertSameRefusal(one: Answer, other: Answer): void {
  assert.equal(one.status, other.status)
  assert.equal(withoutRequest(one), withoutRequest(other))
}

const withoutRequest = ({ body, text }: Answer) => text.replaceAll(String(body.request_id), '')
