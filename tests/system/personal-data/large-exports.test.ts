import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRateLimits } from '../../../src/access/rate-limits.ts'
import { encodeObject, encodePages } from '../../../src/kernel/encoded-json.ts'
import { DEFAULT_LIMITS, openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })

const exportOf = ({ id }: { id: string }, token: string, { call }: Pick<typeof t, 'call'> = t) =>
  call('GET', `/v1/users/${id}/export`, { token })

describe('a large export', () => {
  it('200 with every entry of an access log that is read in several pages', async () => {
    const user = await t.onboardedUser(await t.platform())
    const entries = 1_234
    await t.sql(
      `insert into audit_entries (audit_id, at, actor, operation, action, subject, user_id, request_id, purpose)
       select 'aud_' || lpad(i::text, 26, '0'), now(), 'user:' || $1::text, 'readUser', 'read', $1, $1, 'req_' || i,
              'Look "up" \\ ' || i
         from generate_series(1, $2::int) i`,
      [user.id, entries],
    )
    const { status, headers, body, bytes } = await exportOf(user, user.token)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(Number(headers['content-length']), bytes.length)
    const purposes = body.access_log.flatMap(({ purpose }: { purpose: string | null }) => purpose ?? [])
    const expected = Array.from({ length: entries }, (_, index) => `Look "up" \\ ${index + 1}`)
    assert.deepEqual(purposes.toSorted(), expected.toSorted())
  })

  it('is encoded a page at a time, so that no other request waits for the whole of it', async () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => ({ n, name: `आशा ${n}` }))
    const pages = async function* (size: number) {
      for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
      yield []
    }
    const none = async function* (): AsyncGenerator<number[]> {}
    const inner = encodeObject<{ rows: unknown[] }>({ rows: await encodePages(pages(7)) })
    const nested = async function* () {
      yield [inner, inner]
    }
    const encoded = encodeObject<object>({
      rows: await encodePages(pages(100)),
      nested: await encodePages(nested()),
      empty: await encodePages(none()),
      name: 'Asha "Example"',
      absent: null,
    })
    const text = Buffer.concat(encoded.parts).toString()
    const expected = { rows, nested: [{ rows }, { rows }], empty: [], name: 'Asha "Example"', absent: null }
    assert.equal(text, JSON.stringify(expected))
    assert.equal(encoded.byteLength, Buffer.byteLength(text))
    assert(Math.max(...encoded.parts.map(({ length }) => length)) < encoded.byteLength / 20)
  })
})

describe('repeated exports of a user', () => {
  it('429 beyond the number an hour, for that caller and that user only', async () => {
    const clock = { at: 0 }
    const limits = { ...DEFAULT_LIMITS, exports: 2 }
    const node = await t.openNode({ rates: (db) => createRateLimits(db, limits, { now: () => clock.at }) })
    const platform = await t.platform()
    const [user, other] = [await t.user(platform), await t.user(platform)]
    for (const expected of [200, 200, 429]) assert.equal((await exportOf(user, user.token, node)).status, expected)
    const refused = await exportOf(user, user.token, node)
    assert.deepEqual([refused.body.code, refused.headers['retry-after']], ['rate_limited', '1800'])
    assert.equal(refused.headers['ratelimit-policy'], '"exports_of_user";q=2;w=3600')
    assert.equal((await exportOf(user, platform.token, node)).status, 200)
    assert.equal((await exportOf(user, t.owner, node)).status, 200)
    assert.equal((await exportOf(other, other.token, node)).status, 200)
    clock.at += 1_800_000
    assert.equal((await exportOf(user, user.token, node)).status, 200)
  })
})
