import assert from 'node:assert/strict'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { callerOf, openBrowser } from '../../support/administrators.ts'
import { leaksIn, createCanaries } from '../../support/canaries.ts'
import { cloneDatabase } from '../../support/database.ts'
import { startIdentityProviderDouble } from '../../support/identity-provider-double.ts'
import { startOtlpReceiver } from '../../support/otlp-receiver.ts'
import { openReceiver } from '../../support/receiver.ts'
import { eventually, newWorkspace, runCommand, startServer } from '../../support/server.ts'
import { startEchoingCompanies } from './echoing-companies.ts'
import { columnsOfDatabase, filesBelow, filesOfDatabase, keepLog } from './locations.ts'
import { preparePlayer } from './player.ts'
import { playCatalogue, playPerson, type Scene, signUp } from './scene.ts'
import { playEndings, playFailures, playReads } from './variations.ts'

/** Columns that store a caller's text unsealed: what a company says about itself, or what another party must recognise. */
const KEPT_IN_CLEAR = {
  'account_providers.name': 'a bank',
  'audit_entries.purpose': 'callers are asked not to name people in it',
  'benefit_providers.code': 'a company',
  'benefit_providers.name': 'a company',
  'benefits.name': 'a product',
  'benefits.plans': 'a product',
  'catalogue_status_changes.reason': 'about a platform or a bank; those about a sponsor or an administrator are sealed',
  'consent_notices.complaint_url': 'what a platform says to everybody',
  'consent_notices.contact': 'what a platform says to everybody',
  'consent_notices.items': 'what a platform says to everybody',
  'consent_notices.rights_url': 'what a platform says to everybody',
  'consent_notices.text': 'what a platform says to everybody',
  'consent_notices.withdraw_url': 'what a platform says to everybody',
  'insurance_policies.external_policy_id': 'found by it',
  'policy_endorsements.provider_reference': 'the number of the insurer, for its own system',
  'insurance_policies.master_policy_number': 'of a group of policies',
  'insurance_policies.plan_code': 'a product',
  'deposit_entries.reference': 'unique in a deposit; the benefit provider chooses it',
  'ledger_transactions.reference': 'unique per platform, which chooses it',
  'platforms.name': 'a company',
  'sponsors.slug': 'derived from the name of an organisation; for a person, from the id',
  'webhook_endpoints.url': 'the server of a company',
}

/** Operations whose body contains no free text, or is signed: sent separately. */
const SENT_OTHERWISE = [
  'assignInsurancePolicy',
  'exchangeCredential',
  'logOut',
  'logOutOfWallet',
  'receiveOperatorEvent',
  'replayWebhookEvents',
  'setWebOrigins',
  'setWalletLimits',
]

/** Operations that are called in a browser, separately. */
const IN_A_BROWSER = ['createSessionToken', 'logOut']

const canaries = createCanaries()
const kept = createCanaries()
/** Secrets of the program, by setting. */
const SETTINGS = {
  ACCOUNT_PROVIDER_API_KEY: 'bank-key-that-nobody-may-see',
  OPERATOR_API_KEY: 'operator-key-that-nobody-may-see',
  OPERATOR_SECRET: 'operator-secret-that-nobody-may-see',
  TWILIO_AUTH_TOKEN: 'sms-token-that-nobody-may-see',
  OIDC_CLIENT_SECRET: 'client-secret-that-nobody-may-see',
}
const ADMIN_KEY = 'administrator-key-that-nobody-may-see'
/** These, and every token and secret that is issued. */
const secrets = new Set<string>([...Object.values(SETTINGS), ADMIN_KEY])

const [companies, identityProvider, collector, receiver] = await Promise.all([
  startEchoingCompanies(),
  startIdentityProviderDouble(),
  startOtlpReceiver(),
  openReceiver(),
])
const [workspace, database] = await Promise.all([newWorkspace(), cloneDatabase()])
const log = await keepLog(database.sql)
after(async () => {
  companies.stop()
  collector.close()
  await log.release()
  await Promise.all([database.close(), workspace.remove()])
})

const output = { stdout: '', stderr: '' }
/** Columns in which canaries of either kind were found, at any time. */
const found = { personal: new Set<string>(), kept: new Set<string>(), secret: new Set<string>() }
const onDisk = { personal: new Set<string>(), kept: new Set<string>() }
let player: Awaited<ReturnType<typeof preparePlayer>>
let metrics = ''

before(async () => {
  const temporary = join(workspace.folder, 'temporary')
  await mkdir(temporary)
  const environment = {
    ...SETTINGS,
    DATABASE_URL: database.appUrl,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    LOG_LEVEL: 'trace',
    TMPDIR: temporary,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ACCOUNT_PROVIDER_URL: companies.urlOf('bank'),
    OPERATOR_URL: companies.urlOf('operator'),
    SMS_GATEWAY: 'twilio',
    TWILIO_URL: companies.urlOf('sms'),
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_FROM: '+15550100',
    OIDC_ISSUER: identityProvider.issuer,
    OIDC_CLIENT_ID: 'banyan',
    ADMIN_API_KEYS: `desk:${ADMIN_KEY}`,
    RATE_LIMIT_PLATFORM: '100000',
    RATE_LIMIT_BENEFIT_PROVIDER: '100000',
    RATE_LIMIT_USER: '100000',
    OTP_PAUSE_SECONDS: '1',
  }
  const server = await startServer(workspace, environment)
  try {
    player = await preparePlayer({ origin: workspace.origin, canaries, kept, secrets })
    const minted = await runCommand(['token', '--role', 'owner'], { ...workspace.environment, ...environment })
    const keys = join(workspace.dataDir, 'keys')
    for (const file of await readdir(keys))
      for (const part of partsOfKey(await readFile(join(keys, file), 'utf8'))) secrets.add(part)
    Object.assign(player.tokens, { owner: minted.stdout.trim(), admin_key: ADMIN_KEY })
    await playEverything({ player, canaries, kept, companies, receiver, operatorSecret: SETTINGS.OPERATOR_SECRET })
    metrics = await (await fetch(workspace.metricsUrl)).text()
  } finally {
    await server.stop()
    Object.assign(output, server.output())
  }
  await searchDisk(temporary)
})

async function playEverything(scene: Scene): Promise<void> {
  await playCatalogue(scene)
  await playPerson(scene)
  await playAdministrators()
  await playReads(player, scene)
  const { user_id: first } = player.ids
  const { user, wallet_user } = player.tokens
  for (let index = 1; index < companies.ways; index++) await signUp(scene, index)
  for (const company of ['bank', 'operator', 'sms'] as const) {
    await eventually(
      async () => companies.asked(company),
      (asked) => asked >= companies.ways,
    )
  }
  await playFailures(player, canaries)
  await playEndings(player)
  Object.assign(player.tokens, { user, wallet_user })
  await breakTables()
  await searchTables()
  await player.play('endUserSessions', { ids: { user_id: first ?? '' } })
  await player.play('eraseUser', { ids: { user_id: first ?? '' }, query: '?end_policies=true' })
  await searchTables()
}

/** Successful logins, forged ones, and ones in which the identity provider reveals too much. */
async function playAdministrators(): Promise<void> {
  const name = canaries.text('ID token/name')
  const claims = { name, email: `${name}@example.com`, sub: name, roles: ['viewer'] }
  const browser = openBrowser(callerOf(workspace.origin), workspace.origin)
  const logIn = async (behaviour: Parameters<typeof identityProvider.behave>[0]) => {
    identityProvider.behave({ claims, ...behaviour })
    const { status, text } = await browser.go(await browser.callbackUrl('sandbox-owner'))
    return { status, text }
  }
  assert.equal((await logIn({})).status, 302)
  secrets.add(browser.cookie() ?? assert.fail())
  const { body } = await browser.fetch('POST', '/v1/auth/session/token', { body: {} })
  secrets.add(body.access_token)
  for (const behaviour of [
    { foreignKey: true },
    { tokenStatus: 500, userinfo: { error_description: name } },
    { claims: { ...claims, nonce: name } },
    { claims: { ...claims, roles: [name] } },
    { callback: { state: name } },
    { callback: { error: name, error_description: name } },
  ]) {
    const { status, text } = await logIn(behaviour)
    assert(status >= 400, JSON.stringify(behaviour))
    assert.deepEqual(leaksIn(text, canaries.patterns()), [])
  }
  const { data } = await player.play('listAdministrators')
  player.ids['administrator_id'] = data[0].id
  await player.play('setAdministratorStatus', { given: { status: 'DISABLED' } })
  assert.equal((await browser.fetch('POST', '/v1/auth/logout', { body: {} })).status, 200)
}

/** Internal errors: PostgreSQL quotes the row in its messages for them. */
async function breakTables(): Promise<void> {
  const again = async (operation: string) => {
    const { method, url, headers, body } =
      player.played.findLast((one) => one.operation.operationId === operation) ?? assert.fail()
    const sending = {
      headers: { ...headers, 'idempotency-key': canaries.text(`${operation} (broken)`) },
      body: JSON.stringify(body),
    }
    const { status, text } = await player.ask(operation, method, url, sending)
    assert.equal(status, 500, text)
    assert.doesNotMatch(text, /constraint|column|relation|sealed|violates|authenticate data|\.ts|node:/i)
  }
  await database.sql(`alter table dependants add constraint broken check (user_id = '') not valid`)
  await again('createDependants')
  await database.sql('alter table sponsors rename column sealed to closed')
  await again('createSponsor')
  await database.sql('alter table sponsors rename column closed to sealed')
  const { user_id: id } = player.ids
  await database.sql('update users set sealed = repeat($2, 60) where user_id = $1', [id, 'A'])
  assert.equal(
    (await player.ask('readUser', 'GET', `/v1/users/${id}`, { token: player.tokens.platform ?? '' })).status,
    500,
  )
}

async function searchTables(): Promise<void> {
  const patterns = secretPatterns()
  for (const { location: column, text } of await columnsOfDatabase(database.sql)) {
    for (const leak of leaksIn(text, canaries.patterns())) found.personal.add(`${column} has ${leak}`)
    if (leaksIn(text, kept.patterns()).length > 0) found.kept.add(column)
    for (const leak of leaksIn(text, patterns)) found.secret.add(`${column} has ${leak}`)
  }
}

/** The parts of a kept key that must stay secret; not its id, which is published. */
function partsOfKey(text: string): string[] {
  if (!text.startsWith('{')) return [text.trim().split(':').at(-1) ?? '']
  return (JSON.parse(text) as { keys: { d: string }[] }).keys.map((key) => key.d)
}

async function searchDisk(temporary: string): Promise<void> {
  for await (const { location: where, bytes } of allFiles(temporary)) {
    for (const leak of leaksIn(bytes, canaries.longPatterns())) onDisk.personal.add(`${where}: ${leak}`)
    if (leaksIn(bytes, kept.longPatterns()).length > 0) onDisk.kept.add(where)
  }
}

async function* allFiles(temporary: string) {
  yield* filesOfDatabase(database.sql, log.since)
  yield* filesBelow(workspace.dataDir, 'folder of the program')
  yield* filesBelow(temporary, 'temporary files')
}

const secretPatterns = () =>
  new Map([...secrets].map((secret) => [secret, `a secret that begins with ${secret.slice(0, 6)}`]))

const responsesWith = (isWanted: (status: number, operation: string) => boolean) =>
  player.responses.filter(({ operation, reply }) => isWanted(reply.status, operation))

describe('personal values', () => {
  it('were planted in every text of every operation that takes a body, and each operation was called', () => {
    const uncalled = [...player.known.keys()].filter(
      (id) => !player.responses.some(({ operation }) => operation === id),
    )
    assert.deepEqual(uncalled, IN_A_BROWSER)
    const planted = new Set(player.played.map(({ operation }) => operation.operationId))
    const withBody = [...player.known.values()]
      .filter(({ schema }) => schema)
      .map(({ operation }) => operation.operationId)
    assert.deepEqual(
      withBody.filter((id) => !planted.has(id) && !SENT_OTHERWISE.includes(id)),
      [],
    )
    assert(responsesWith((status) => status >= 400).length > 500)
  })

  it('are in no column that is not sealed, of no table, ours or the job queue’s', () => {
    assert.deepEqual([...found.personal], [])
  })

  it('unsealed texts are in the listed columns, and in no others', () => {
    assert.deepEqual([...found.kept].toSorted(), Object.keys(KEPT_IN_CLEAR).toSorted())
  })

  it('are nowhere on the disk: rows, log and messages of the database, uploads, temporary files', () => {
    assert.deepEqual([...onDisk.personal], [])
    for (const where of ['log of the database', 'rows of the database'])
      assert(onDisk.kept.has(where), `${where}: the search works`)
  })

  it('are nowhere in the log at level trace; nor are unsealed texts and secrets', () => {
    const printed = output.stdout + output.stderr
    assert.deepEqual(leaksIn(printed, canaries.patterns()), [])
    assert.deepEqual(leaksIn(printed, kept.patterns()), [])
    assert.deepEqual(leaksIn(printed, secretPatterns()), [])
  })

  it('the log is complete nevertheless: every request, failed jobs, internal errors', () => {
    const lines = output.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const requests = lines.filter(({ msg }) => msg === 'request')
    assert(requests.length >= player.responses.length)
    for (const status of [200, 201, 400, 401, 404, 405, 409, 415, 422, 500]) {
      assert(
        requests.some((line) => line['status'] === status),
        String(status),
      )
    }
    const errors = ['unexpected error', 'a sealed value cannot be opened']
    assert(lines.filter(({ msg }) => errors.includes(String(msg))).length >= 3)
    assert(lines.filter(({ msg }) => String(msg).startsWith('job failed')).length >= 3 * (companies.ways - 3))
  })

  it('are in no metric and no span', () => {
    assert.match(metrics, /banyan_/)
    assert(collector.spans.length > 1_000)
    for (const text of [metrics, collector.text()]) {
      for (const patterns of [canaries.patterns(), kept.patterns(), secretPatterns()])
        assert.deepEqual(leaksIn(text, patterns), [])
    }
  })

  it('are in no error: neither in its body nor in its headers', () => {
    const patterns = new Map([...canaries.patterns(), ...secretPatterns()])
    for (const { operation, reply } of responsesWith((status) => status >= 400)) {
      const text = `${JSON.stringify([...reply.headers])}${reply.text}`
      assert.deepEqual(leaksIn(text, patterns), [], operation)
    }
  })

  it('are in nothing that other parties see: events, webhooks, deliveries, the audit', () => {
    assert(receiver.received.length > 20)
    for (const { headers, text } of receiver.received) {
      assert.deepEqual(leaksIn(JSON.stringify(headers) + text, canaries.patterns()), [])
    }
    for (const operation of ['listEvents', 'listWebhookDeliveries', 'listAuditLog', 'listAccessLog']) {
      const responses = responsesWith((status, one) => status < 300 && one === operation)
      assert(responses.length > 0, operation)
      for (const { reply } of responses) assert.deepEqual(leaksIn(reply.text, canaries.patterns()), [], operation)
    }
  })
})

describe('secrets', () => {
  it('are in no column, except sealed or as a hash', () => {
    assert(secrets.size > 30)
    assert.deepEqual([...found.secret], [])
  })
})

describe('the search', () => {
  it('finds a value however it is written, wherever it is cut', () => {
    for (const [pattern, name] of canaries.patterns()) {
      const value = `${pattern}000`
      const written = [
        value,
        value.toUpperCase(),
        encodeURIComponent(value),
        JSON.stringify({ value }),
        Buffer.from(value).toString('hex'),
      ]
      const encoded = ['', ' ', '  '].map((before) => Buffer.from(`${before}${value}`))
      for (const text of [
        ...written,
        ...encoded.map((bytes) => bytes.toString('base64')),
        ...encoded.map((bytes) => bytes.toString('base64url')),
      ]) {
        assert.equal(leaksIn(`x${text}y`, new Map([[pattern, name]])).length, 1, text)
        assert.equal(leaksIn(Buffer.from(`x${text}y`), new Map([[pattern, name]])).length, 1, text)
      }
    }
  })

  it('finds one in a column that is not sealed and in a line of the log', async () => {
    const value = canaries.text('planted')
    await database.sql('update benefits set name = $1', [value])
    const columns = await columnsOfDatabase(database.sql)
    const leaking = columns
      .filter(({ text }) => leaksIn(text, canaries.patterns()).length > 0)
      .map(({ location }) => location)
    assert.deepEqual(leaking, ['benefits.name'])
    assert.equal(leaksIn(`${output.stderr}{"msg":"hello ${value}"}`, canaries.patterns()).length, 1)
  })
})
