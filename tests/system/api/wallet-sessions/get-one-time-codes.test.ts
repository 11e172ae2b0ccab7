import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { walletSessionJobs } from '../../../../src/domains/money/wallet-sessions/index.ts'
import type { SmsAutofill } from '../../../../src/settings/read-sms.ts'
import { type Body, openTestApp, type TestUser } from '../../../support/app.ts'
import { assertSameNotFound } from '../../../support/problems.ts'
import { openSessions, phoneInput, wrongFor } from '../../../support/sessions.ts'

const t = await openTestApp({ own: true })
const { askOtp, verifyOtp, resetLimits, challengeFor } = openSessions(t)
const gateway = { isDown: false, sent: [] as string[] }
const sms = {
  send: async ({ text }: { text: string }) => {
    if (gateway.isDown) throw new Error('the gateway is down')
    gateway.sent.push(text)
  },
}
const { 'send-otp': sendCode } = walletSessionJobs({ ...t.deps, log: t.log }, sms)
const send = (challenge_id: string) => sendCode({ challenge_id })

afterEach(async () => {
  t.clock.at = undefined
  gateway.isDown = false
  await resetLimits()
})

const read = (user: { id: string }, token: string, query = '') =>
  t.call('GET', `/v1/users/${user.id}/one_time_codes${query}`, { token })
const statesOf = async (user: TestUser): Promise<string[]> =>
  (await read(user, t.owner)).body.data.map(({ state }: Body) => state)
const later = (seconds: number) => (t.clock.at = new Date(t.deps.clock.now().getTime() + seconds * 1000))

async function scene() {
  const platform = await t.platform()
  return { platform, user: await t.user(platform) }
}

describe('GET /v1/users/{user_id}/one_time_codes', () => {
  it('200 what became of each code, newest first, and never the code', async () => {
    const { platform, user } = await scene()
    const first = await challengeFor(platform, user)
    assert.deepEqual(await statesOf(user), ['QUEUED'])
    await send(first.id)
    assert.deepEqual(await statesOf(user), ['SENT'])
    await verifyOtp(first.id, first.code)
    assert.deepEqual(await statesOf(user), ['USED'])

    later(60)
    const second = await challengeFor(platform, user)
    gateway.isDown = true
    await assert.rejects(send(second.id) ?? Promise.resolve())
    assert.deepEqual(await statesOf(user), ['FAILED', 'USED'])
    gateway.isDown = false
    await send(second.id)
    const response = await read(user, platform.token)
    assert.deepEqual(await statesOf(user), ['SENT', 'USED'])
    assert.deepEqual(Object.keys(response.body.data[0]), ['requested_at', 'state', 'retry_at'])
    for (const secret of [first.code, second.code, first.id, second.id]) assert(!response.text.includes(secret))
    assert.equal(response.body.total, 2)
    assert.equal((await read(user, platform.token, '?limit=1&offset=1')).body.data[0].state, 'USED')

    later(6 * 60)
    assert.deepEqual(await statesOf(user), ['EXPIRED', 'USED'])
    later(25 * 3_600)
    assert.deepEqual(await statesOf(user), [])
  })

  it('200 EXPIRED after five wrong codes', async () => {
    const { platform, user } = await scene()
    const { id, code } = await challengeFor(platform, user)
    await send(id)
    for (const by of [1, 2, 3, 4, 5]) await verifyOtp(id, wrongFor(code, by))
    assert.deepEqual(await statesOf(user), ['EXPIRED'])
  })

  it('200 VOID after the phone was changed or the sessions ended; what was over before stays what it was', async () => {
    const { platform, user } = await scene()
    const used = await challengeFor(platform, user)
    await verifyOtp(used.id, used.code)
    later(1)
    const wrong = await challengeFor(platform, user)
    for (const by of [1, 2, 3, 4, 5]) await verifyOtp(wrong.id, wrongFor(wrong.code, by))
    later(1)
    const queued = await challengeFor(platform, user)
    const { platform_id: _, ...phone } = phoneInput(platform, '9811100077')
    await t.made('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: phone })
    assert.deepEqual(await statesOf(user), ['VOID', 'EXPIRED', 'USED'])
    const before = gateway.sent.length
    await send(queued.id)
    assert.equal(gateway.sent.length, before, 'a void code is not sent')
    later(1)
    const last = await challengeFor(platform, { phone: '9811100077' })
    assert.equal((await t.call('DELETE', `/v1/users/${user.id}/sessions`, { token: t.operator })).status, 204)
    assert.equal((await verifyOtp(last.id, last.code)).status, 401)
    later(6 * 60)
    assert.deepEqual(await statesOf(user), ['VOID', 'VOID', 'EXPIRED', 'USED'])
  })

  it('200 the last refused request, with the time from which the next one is not refused', async () => {
    const { platform, user } = await scene()
    t.clock.at = new Date('2026-05-01T10:00:00Z')
    const input = phoneInput(platform, user.phone)
    await askOtp(input)
    const refused = await askOtp(input)
    assert.equal(refused.status, 429)
    const [entry, made] = (await read(user, t.owner)).body.data
    assert.deepEqual([entry.state, made.state], ['REFUSED_BY_LIMIT', 'QUEUED'])
    assert.deepEqual([made.retry_at, entry.requested_at], [null, '2026-05-01T10:00:00'])
    const wait_s = (Date.parse(`${entry.retry_at}Z`) - t.clock.at.getTime()) / 1_000
    assert.equal(wait_s, Number(refused.headers['retry-after']))
    later(wait_s)
    assert.equal((await askOtp(input)).status, 202)
  })

  it('200 without a request for the same phone at another platform', async () => {
    const { platform, user } = await scene()
    const elsewhere = phoneInput(await t.platform(), user.phone)
    assert.deepEqual([(await askOtp(elsewhere)).status, (await askOtp(elsewhere)).status], [202, 429])
    for (const token of [platform.token, t.owner]) assert.deepEqual((await read(user, token)).body.data, [])
    later(11) // after the pause within which a flood is noted once
    assert.equal((await askOtp(phoneInput(platform, user.phone))).status, 429)
    assert.deepEqual(await statesOf(user), ['REFUSED_BY_LIMIT'])
  })

  it('429 for an unknown phone writes as much as for a known one', async () => {
    const { platform, user } = await scene()
    const [known, unknown] = [phoneInput(platform, user.phone), phoneInput(platform, '9800000077')]
    for (const input of [known, unknown]) {
      assert.equal((await askOtp(input)).status, 202)
      assert.equal((await askOtp(input)).status, 429)
    }
    const [row] = await t.sql<{ noted: number }>('select count(refused_at)::int as noted from otp_limits')
    assert.equal(row?.noted, 2)
  })

  it('200 for operators and owners, who then stand in the access log of the person', async () => {
    const { platform, user } = await scene()
    await challengeFor(platform, user)
    for (const token of [t.operator, t.owner]) assert.equal((await read(user, token)).body.total, 1)
    await t.audit.reads.write()
    const log = await t.made('GET', `/v1/users/${user.id}/access_log`, { token: user.token })
    assert(
      log.data.some(({ operation }: Body) => operation === 'List the one-time codes of a user'),
      JSON.stringify(log),
    )
  })

  it('404 for a user of another platform, 403 for viewers and the person', async () => {
    const [{ user }, foreign] = [await scene(), await t.platform()]
    assertSameNotFound(await read(user, foreign.token), await read({ id: '999999999999' }, foreign.token))
    assert.equal((await read(user, t.viewer)).status, 403)
    assert.equal((await read(user, user.token)).status, 403)
  })
})

describe('the message of a one-time code', () => {
  const messageWith = async (autofill: SmsAutofill | null) => {
    const { platform, user } = await scene()
    const { id, code } = await challengeFor(platform, user)
    await walletSessionJobs({ ...t.deps, log: t.log, autofill }, sms)['send-otp']({ challenge_id: id })
    return gateway.sent.at(-1)?.replaceAll(code, 'CODE')
  }
  const SENTENCE = 'CODE is your one-time code. It is valid for 5 minutes. Do not share it with anyone.'

  it('ends as the operators have set it: with nothing, with the domain of a page and the code, or with the hash of an app', async () => {
    assert.equal(await messageWith(null), SENTENCE)
    assert.equal(await messageWith({ domain: 'app.example.com' }), `${SENTENCE}\n\n@app.example.com #CODE`)
    assert.equal(await messageWith({ appHash: 'FA+9qCX9VSu' }), `${SENTENCE}\n\nFA+9qCX9VSu`)
  })
})
