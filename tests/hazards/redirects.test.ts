import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSources } from '../support/sources.ts'

/** The text of a call, from its name to the bracket that closes it. */
function callAt(text: string, start: number): string {
  let depth = 0
  for (let index = text.indexOf('(', start); index < text.length; index++) {
    if (text[index] === '(') depth += 1
    if (text[index] === ')') depth -= 1
    if (depth === 0) return text.slice(start, index + 1)
  }
  return text.slice(start)
}

describe('what sends requests', () => {
  it('follows no redirect, which would take credentials and bodies along', () => {
    const calls = readSources('src', 'sandbox', 'client/src', 'dashboard/src').flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w.#/'"`])fetch\(/g)].map(({ index }) => ({ path, call: callAt(text, index) })),
    )
    assert(calls.length >= 7, 'they are found at all')
    const following = calls.filter(({ call }) => !/\bredirect: '(?:manual|error)'/.test(call))
    // Its options have a type that allows nothing else.
    assert.deepEqual(
      following.map(({ path }) => path),
      ['src/kernel/outbound/measured-call.ts'],
    )
    assert.match(
      readSources('src').find(({ path }) => path === following[0]?.path)?.text ?? '',
      /^ {2}redirect: 'manual'$/m,
    )
  })
})
