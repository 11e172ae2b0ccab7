import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { type TestResponse, openTestApp } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { WAITING } from '../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()

async function scene(names: object = { first_name: 'Asha', last_name: 'Example' }) {
  const { platform, provider } = await t.offer()
  const user = await t.user(platform, names)
  const id = await t.consultation(platform, user, provider)
  return { platform, provider, user, id, address: `/v1/users/${user.id}/consultations/${id}` }
}
type Conversation = { address: string }

const text = (content: unknown) => ({ body: { content, message_type: 'TEXT' } })

const write = ({ address }: Conversation, token: string | undefined, body: object) =>
  t.call('POST', `${address}/messages`, { ...(token && { token }), body })

const list = ({ address }: Conversation, token: string | undefined, query = '') =>
  t.call('GET', `${address}/messages${query}`, token === undefined ? {} : { token })

type Message = { id: string; body: { content: string }; sender_display_name: string }
const messagesOf = (response: TestResponse): Message[] => response.body.data.messages
const contentsOf = (response: TestResponse) => messagesOf(response).map(({ body }) => body.content)

async function assertWritten({ id }: { id: string }, count: number): Promise<void> {
  const rows = await t.sql('select 1 from consultation_messages where consultation_id = $1', [id])
  const events = await t.sql(
    `select 1 from events where type = 'consultation.message_created' and data ->> 'consultation_id' = $1`,
    [id],
  )
  assert.deepEqual([rows.length, events.length], [count, count])
}

const close = ({ address, user }: Conversation & { user: { token: string } }) =>
  t.made('PUT', `${address}/status`, { token: user.token, body: { status: 'CLOSED' } })

describe('POST /v1/users/{user_id}/consultations/{consultation_id}/messages', () => {
  it('201 under the name of its author: the user, the platform or the benefit provider', async () => {
    const at = await scene()
    for (const [who, name] of [
      ['user', 'Asha Example'],
      ['platform', 'Acme Benefits'],
      ['provider', 'Suraksha General'],
    ] as const) {
      const response = await write(at, at[who].token, text(`from the ${who}`))
      assert.equal(response.status, 201)
      const { id, created_at, ...rest } = response.body
      assert.match(id, /^msg_[0-9a-z]+$/)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      const body = { content: `from the ${who}`, message_type: 'TEXT' }
      assert.deepEqual(rest, { body, sender_display_name: name })
      const [event] = await t.sql(`select platform_id, subject, data from events where data ->> 'message_id' = $1`, [
        id,
      ])
      const data = {
        user_id: at.user.id,
        consultation_id: at.id,
        benefit_provider_id: at.provider.id,
        message_id: id,
      }
      assert.deepEqual(event, { platform_id: at.platform.id, subject: at.id, data })
    }
    await assertWritten(at, 3)
  })

  it('201 a user without a name gets a neutral one; a first or last name alone is shown as it is', async () => {
    const [nameless, half] = [await scene({}), await scene({ last_name: 'उदाहरण' })]
    assert.equal((await write(nameless, nameless.user.token, text('x'))).body.sender_display_name, 'Member')
    assert.equal((await write(half, half.user.token, text('x'))).body.sender_display_name, 'उदाहरण')
  })

  it('201 keeps 4,000 characters of several lines and any script byte for byte, sealed', async () => {
    const at = await scene({ first_name: 'Sealedfirst' })
    const content = ` मुझे सोमवार से बुखार है 🤒👩🏽‍⚕️\r\n\tSealedcontent e\u0301 ${'🌡️'.repeat(1_000)} `
    const longest = content + 'x'.repeat(4_000 - Array.from(content).length)
    for (const sent of [content, longest]) {
      assert.equal((await write(at, at.user.token, text(sent))).body.body.content, sent)
    }
    assert.deepEqual(contentsOf(await list(at, at.provider.token)), [content, longest])
    const stored = await everythingStored(t)
    assert.ok(stored.includes(at.id), 'the right tables were looked at')
    for (const clear of ['Sealedcontent', 'Sealedfirst', 'बुखार']) assert.ok(!stored.includes(clear))
  })

  it('409 invalid_state once it is closed, for everyone; messages stay readable', async () => {
    const at = await scene()
    await write(at, at.user.token, text('before'))
    await close(at)
    for (const { token } of [at.user, at.platform, at.provider]) {
      const refused = await write(at, token, text('after'))
      assert.equal(refused.status, 409)
      const { code, current_state, allowed_transitions } = refused.body
      assert.deepEqual([code, current_state, allowed_transitions], ['invalid_state', 'CLOSED', []])
      assert.match(refused.body.detail, /Open a new one/)
    }
    assert.deepEqual(contentsOf(await list(at, at.user.token)), ['before'])
    await assertWritten(at, 1)
  })

  it('201 or 409 while it is being closed: never a message after the closing', async () => {
    const at = await scene()
    await write(at, at.user.token, text('before'))
    const holder = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query(`update consultations set status = 'CLOSED' where consultation_id = $1`, [at.id])
      const writing = write(at, at.platform.token, text('meanwhile'))
      await within(DEADLINE_MS, async () => (await t.sql(WAITING)).length === 1)
      await holder.query('commit')
      const { status, body } = await writing
      assert.deepEqual([status, body.code, body.current_state], [409, 'invalid_state', 'CLOSED'])
    } finally {
      await holder.end()
    }
    await assertWritten(at, 1)
  })

  it('401 without a token, 403 for every administrator', async () => {
    const at = await scene()
    assert.equal((await write(at, undefined, text('x'))).status, 401)
    for (const token of [t.viewer, t.operator, t.owner]) assert.equal((await write(at, token, text('x'))).status, 403)
    await assertWritten(at, 0)
  })

  it('404 for another platform’s consultation as for a missing one, whatever the body', async () => {
    const at = await scene()
    const second = await t.provider()
    await t.consultation(at.platform, at.user, second) // it can see the user, not this consultation
    const missing = { address: `/v1/users/${at.user.id}/consultations/con_nothing` }
    for (const { token } of [await t.platform(), await t.user(at.platform), second]) {
      for (const body of [text('x'), {}]) {
        assertSameNotFound(await write(at, token, body), await write(missing, token, body))
      }
    }
    await assertWritten(at, 0)
  })

  it('422 for each error, all at once', async () => {
    const at = await scene()
    for (const [body, errors] of [
      [{}, ['/body required']],
      [{ body: 'Hello' }, ['/body type']],
      [{ body: {} }, ['/body/content required', '/body/message_type required']],
      [{ body: { content: '', message_type: 'IMAGE' } }, ['/body/content too_short', '/body/message_type not_allowed']],
      [text('x'.repeat(4_001)), ['/body/content too_long']],
      [text(5), ['/body/content type']],
      [text('a\u0000b'), ['/body/content unstorable_text']],
      [text('a\u0007b'), ['/body/content format']],
      [text('\udc00'), ['/body/content unstorable_text']],
    ] as const) {
      assert.deepEqual(errorsOf(await write(at, at.user.token, body)), errors)
    }
    await assertWritten(at, 0)
  })
})

describe('GET /v1/users/{user_id}/consultations/{consultation_id}/messages', () => {
  it('200 oldest first with the code of the provider, for platform, user, benefit provider and owner', async () => {
    const at = await scene()
    for (const content of ['one', 'two', 'three']) await write(at, at.user.token, text(content))
    for (const token of [at.platform.token, at.user.token, at.provider.token, t.owner]) {
      const response = await list(at, token)
      assert.equal(response.status, 200)
      assert.deepEqual(contentsOf(response), ['one', 'two', 'three'])
      assert.equal(response.body.data.provider, at.provider.code)
      const { limit, offset, total } = response.body
      assert.deepEqual({ limit, offset, total }, { limit: 20, offset: 0, total: 3 })
    }
  })

  it('200 in pages with links; the total is exact past the last page', async () => {
    const at = await scene()
    for (let count = 0; count < 5; count++) await write(at, at.user.token, text(`number ${count}`))
    const page = await list(at, at.user.token, '?limit=2&offset=2')
    assert.deepEqual(contentsOf(page), ['number 2', 'number 3'])
    const address = `${at.address}/messages`
    assert.deepEqual(String(page.headers['link']).split(', '), [
      `<${address}?limit=2&offset=0>; rel="first"`,
      `<${address}?limit=2&offset=0>; rel="prev"`,
      `<${address}?limit=2&offset=4>; rel="next"`,
      `<${address}?limit=2&offset=4>; rel="last"`,
    ])
    const beyond = await list(at, at.user.token, '?offset=100')
    const data = { messages: [], provider: at.provider.code }
    assert.deepEqual(beyond.body, { data, limit: 20, offset: 100, total: 5 })
  })

  it('200 empty before the first message, and no messages of other consultations', async () => {
    const at = await scene()
    const other = await t.consultation(at.platform, at.user, at.provider)
    await write({ address: `/v1/users/${at.user.id}/consultations/${other}` }, at.user.token, text('elsewhere'))
    const response = await list(at, at.user.token)
    assert.deepEqual(response.body.data, { messages: [], provider: at.provider.code })
    assert.equal(response.body.total, 0)
  })

  it('200 messages of the same time are ordered by id', async () => {
    const at = await scene()
    await Promise.all(Array.from({ length: 12 }, (_, index) => write(at, at.user.token, text(`number ${index}`))))
    await t.sql(`update consultation_messages set created_at = '2026-01-01' where consultation_id = $1`, [at.id])
    const pages = await Promise.all([0, 5, 10].map((offset) => list(at, at.user.token, `?limit=5&offset=${offset}`)))
    const ids = pages.flatMap(messagesOf).map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, 12)
  })

  it('401 without a token, 403 for operators and viewers: it is health data', async () => {
    const at = await scene()
    assert.equal((await list(at, undefined)).status, 401)
    for (const token of [t.operator, t.viewer]) assert.equal((await list(at, token)).status, 403)
  })

  it('404 for another platform’s consultation as for a missing one, whatever the query', async () => {
    const at = await scene()
    const second = await t.provider()
    await t.consultation(at.platform, at.user, second)
    const missing = { address: `/v1/users/${at.user.id}/consultations/con_nothing` }
    for (const { token } of [await t.platform(), await t.user(at.platform), second]) {
      for (const query of ['', '?limit=0']) {
        assertSameNotFound(await list(at, token, query), await list(missing, token, query))
      }
    }
    const elsewhere = { address: `/v1/users/${(await t.user(at.platform)).id}/consultations/${at.id}` }
    assertSameNotFound(await list(elsewhere, at.platform.token), await list(missing, at.platform.token))
  })

  it('422 for invalid paging and unknown parameters, all at once', async () => {
    const at = await scene()
    const response = await list(at, at.user.token, '?limit=101&offset=-1&status=OPEN')
    assert.deepEqual(errorsOf(response), ['query:limit too_large', 'query:offset too_small', 'query:status unknown'])
    const malformed = await list({ address: '/v1/users/1/consultations/a' }, at.user.token)
    assert.deepEqual(errorsOf(malformed), ['path:user_id format'])
  })
})
