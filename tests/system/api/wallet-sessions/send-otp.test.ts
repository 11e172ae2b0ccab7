import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import Fastify from 'fastify'
import pino from 'pino'
import { smsRoutes } from '../../../../sandbox/sms.ts'
import { createRevocations } from '../../../../src/access/revocations.ts'
import { buildTestApp } from '../../../support/inject.ts'
import { createAccountProviderClient } from '../../../../src/domains/money/accounts/index.ts'
import { createSandboxSms } from '../../../../src/domains/money/wallet-sessions/index.ts'
import { createOperator } from '../../../../src/domains/money/wallets/index.ts'
import { startWorker } from '../../../../src/worker.ts'
import { openTestApp, ORIGIN, type TestPlatform } from '../../../support/app.ts'
import { operatorInTests } from '../../../support/operator.ts'
import { within } from '../../../support/deadline.ts'
import { openSessions, phoneInput, wrongFor } from '../../../support/sessions.ts'
import { auditHeads } from '../../../support/keys.ts'

const SENT_WITHIN_MS = 120_000
const TEXT = /^(\d{6}) is your one-time code\. It is valid for 5 minutes\. Do not share it with anyone\.$/

const t = await openTestApp({ own: true })
const { resetLimits } = openSessions(t)
const gateway = await startGateway()
const lines: string[] = []
const log = pino({ level: 'trace', base: null }, { write: (line: string) => void lines.push(line) })
const app = await openLoggedApp()
await startRealWorker()

type Message = { to: string; text: string; sent_at: string }

/** The sandbox gateway on a server of its own, which can be stopped. */
async function startGateway() {
  const server = Fastify({ forceCloseConnections: true })
  const state = { isDown: false, refused: 0, url: '' }
  server.addHook('onRequest', async (request, reply) => {
    if (!state.isDown || request.method === 'GET') return
    state.refused++
    return reply.code(503).send({ error: 'the gateway is down' })
  })
  smsRoutes(server)
  await server.listen({ host: '127.0.0.1', port: 0 })
  state.url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/sms`
  after(() => server.close())
  return state
}

/** A second app whose log is captured. */
async function openLoggedApp() {
  const revocations = createRevocations(t.db, log)
  await revocations.start()
  const settings = { origin: ORIGIN, version: '0.0.0', trustedProxies: 0, adminApiKeys: [], revocations, log }
  const { walletTokens, webOrigins, metrics, audit, cardChecks } = t
  const logged = buildTestApp(t.deps, {
    ...settings,
    walletTokens,
    webOrigins,
    metrics,
    audit,
    cardChecks,
    operator: operatorInTests(t.clock),
    login: null,
  })
  after(async () => {
    await logged.close()
    await revocations.stop()
  })
  return logged
}

async function startRealWorker(): Promise<void> {
  const queue = await t.startQueue({ log })
  const nowhere = { url: 'http://127.0.0.1:1', apiKey: 'none', secret: 'none', clock: t.clock }
  const companies = {
    accountProvider: createAccountProviderClient(nowhere),
    operator: createOperator(nowhere),
    operatorCallbackUrl: nowhere.url,
    sms: createSandboxSms(gateway),
  }
  after(
    await startWorker(
      { ...t.deps, queue },
      { url: t.appUrl, companies, auditHeads: auditHeads(), log, metrics: t.metrics },
    ),
  )
}

async function post(path: string, payload: object) {
  const response = await app.inject({ method: 'POST', url: `/wallet/v1/auth/${path}`, payload })
  return { status: response.statusCode, body: response.json() }
}

async function ask(platform: { id: string }, phone: string): Promise<string> {
  await resetLimits()
  const { status, body } = await post('otp', phoneInput(platform, phone))
  assert.equal(status, 202)
  return body.challenge_id
}

/** The messages that the gateway got for a phone, newest last, as the sandbox shows them. */
async function messagesTo(phone: string): Promise<Message[]> {
  const response = await fetch(`${gateway.url}/messages?to=+91${phone}`)
  return ((await response.json()) as { messages: Message[] }).messages
}

async function codeSentTo(phone: string): Promise<string> {
  await within(SENT_WITHIN_MS, async () => (await messagesTo(phone)).length > 0)
  const [message, ...more] = await messagesTo(phone)
  assert(message)
  assert.deepEqual([message.to, more], [`+91${phone}`, []])
  const code = TEXT.exec(message.text)?.[1]
  assert(code, message.text)
  return code
}

async function statesOfJobs(challengeIds: string[]): Promise<string[]> {
  const rows = await t.sql<{ state: string }>(
    `select state from pgboss.job where name = 'send-otp' and data->>'challenge_id' = any ($1)`,
    [challengeIds],
  )
  return rows.map((row) => row.state)
}

const areDone = (ids: string[]) =>
  within(SENT_WITHIN_MS, async () => {
    const states = await statesOfJobs(ids)
    return states.length === ids.length && states.every((state) => state === 'completed')
  })

const newPhone = async (platform: TestPlatform) => (await t.user(platform)).phone

describe('the code of a challenge', () => {
  it('is sent once to the phone, and opens the wallet', async () => {
    const platform = await t.platform()
    const phone = await newPhone(platform)
    const challenge_id = await ask(platform, phone)
    const otp = await codeSentTo(phone)
    const { status, body } = await post('otp/verify', { challenge_id, otp })
    assert.deepEqual([status, body.success], [200, true])
    await areDone([challenge_id])
    assert.equal((await messagesTo(phone)).length, 1)
  })

  it('is not sent to an unknown phone, nor for an unknown or a disabled platform', async () => {
    const [platform, disabled] = [await t.platform(), await t.platform()]
    const [known, ofDisabled, unknown] = [await newPhone(platform), await newPhone(disabled), randomInt(1e9, 1e10)]
    await t.made('PUT', `/v1/platforms/${disabled.id}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
    const ids = [
      await ask(platform, String(unknown)),
      await ask({ id: 'plt_nobody' }, known),
      await ask(disabled, ofDisabled),
      await ask(platform, ofDisabled),
    ]
    await areDone(ids)
    for (const phone of [String(unknown), known, ofDisabled]) assert.deepEqual(await messagesTo(phone), [])
  })

  it('is no longer sent once it has expired or was used', async () => {
    const platform = await t.platform()
    const [late, used] = [await newPhone(platform), await newPhone(platform)]
    const before = gateway.refused
    gateway.isDown = true
    const ids = [await ask(platform, late), await ask(platform, used)]
    await within(SENT_WITHIN_MS, async () => gateway.refused >= before + 2) // each was tried once
    await t.sql('update otp_challenges set expires_at = now() where challenge_id = $1', [ids[0]])
    await t.sql('update otp_challenges set used_at = now() where challenge_id = $1', [ids[1]])
    gateway.isDown = false
    await areDone(ids)
    assert.deepEqual([await messagesTo(late), await messagesTo(used)], [[], []])
    const said = lines.filter((line) => line.includes('a one-time code expired before it could be sent'))
    assert.deepEqual(
      said.map((line) => JSON.parse(line).challenge_id),
      [ids[0]],
      'nobody waits for a code in silence',
    )
  })

  it('is sent once when the gateway recovers', async () => {
    const platform = await t.platform()
    const phone = await newPhone(platform)
    const before = gateway.refused
    gateway.isDown = true
    const id = await ask(platform, phone)
    await within(SENT_WITHIN_MS, async () => gateway.refused > before)
    assert.deepEqual(await messagesTo(phone), [])
    gateway.isDown = false
    await codeSentTo(phone)
    await areDone([id])
    assert.equal((await messagesTo(phone)).length, 1)
  })
})

describe('the log', () => {
  it('holds no code, phone or token, whatever happens', async () => {
    const platform = await t.platform()
    const phone = await newPhone(platform)
    const before = gateway.refused
    gateway.isDown = true
    const challenge_id = await ask(platform, phone)
    await within(SENT_WITHIN_MS, async () => gateway.refused > before)
    gateway.isDown = false
    const otp = await codeSentTo(phone)
    assert.equal((await post('otp', phoneInput(platform, phone))).status, 429)
    assert.equal((await post('otp/verify', { challenge_id, otp: wrongFor(otp) })).status, 401)
    const first = (await post('otp/verify', { challenge_id, otp })).body
    const second = (await post('token/refresh', { refresh_token: first.refresh_token })).body
    await post('logout', { refresh_token: second.refresh_token })
    assert.equal((await post('token/refresh', { refresh_token: second.refresh_token })).status, 401)

    const logged = lines.join('')
    assert.match(logged, /"route":"\/wallet\/v1\/auth\/otp\/verify","status":200/)
    assert.match(logged, /"job":"send-otp".+job failed/)
    const codes = new RegExp(`(?<![0-9A-Za-z.])(${otp}|${wrongFor(otp)})(?![0-9A-Za-z])`)
    assert.doesNotMatch(logged, codes)
    for (const { access_token, refresh_token } of [first, second]) {
      for (const secret of [access_token, refresh_token, access_token.split('.')[1], refresh_token.slice(7, 30)])
        assert(!logged.includes(secret))
    }
    assert(!logged.includes(phone))
  })

  it('says which session has ended because a replaced refresh token was used again, and nothing of it for other errors', async () => {
    const platform = await t.platform()
    const phone = await newPhone(platform)
    const challenge_id = await ask(platform, phone)
    const first = (await post('otp/verify', { challenge_id, otp: await codeSentTo(phone) })).body
    const refresh = ({ refresh_token }: { refresh_token: string }) => post('token/refresh', { refresh_token })
    const second = (await refresh(first)).body
    const third = (await refresh(second)).body
    lines.length = 0
    assert.equal((await refresh(first)).status, 401) // replaced twice: somebody kept it
    assert.equal((await refresh(third)).status, 401) // the session is over
    assert.equal((await refresh(first)).status, 401) // and stays so

    const reports = lines.filter((line) => line.includes('used again'))
    assert.equal(reports.length, 1, lines.join(''))
    const { code, cause } = JSON.parse(reports[0] ?? '')
    assert.equal(code, 'invalid_refresh_token')
    const session = JSON.parse(Buffer.from(first.access_token.split('.')[1], 'base64url').toString()).client_id
    assert.equal(cause.message, `a replaced refresh token was used again: ${session} has ended`)
  })
})
