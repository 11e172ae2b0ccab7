import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { readText } from '../../support/sources.ts'
import { writtenOperations } from '../../record/written-operations.ts'

type Entry = {
  actor: string
  operation: string
  action: string
  subject: string | null
  user_id: string | null
  request_id: string
}

/** Writes that find everything in the requested state and change nothing. */
const UNCHANGED = ['POST /v1/auth/token (known user)', 'POST /wallet/v1/wallet (existing)']
/** A user signs in, stays signed in or signs out: only the session's own row changes. */
const OF_SESSIONS = [
  'POST /wallet/v1/auth/otp/verify',
  'POST /wallet/v1/auth/token/refresh',
  'POST /wallet/v1/auth/logout',
]
/** The operator is not a caller with a token: the program applies the event that it reports. */
const BY_OPERATOR = 'POST /wallet/v1/operator/events'

/** Not part of the operation: the relay's notification is sent alongside it, revocations are read on a timer. */
const BESIDE = ['events_notify', 'revocations_read']

const TABLE = 'tests/system/record/round-trips.md'
const ROW = /^\| `((?:POST|PUT|PATCH|DELETE) [^`]+)` \| (\d+) \|/gm

const t = await openTestApp({ own: true })
const promised = new Map([...readText(TABLE).matchAll(ROW)].map(([, name = '', after]) => [name, Number(after)]))
const operations = await writtenOperations(t)
const entries = () => t.sql<Entry>('select * from audit_entries order by xid, audit_id')

const paths = (t.app.document().paths ?? {}) as Record<string, Record<string, { operationId?: string }>>
/** The operation ids behind the shortened names in the table of round trips. */
function operationsNamed(name: string): (string | undefined)[] {
  const [method = '', path = ''] = name.replace(/ \(.*\)$/, '').split(' ')
  const shortOf = (long: string) => long.replace('{document_type}', '{type}').replaceAll(/\{\w+_id\}/g, '{id}')
  return Object.entries(paths)
    .filter(([long]) => shortOf(long) === path)
    .map(([, operations]) => operations[method.toLowerCase()]?.operationId)
}

describe(`every operation that writes`, () => {
  it(`is listed in ${TABLE}, and no other`, () => {
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
    const isSilent = [...UNCHANGED, ...OF_SESSIONS].includes(name)
    const audited = isSilent ? 'no entry of what changes nothing' : 'one entry, with who and what'
    it(`makes the round trips that are promised and ${audited}: ${name}`, async () => {
      const before = await entries()
      t.sent.length = 0
      const { status, text, headers } = await call()
      const sent = t.sent.filter((statement) => !BESIDE.includes(statement))
      assert(status < 300, text)
      assert.equal(sent.length, promised.get(name), sent.join(', '))
      const made = (await entries()).slice(before.length)
      if (isSilent) return assert.deepEqual(made, [])

      assert.equal(made.length, 1)
      const [entry] = made as [Entry]
      if (name === BY_OPERATOR) {
        assert.equal(entry.actor, 'system:operator-event')
        assert.equal(entry.operation, 'operator-event')
      } else {
        assert.match(entry.actor, /^(platform|user|provider|operator|owner|admin_key|wallet_user):.+|^anyone$/)
        assert(operationsNamed(name).includes(entry.operation), entry.operation)
        assert.equal(entry.request_id, headers['x-request-id'])
      }
      assert(['change', 'revoke'].includes(entry.action))
      assert.notEqual(entry.subject, null, 'it says what was changed')
      if (/\/users\/\{id\}|auth\/token|wallet\/v1\/wallet/.test(name)) assert.match(entry.user_id ?? '', /^\d{12}$/)
    })
  }
})

describe('the audit of writes', () => {
  it('has no entry for a rejected write', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const user = await t.onboardedUser(platform)
    const before = (await entries()).length
    const refused = [
      await t.call('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: { email: 'none' } }),
      await t.call('PATCH', `/v1/users/${user.id}`, { token: other.token, body: { email: 'new@example.com' } }),
      await t.call('PATCH', `/v1/users/${user.id}`, { token: t.viewer, body: { email: 'new@example.com' } }),
      await t.call('PATCH', `/v1/users/${user.id}`, {
        token: platform.token,
        body: { email: 'new@example.com' },
        headers: { 'if-match': '"an-older-one"' },
      }),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [422, 404, 403, 412],
    )
    assert.equal((await entries()).length, before)
  })

  it('has no second entry for a repeated request under its idempotency key', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    const headers = { 'idempotency-key': 'audited-once' }
    const change = () =>
      t.call('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: { email: 'once@example.com' }, headers })
    const before = (await entries()).length
    await change()
    assert.equal((await change()).headers['idempotent-replayed'], 'true')
    assert.equal((await entries()).slice(before).filter(({ action }) => action === 'change').length, 1)
  })
})

/** POST because of its input, not because of an effect. */
const READS = [
  'POST /v1/oauth/token',
  'POST /v1/users/search',
  'POST /v1/insurance_policies/search',
  'POST /v1/endorsements/search',
  'POST /v1/members/search',
  'POST /v1/auth/session/token',
]

/** Both owners of credentials have the same operations, and a card is a document. */
function shortOf(path: string): string {
  return path
    .replace('/benefit_providers/{benefit_provider_id}/credentials', '/platforms/{id}/credentials')
    .replace('health_card/{member_id}', '{document_type}')
    .replace('{document_type}', '{type}')
    .replaceAll(/\{\w+_id\}/g, '{id}')
}
