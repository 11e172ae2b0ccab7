import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ADDRESS, type Body, ONBOARDING, PLAN } from '../../support/app.ts'
import { createContractCheck } from '../../support/contract.ts'
import { clientOf, eventually, newWorkspace, runCommand, startServer } from '../../support/server.ts'

const STOP_MS_MAX = 10_000

const workspace = await newWorkspace()
let server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})

const send = clientOf(workspace.origin)
const checkContract = createContractCheck((await send('GET', '/openapi.json')).body)

type Sending = Parameters<typeof send>[2]

/** Sends under `/v1` and checks the response against the OpenAPI document that this server serves. */
async function call(method: string, path: string, sending?: Sending) {
  const response = await send(method, `/v1${path}`, sending)
  checkContract(method, `/v1${path}`, { ...response, headers: Object.fromEntries(response.headers) })
  return response
}

async function made(method: string, path: string, sending?: Sending): Promise<Body> {
  const response = await call(method, path, sending)
  assert(response.status < 300, `${method} ${path} returned ${response.status}: ${response.text}`)
  return response.body
}

async function tokenOf(basicToken: string): Promise<string> {
  const headers = {
    authorization: `Basic ${basicToken}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const response = await made('POST', '/oauth/token', { headers, body: 'grant_type=client_credentials' })
  assert.deepEqual([response.token_type, response.expires_in], ['Bearer', 3600])
  return response.access_token
}

const command = await runCommand(['token', '--role', 'owner'], workspace.environment)
const owner = command.stdout.trim()

/** What the steps of the story pass on to each other. */
const story = {
  platform: '',
  platformToken: '',
  provider: '',
  providerToken: '',
  user: '',
  userToken: '',
  dependants: [] as string[],
  sponsor: '',
  benefit: '',
  policy: '',
}

describe('the main interface from the first token to the last deletion', () => {
  it('the token command prints a token and nothing else', () => {
    assert.equal(command.code, 0)
    assert.equal(command.stderr, '')
    assert.match(command.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  })

  it('201 an owner creates a platform and a benefit provider, and their credentials get tokens', async () => {
    story.platform = (await made('POST', '/platforms', { token: owner, body: { name: 'Acme Benefits' } })).id
    const input = { name: 'Suraksha General', code: 'SURAKSHA_GENERAL' }
    story.provider = (await made('POST', '/benefit_providers', { token: owner, body: input })).id

    const ofPlatform = await made('POST', `/platforms/${story.platform}/credentials`, { token: owner })
    story.platformToken = await tokenOf(ofPlatform.basic_token)
    const ofProvider = await made('POST', `/benefit_providers/${story.provider}/credentials`, { token: owner })
    story.providerToken = await tokenOf(ofProvider.basic_token)

    const listed = await made('GET', `/platforms/${story.platform}/credentials`, { token: story.platformToken })
    assert.deepEqual(listed, { credentials: [{ credential_id: ofPlatform.credential_id }] })
  })

  it('200 the platform signs up a user, who is onboarded', async () => {
    const phone = { phone_country_code: '+91', phone_number: '9876543210' }
    const issued = await made('POST', '/auth/token', { token: story.platformToken, body: phone })
    story.user = issued.user_id
    assert.match(story.user, /^[01][0-9]{11}$/)

    const path = `/users/${story.user}/complete_onboarding`
    const onboarded = await made('POST', path, { token: issued.access_token, body: ONBOARDING })
    assert.equal(onboarded.user.email, ONBOARDING.email)
    assert.equal(onboarded.user.address, ONBOARDING.address)
    story.userToken = onboarded.access_token
    assert.deepEqual(await made('GET', `/users/${story.user}`, { token: story.userToken }), onboarded.user)
  })

  it('201 the user registers dependants, in the order sent', async () => {
    const named = (first_name: string, date_of_birth: string) => ({ first_name, last_name: 'Example', date_of_birth })
    const dependants = [named('Ravi', '1988-01-09'), named('மீனா', '2015-08-02')]
    const path = `/users/${story.user}/dependants`
    const { data } = await made('POST', `${path}/bulk`, { token: story.userToken, body: { dependants } })
    assert.deepEqual(
      data.map(({ first_name, last_name, date_of_birth }: Body) => ({ first_name, last_name, date_of_birth })),
      dependants,
    )
    story.dependants = data.map(({ id }: Body) => id)
    assert.equal((await made('GET', path, { token: story.userToken })).total, 2)
  })

  it('200 the sponsor is activated and patched: other fields stay, a new PAN returns it to PENDING', async () => {
    const sponsor_details = { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }
    const body = { name: 'Banyan Textiles', pan: 'AAACB1234C', address: ADDRESS, sponsor_details }
    const sponsor = await made('POST', '/sponsors', { token: story.platformToken, body })
    story.sponsor = sponsor.id
    assert.equal(sponsor.status, 'PENDING')
    const path = `/sponsors/${sponsor.id}`
    await made('PUT', `${path}/status`, { token: owner, body: { status: 'ACTIVE' } })

    const renamed = await made('PATCH', path, { token: story.platformToken, body: { name: 'Banyan Textiles Limited' } })
    assert.deepEqual([renamed.name, renamed.pan, renamed.status], ['Banyan Textiles Limited', 'AAACB1234C', 'ACTIVE'])
    assert.deepEqual(renamed.address, ADDRESS)
    const rechecked = await made('PATCH', path, { token: story.platformToken, body: { pan: 'AAACB1234D' } })
    assert.equal(rechecked.status, 'PENDING')
    await made('PUT', `${path}/status`, { token: owner, body: { status: 'ACTIVE' } })
  })

  it('200 the user is enrolled, and the benefit provider sets the policy to ISSUED', async () => {
    const input = { benefit_provider_id: story.provider, sponsor_id: story.sponsor, plans: [PLAN] }
    const benefit = await made('POST', '/benefits', { token: owner, body: { name: 'Family health cover', ...input } })
    story.benefit = benefit.id
    const path = `/users/${story.user}/insurance_policies`
    const body = {
      benefit_id: benefit.id,
      plan_code: PLAN.plan_code,
      start_date: '2026-04-01',
      dependant_ids: story.dependants,
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id: story.dependants[0] },
    }
    const policy = await made('POST', path, { token: story.platformToken, body })
    story.policy = policy.id
    assert.equal(policy.end_date, '2027-03-31')

    const tooEarly = await call('PUT', `${path}/${policy.id}/status`, {
      token: story.providerToken,
      body: { status: 'ISSUED' },
    })
    assert.deepEqual(
      [tooEarly.status, tooEarly.body.code, tooEarly.body.current_state],
      [409, 'invalid_state', 'PENDING'],
    )
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
      const transition = { status, ...(status === 'ISSUED' && { external_policy_id: 'SG-0001' }) }
      await made('PUT', `${path}/${policy.id}/status`, { token: story.providerToken, body: transition })
    }
  })

  it('200 the list is filtered and paged', async () => {
    const path = `/users/${story.user}/insurance_policies`
    const body = { benefit_id: story.benefit, plan_code: PLAN.plan_code, start_date: '2027-04-01', dependant_ids: [] }
    const pending = await made('POST', path, { token: story.platformToken, body })

    const issued = await made('GET', `${path}?status=ISSUED`, { token: story.userToken })
    assert.deepEqual([issued.total, issued.limit, issued.offset, issued.data.length], [1, 20, 0, 1])
    assert.deepEqual([issued.data[0].id, issued.data[0].external_policy_id], [story.policy, 'SG-0001'])
    assert.deepEqual(
      issued.data[0].dependants.map(({ first_name }: Body) => first_name),
      ['Ravi', 'மீனா'],
    )
    const first = await call('GET', `${path}?status=ISSUED&status=PENDING&limit=1`, { token: story.userToken })
    assert.deepEqual([first.body.total, first.body.data[0].id], [2, pending.id])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]
    assert(next, 'there is a next page')
    const second = await send('GET', next, { token: story.userToken })
    assert.deepEqual([second.body.offset, second.body.data[0].id], [1, story.policy])
  })

  it('200 the account of the onboarding becomes ACTIVE', async () => {
    const path = `/users/${story.user}/accounts?status=ACTIVE&account_type=SAVINGS`
    const { data } = await eventually(
      () => made('GET', path, { token: story.userToken }),
      ({ total }) => total === 1,
    )
    assert.equal(data[0].holder, `user:${story.user}`)
    assert.match(data[0].external_account_id, /^EXT-/)
    assert.match(data[0].account_details.ifsc_code, /^[A-Z]{4}0[A-Z0-9]{6}$/)
  })

  it('201 both sides write to a consultation, and both read it, oldest first', async () => {
    const path = `/users/${story.user}/consultations`
    const opened = await made('POST', path, { token: story.userToken, body: { benefit_provider_id: story.provider } })
    const messages = `${path}/${opened.id}/messages`
    const write = (token: string, content: string) =>
      made('POST', messages, { token, body: { body: { content, message_type: 'TEXT' } } })
    await write(story.userToken, 'मुझे सोमवार से बुखार है।\nWhat should I do?')
    await write(story.providerToken, 'Please rest for two days.')

    const read = await made('GET', messages, { token: story.providerToken })
    assert.equal(read.data.provider, 'SURAKSHA_GENERAL')
    assert.deepEqual(
      read.data.messages.map(({ sender_display_name, body }: Body) => [sender_display_name, body.content]),
      [
        ['Asha Example', 'मुझे सोमवार से बुखार है।\nWhat should I do?'],
        ['Suraksha General', 'Please rest for two days.'],
      ],
    )
    assert.deepEqual(await made('GET', messages, { token: story.userToken }), read)
  })

  it('200 a credential is created, listed and revoked, and its tokens stop working', async () => {
    const path = `/benefit_providers/${story.provider}/credentials`
    const { basic_token, credential_id } = await made('POST', path, { token: owner })
    const token = await tokenOf(basic_token)
    const ids = (await made('GET', path, { token })).credentials.map((entry: Body) => entry.credential_id)
    assert.equal(ids.length, 2)
    assert(ids.includes(credential_id))

    assert.deepEqual(await made('DELETE', `${path}/${credential_id}`, { token: owner }), { revoked: true })
    assert.deepEqual(await made('DELETE', `${path}/${credential_id}`, { token: owner }), { revoked: false })
    await eventually(
      () => call('GET', path, { token }),
      ({ status }) => status === 401,
    )
    const headers = { authorization: `Basic ${basic_token}` }
    const refused = await call('POST', '/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
    assert.equal(refused.status, 401)
    assert.equal((await made('GET', path, { token: story.providerToken })).credentials.length, 1)
  })

  it('200 a benefit without open policies is deleted, 409 for one in use', async () => {
    const input = { benefit_provider_id: story.provider, sponsor_id: story.sponsor, plans: [PLAN] }
    const unused = await made('POST', '/benefits', { token: owner, body: { name: 'Dental cover', ...input } })
    assert.deepEqual(await made('DELETE', `/benefits/${unused.id}`, { token: owner }), { id: unused.id })

    const inUse = await call('DELETE', `/benefits/${story.benefit}`, { token: owner })
    assert.deepEqual([inUse.status, inUse.body.code], [409, 'conflict'])
    assert.equal((await made('GET', `/benefits/${story.benefit}`, { token: owner })).status, 'ACTIVE')
    assert.deepEqual(
      (await made('GET', '/benefits', { token: story.platformToken })).data.map(({ id }: Body) => id),
      [story.benefit],
    )
  })

  it('200 an account provider is renamed with the administrator key of the data folder', async () => {
    const key = (await readFile(join(workspace.dataDir, 'keys', 'admin-api-key'), 'utf8')).trim()
    const headers = { 'admin-api-key': key }
    const { id } = await made('POST', '/account_providers', { headers, body: { name: 'Example Bank' } })
    const renamed = await made('PATCH', `/account_providers/${id}`, {
      headers,
      body: { name: 'Example Bank of India' },
    })
    assert.deepEqual([renamed.id, renamed.name, renamed.status], [id, 'Example Bank of India', 'active'])
    assert.equal((await call('PATCH', `/account_providers/${id}`, { token: owner, body: { name: 'X' } })).status, 401)
  })
})

describe('outside the interface', () => {
  it('200 for health, OpenAPI document and metrics', async () => {
    assert.deepEqual((await send('GET', '/livez')).body, { status: 'ok' })
    assert.equal((await send('GET', '/readyz')).body.status, 'ok')
    assert.equal((await send('GET', '/openapi.json')).body.openapi, '3.1.0')
    assert.equal((await send('GET', '/metrics')).status, 404)
    const metrics = await (await fetch(workspace.metricsUrl)).text()
    assert.match(
      metrics,
      /http_request_duration_seconds_count\{method="POST",route="\/v1\/auth\/token",status_class="2xx"\}/,
    )
    assert(!metrics.includes(story.user), 'a metric holds no id of a user')
  })

  it('200 documentation pages load nothing from another origin', async () => {
    for (const path of ['/docs', '/docs/try']) {
      const page = await send('GET', path)
      const files = [...page.text.matchAll(/<(?:link|script|img) [^>]*(?:src|href)="([^"]+)"/g)].map(
        ([, file = '']) => file,
      )
      assert(files.some((file) => file.endsWith('.css')) && files.some((file) => file.endsWith('.js')))
      for (const file of files) {
        assert.match(file, /^\.?\/(?!\/)/, 'a file of the page is named without a host')
        const asset = await send('GET', new URL(file, `${workspace.origin}${path}/`).pathname)
        assert.equal(asset.status, 200, file)
        if (/\.(css|js)$/.test(file)) assert.deepEqual(loadedFromElsewhere(asset.text), [], file)
      }
    }
    for (const path of ['/docs', '/docs/', '/docs/errors', '/docs/try']) {
      const { headers, text } = await send('GET', path)
      assert.deepEqual(loadedFromElsewhere(text), [], path)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/, path)
      const sources = policy.split(';').flatMap((rule) => rule.trim().split(/\s+/).slice(1))
      assert.deepEqual(
        [...new Set(sources)].filter((source) => !OWN_SOURCE.test(source)),
        [],
        path,
      )
    }
  })
})

const OWN_SOURCE = /^('none'|'self'|data:|'sha256-.+')$/

/**
 * URLs with a host in the contexts from which a browser loads: attributes, styles, imports, fetches. Comments and XML
 * namespaces do not count.
 */
function loadedFromElsewhere(text: string): string[] {
  const host = String.raw`["'\`(]?\s*(?:https?:)?\/\/[a-z0-9]`
  const contexts = [
    String.raw`<(?:script|link|img|iframe)[^>]+(?:src|href)\s*=\s*`,
    String.raw`url\(\s*`,
    String.raw`@import\s+`,
    String.raw`\bimport\(\s*`,
    String.raw`\b(?:importScripts|fetch)\(\s*`,
    String.raw`\.(?:src|href)\s*=\s*`,
    String.raw`["'](?:url|validatorUrl|configUrl|oauth2RedirectUrl)["']\s*:\s*`,
  ]
  return contexts.flatMap((start) => text.match(new RegExp(`${start}${host}[^\\s"'\`)]*`, 'gi')) ?? [])
}

describe('stopping and starting again', () => {
  it('SIGTERM ends it within 10 s with exit code 0, and a second start keeps data, keys and tokens', async () => {
    const path = `/users/${story.user}/insurance_policies?status=ISSUED`
    const before = await made('GET', path, { token: story.userToken })
    const { code, took_ms } = await server.stop()
    assert.equal(code, 0)
    assert(took_ms < STOP_MS_MAX, `it took ${took_ms} ms`)
    await assert.rejects(send('GET', '/livez'))

    server = await startServer(workspace)
    assert.deepEqual(await made('GET', path, { token: story.userToken }), before)
    assert.equal((await made('GET', `/users/${story.user}`, { token: story.platformToken })).first_name, 'Asha')
    assert.equal((await made('GET', '/platforms', { token: owner })).total, 2, 'and the demo platform')
  })
})
