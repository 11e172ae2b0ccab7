import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { readText } from '../support/sources.ts'
import { writtenOperations } from './written-operations.ts'

/** Not part of the operation: the relay's notification is sent beside it, revocations are read on a timer. */
const BESIDE = ['events_notify', 'revocations_read']

const TABLE = 'docs/decisions/0016-round-trips.md'
const ROW = /^\| `((?:POST|PUT|PATCH|DELETE) [^`]+)` \| (?:\d+|–) \| (\d+) \|/gm

const t = await openTestApp()
const promised = new Map([...readText(TABLE).matchAll(ROW)].map(([, name = '', after]) => [name, Number(after)]))
const operations = await writtenOperations(t)

describe(`the round trips of ${TABLE}`, () => {
  it('are listed for every operation that writes, and for no other', () => {
    assert.deepEqual([...promised.keys()].toSorted(), operations.map(({ name }) => name).toSorted())
    const { paths } = JSON.parse(readText('openapi.json')) as { paths: Record<string, object> }
    const written = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => /^(post|put|patch|delete)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${shortOf(path)}`),
    )
    const reported = new Set([...promised.keys()].map((name) => name.replace(/ \(.*\)$/, '')))
    assert.deepEqual(
      written.filter((name) => !reported.has(name) && !READS.includes(name)),
      [],
    )
  })

  for (const { name, call } of operations) {
    it(name, async () => {
      t.sent.length = 0
      const { status, text } = await call()
      assert(status < 300, text)
      const sent = t.sent.filter((statement) => !BESIDE.includes(statement))
      assert.equal(sent.length, promised.get(name), sent.join(', '))
    })
  }
})

/** POST because of its input, not because of an effect. */
const READS = ['POST /v1/oauth/token', 'POST /v1/users/search', 'POST /v1/auth/session/token']

/** Both owners of credentials have the same operations, and a card is a document. */
function shortOf(path: string): string {
  return path
    .replace('/benefit_providers/{benefit_provider_id}/credentials', '/platforms/{id}/credentials')
    .replace('health_card/{member_id}', '{document_type}')
    .replace('{document_type}', '{type}')
    .replaceAll(/\{\w+_id\}/g, '{id}')
}
