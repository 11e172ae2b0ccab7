import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { after } from 'node:test'
import type { Body } from '../../support/app.ts'
import { ADDRESS, ONBOARDING, PLAN } from '../../support/scenes.ts'
import { clientOf, eventually, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who calls: each knows only what responses and events say. */
export type Caller = {
  token: string
  /** Sends what must succeed. */
  call: (method: Method, path: string, body?: object) => Promise<Body>
  /** Sends what must be refused with this status; returns the problem. */
  refused: (status: number, method: Method, path: string, body?: object) => Promise<Body>
}

export type Person = Caller & { id: string; phone: string; path: string }

/** The whole program with its worker and its sandbox, and two companies and an owner that call it over the network. */
export async function openInstallation(settings: Record<string, string> = {}) {
  const workspace = await newWorkspaceWithDatabase()
  const server = await startServer(workspace, settings)
  after(async () => {
    await server.stop()
    await workspace.remove()
  })
  const send = clientOf(workspace.origin)

  function as(token: string): Caller {
    const request = async (method: Method, path: string, body?: object) => {
      const headers = { 'idempotency-key': randomUUID() }
      return send(method, path, { token, ...(body && { body }), ...(method === 'POST' && { headers }) })
    }
    return {
      token,
      call: async (method, path, body) => {
        const { status, text, body: responded } = await request(method, path, body)
        assert(status < 300, `${method} ${path} responded ${status}: ${text}`)
        return responded
      },
      refused: async (expected, method, path, body) => {
        const { status, text, body: problem } = await request(method, path, body)
        assert.equal(status, expected, `${method} ${path} responded ${text}`)
        return problem
      },
    }
  }

  const owner = as((await runCommand(['token', '--role', 'owner'], workspace.environment)).stdout.trim())
  const anybody = as('')

  async function company(kind: 'platforms' | 'benefit_providers', input: object) {
    const { id } = await owner.call('POST', `/v1/${kind}`, input)
    const { basic_token, credential_id } = await owner.call('POST', `/v1/${kind}/${id}/credentials`)
    const headers = { authorization: `Basic ${basic_token}` }
    const { body } = await send('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
    return { id: id as string, credentialId: credential_id as string, ...as(body.access_token) }
  }
  const platform = (name: string) => company('platforms', { name })
  const insurer = () => company('benefit_providers', { name: 'Suraksha General', code: `PROVIDER_${randomInt(1e9)}` })
  type Company = Awaited<ReturnType<typeof company>>

  async function benefit(partner: Company, provider: Company, plan: object = {}) {
    const details = { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }
    const sponsor = { name: 'Banyan Textiles', pan: 'AAACB1234C', address: ADDRESS, sponsor_details: details }
    const { id: sponsorId } = await partner.call('POST', '/v1/sponsors', sponsor)
    await owner.call('PUT', `/v1/sponsors/${sponsorId}/status`, { status: 'ACTIVE' })
    const input = { name: 'Family health cover', benefit_provider_id: provider.id, sponsor_id: sponsorId }
    const { id } = await owner.call('POST', '/v1/benefits', { ...input, plans: [{ ...PLAN, ...plan }] })
    return { id: id as string, sponsorId: sponsorId as string }
  }

  /** Somebody of the partner, with a number that nobody has yet unless it is given. */
  async function person(partner: Company, input: object = {}): Promise<Person> {
    const phone = String(randomInt(6e9, 1e10))
    const details = { phone_country_code: '+91', phone_number: phone, ...input }
    const { user_id: id, access_token } = await partner.call('POST', '/v1/auth/token', details)
    return { id, phone, path: `/v1/users/${id}`, ...as(access_token) }
  }

  const onboard = (partner: Company, { path }: Person, input: object = {}) =>
    partner.call('POST', `${path}/complete_onboarding`, { ...ONBOARDING, ...input })

  /** A phone gets one code in 30 seconds. */
  const askForCode = async (body: object): Promise<Body> =>
    (
      await eventually(
        () => send('POST', '/wallet/v1/auth/otp', { body }),
        ({ status }) => status !== 429,
      )
    ).body

  const codes = new Map<string, number>()

  /** The code that the sandbox's gateway was given for the phone after those before. */
  async function newestCode(phone: string): Promise<string> {
    const before = codes.get(phone) ?? 0
    const url = `${workspace.sandboxUrl}/sms/messages?to=%2B91${phone}`
    const read = async () => ((await (await fetch(url)).json()) as { messages: { text: string }[] }).messages
    const messages = await eventually(read, ({ length }) => length > before)
    codes.set(phone, messages.length)
    return /\b\d{6}\b/.exec(messages.at(-1)?.text ?? '')?.[0] ?? ''
  }

  /** Signs in to the wallet with the code that the sandbox's gateway was given for the phone. */
  async function signIn(partner: Company, phone: string) {
    const input = { platform_id: partner.id, phone_country_code: '+91', phone_number: phone }
    const { challenge_id } = await askForCode(input)
    const otp = await newestCode(phone)
    const { access_token, refresh_token } = await anybody.call('POST', '/wallet/v1/auth/otp/verify', {
      challenge_id,
      otp,
    })
    return { ...as(access_token), refreshToken: refresh_token as string }
  }

  /** The wallet of somebody who has signed in, once the operator has opened it. */
  async function createWallet(holder: Caller): Promise<string> {
    const { partner_wallet_id: id } = await holder.call('POST', '/wallet/v1/wallet')
    await until(holder, `/wallet/v1/wallet/${id}/status`, ({ wallet_status }) => wallet_status === 'COMPLETED')
    return id
  }

  /** Reads again until it is so; returns what was read last. */
  const until = (caller: Caller, path: string, isSo: (body: Body) => boolean): Promise<Body> =>
    eventually(() => caller.call('GET', path), isSo)

  /** Reads until it is refused: what was revoked is within a second. */
  const untilRefused = (expected: number, { token }: Caller, path: string) =>
    eventually(
      () => send('GET', path, { token }).then(({ status }) => status),
      (status) => status === expected,
    )

  /** The events of a type about a person that a company has been sent, once there are so many; the first one first. */
  async function heard(by: Caller, type: string, { of, count = 1 }: { of: string; count?: number }): Promise<Body[]> {
    const own = (body: Body) => body['data'].filter((event: { data: Body }) => event.data['user_id'] === of)
    const body = await until(by, `/v1/events?type=${type}&limit=100`, (page) => own(page).length >= count)
    return own(body).map(({ data }: { data: Body }) => data)
  }

  /** Asserts that no log and no event of these readers has any of these words. */
  async function assertUnsaid(readers: readonly Caller[], words: readonly string[]): Promise<void> {
    const { stdout, stderr } = server.output()
    const pages = await Promise.all(readers.map((reader) => reader.call('GET', '/v1/events?limit=100')))
    const said = `${stdout}${stderr}${JSON.stringify(pages)}`
    for (const word of words) assert(!said.includes(word), `${word} is in a log or an event`)
    assert(stderr + stdout, 'there is a log')
  }

  /** What the operator of the sandbox does with a wallet. */
  const atOperator = async (id: string, status: 'ACTIVE' | 'BLOCKED') => {
    const headers = { 'content-type': 'application/json' }
    const url = `${workspace.sandboxUrl}/operator/wallets/${id}/status`
    const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ status }) })
    assert(response.ok, String(response.status))
  }

  /** Moves the calendar of everybody, as the sandbox does. */
  async function advance(period: string): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ advance: period })
    const response = await fetch(`${workspace.sandboxUrl}/clock`, { method: 'PUT', headers, body })
    assert(response.ok, String(response.status))
  }

  const run = (...args: string[]) => runCommand(args, workspace.environment)
  return {
    workspace,
    send,
    owner,
    anybody,
    platform,
    insurer,
    benefit,
    person,
    onboard,
    signIn,
    askForCode,
    newestCode,
    createWallet,
    until,
    untilRefused,
    heard,
    assertUnsaid,
    atOperator,
    advance,
    run,
  }
}
