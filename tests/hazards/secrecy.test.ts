import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { callerOf, openBrowser } from '../support/administrators.ts'
import { ADDRESS, PLAN } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { type Client, clientOf, eventually, newPlace, runCommand, startServer } from '../support/server.ts'
import { type EchoingAccountProvider, startEchoingAccountProvider } from './echoing-account-provider.ts'

/** A unique word, so that finding it anywhere is a leak. */
const unique = (word: string) => `${word}${randomInt(1e9, 1e10).toString(36)}`
const digits = (count: number) => Array.from({ length: count }, () => randomInt(1, 10)).join('')

/** Every personal value of the scene. */
const PERSONAL = {
  firstName: unique('Asha'),
  lastName: unique('Example'),
  otherName: unique('Changed'),
  email: `${unique('asha')}@example.com`,
  phone: digits(10),
  otherPhone: digits(10),
  line1: unique('Lane '),
  city: unique('City '),
  raw: unique('Flat 4, near '),
  dob: '1943-02-17',
  idProof: `ID${digits(10)}`,
  account: digits(16),
  dependant: unique('Ravi'),
  dependantBirth: '2011-10-29',
  message: unique('I have a fever since '),
  question: unique('Do you smoke '),
  reason: unique('They said that '),
  metadata: unique('Diagnosis '),
  sponsorName: unique('Mr Sponsor '),
  sponsorFirst: unique('Sponsorfirst'),
  sponsorPhone: digits(11),
  pan: `AAAPB${digits(4)}C`,
  wrongEmail: `${unique('ravi')}@@example`,
  administrator: 'Asha Example', // of the sandbox
}

/** Every token and secret, added when issued. */
const secrets: string[] = ['bank-key-that-nobody-may-see']
const output = { stdout: '', stderr: '' }
const responses: { status: number; text: string; ok: boolean }[] = []

let database: Awaited<ReturnType<typeof cloneDatabase>>
let call: Client

before(async () => {
  const [place, bank] = await Promise.all([newPlace(), startEchoingAccountProvider()])
  database = await cloneDatabase()
  const environment = { ACCOUNT_PROVIDER_URL: bank.url, ACCOUNT_PROVIDER_API_KEY: secrets[0] ?? '', LOG_LEVEL: 'trace' }
  const databases = { DATABASE_URL: database.appUrl, MIGRATION_DATABASE_URL: database.ownerUrl }
  const server = await startServer(place, { ...environment, ...databases })
  try {
    call = remembering(clientOf(place.origin))
    const owner = (await runCommand(['token', '--role', 'owner'], place.environment)).stdout.trim()
    secrets.push(owner)
    await playScene(owner, bank)
    await logInAndOut(place.origin)
    await clientOf(place.metricsUrl)('GET', '').then(({ text, status }) => responses.push({ status, text, ok: false }))
    const folder = join(place.dataDir, 'keys')
    for (const file of await readdir(folder)) secrets.push(...partsOfKey(await readFile(join(folder, file), 'utf8')))
  } finally {
    await server.stop()
    bank.stop()
    Object.assign(output, server.output())
    await place.remove()
  }
})
after(() => database.close())

/** The secret parts of a stored key; not its id, which is published. */
function partsOfKey(text: string): string[] {
  if (!text.startsWith('{')) return [text.trim().split(':').at(-1) as string]
  return (JSON.parse(text) as { keys: { d: string }[] }).keys.map((key) => key.d)
}

/** Errors are kept, to be searched too. */
function remembering(client: Client): Client {
  return async (method, path, sending) => {
    const response = await client(method, path, sending)
    responses.push({ status: response.status, text: response.text, ok: response.status < 300 })
    return response
  }
}

async function made(method: string, path: string, token: string, body?: object) {
  const response = await call(method, path, { token, ...(body && { body }) })
  assert(response.status < 300, `${method} ${path}: ${response.text}`)
  return response.body
}

async function credentialFor(path: string, owner: string): Promise<string> {
  const { basic_token } = await made('POST', `${path}/credentials`, owner)
  const headers = { authorization: `Basic ${basic_token}` }
  const exchanged = await call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
  const { access_token } = exchanged.body
  secrets.push(basic_token, Buffer.from(basic_token, 'base64').toString().split(':')[1] as string, access_token)
  return access_token
}

const p = PERSONAL
const address = { ...ADDRESS, line1: p.line1, city: p.city, raw: p.raw }
const sponsor = {
  name: p.sponsorName,
  pan: p.pan,
  address: { ...ADDRESS, line1: p.line1, city: p.city },
  sponsor_details: {
    sponsor_kind: 'INDIVIDUAL',
    first_name: p.sponsorFirst,
    last_name: p.lastName,
    phone: p.sponsorPhone,
  },
}
const identity = { id_proof: { number: p.idProof }, phone_country_code: '+91', phone_number: p.phone }
const profile = {
  first_name: p.firstName,
  last_name: p.lastName,
  email: p.email,
  dob: p.dob,
  gender: 'FEMALE',
  address,
}
const bank_details = { account_number: p.account, ifsc_code: 'HDFC0000001' }
const onboarding = { ...profile, title: 'MS', bank_details }
const dependants = [{ first_name: p.dependant, last_name: p.lastName, date_of_birth: p.dependantBirth }]

/** Every operation that takes personal data, with valid and invalid calls. */
async function playScene(owner: string, bank: EchoingAccountProvider): Promise<void> {
  const { id: platformId } = await made('POST', '/v1/platforms', owner, { name: 'Acme' })
  const platform = await credentialFor(`/v1/platforms/${platformId}`, owner)
  const provider = await made('POST', '/v1/benefit_providers', owner, { name: 'Suraksha', code: 'SURAKSHA' })
  const insurer = await credentialFor(`/v1/benefit_providers/${provider.id}`, owner)
  const { id: sponsorId } = await made('POST', '/v1/sponsors', platform, sponsor)
  await made('PUT', `/v1/sponsors/${sponsorId}/status`, owner, { status: 'ACTIVE', reason: p.reason })
  const plan = { name: 'Cover', benefit_provider_id: provider.id, sponsor_id: sponsorId, plans: [PLAN] }
  const { id: benefit_id } = await made('POST', '/v1/benefits', owner, plan)

  const issued = await made('POST', '/v1/auth/token', platform, { ...identity, ...profile })
  secrets.push(issued.access_token)
  const at = `/v1/users/${issued.user_id}`
  secrets.push((await made('POST', `${at}/complete_onboarding`, issued.access_token, onboarding)).access_token)
  await made('POST', `${at}/dependants/bulk`, platform, { dependants })
  const questionnaire = { questions: [{ question: p.question, answer: true }] }
  const enrolment = {
    benefit_id,
    plan_code: PLAN.plan_code,
    start_date: '2026-04-01',
    dependant_ids: [],
    questionnaire,
  }
  const policy = await made('POST', `${at}/insurance_policies`, platform, enrolment)
  const transition = { status: 'VERIFICATION', reason: p.reason, provider_metadata: { note: p.metadata } }
  await made('PUT', `${at}/insurance_policies/${policy.id}/status`, insurer, transition)
  const consultation = await made('POST', `${at}/consultations`, platform, { benefit_provider_id: provider.id })
  await made('PATCH', at, platform, { first_name: p.otherName, address, email: p.email })
  await made('PATCH', at, platform, { first_name: p.firstName })
  for (const asked of [{ phone_country_code: '+91', phone_number: p.phone }, { id_proof: { number: p.idProof } }]) {
    for (const token of [platform, owner]) await made('POST', '/v1/users/search', token, asked)
  }
  const message = { body: { content: p.message, message_type: 'TEXT' } }
  await made('POST', `${at}/consultations/${consultation.id}/messages`, issued.access_token, message)
  for (const path of [
    '',
    '/dependants',
    '/insurance_policies',
    '/accounts',
    `/consultations/${consultation.id}/messages`,
  ]) {
    await made('GET', at + path, platform)
  }
  await openAccounts(platform, bank.ways - 1)
  await eventually(
    async () => bank.asked(),
    (asked) => asked >= bank.ways,
  )
  await causeErrors({ platform, at })
}

/** An administrator, and somebody who is not one. */
async function logInAndOut(origin: string): Promise<void> {
  const browser = openBrowser(callerOf(origin), origin)
  const callback = await browser.callbackUrl('sandbox-owner')
  secrets.push(new URL(callback).searchParams.get('code') ?? assert.fail())
  const forged = await openBrowser(callerOf(origin), origin).go(callback)
  responses.push({ ...forged, ok: false })
  assert.equal((await browser.go(callback)).status, 302)
  secrets.push(browser.cookie() ?? assert.fail())
  const { body } = await browser.fetch('POST', '/v1/auth/session/token', { body: {} })
  secrets.push(body.access_token)
  assert.equal((await browser.fetch('GET', '/v1/auth/session')).body.name, p.administrator)
  assert.equal((await browser.fetch('POST', '/v1/auth/logout', { body: {} })).status, 200)
  responses.push({ ...(await browser.go(callback)), ok: false })
}

/** One account for each way in which the bank fails. */
async function openAccounts(platform: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const phone = { phone_country_code: '+91', phone_number: `6${digits(9)}` }
    const { user_id, access_token } = await made('POST', '/v1/auth/token', platform, phone)
    secrets.push(access_token)
    await made('POST', `/v1/users/${user_id}/complete_onboarding`, platform, onboarding)
  }
}

type Scene = { platform: string; at: string }

async function causeErrors({ platform, at }: Scene): Promise<void> {
  const refused = async (status: number, ...[method, path, sending]: Parameters<Client>) => {
    const response = await call(method, path, { token: platform, ...sending })
    assert.equal(response.status, status, `${method} ${path}: ${response.text}`)
  }
  const json = { 'content-type': 'application/json' }
  await refused(400, 'POST', '/v1/auth/token', { headers: json, body: `{"first_name":"${p.firstName}",` })
  await refused(422, 'POST', '/v1/auth/token', { body: { ...identity, email: p.wrongEmail, first_name: '' } })
  await refused(409, 'POST', '/v1/auth/token', { body: { ...identity, id_proof: { number: `X${p.idProof}` } } })
  await refused(422, 'POST', '/v1/users/search', { body: identity })
  await refused(422, 'POST', '/v1/users/search', { body: { phone_number: p.phone } })
  await refused(405, 'GET', `/v1/users/search?phone_number=${p.phone}`)
  const other = { phone_country_code: '+91', phone_number: p.otherPhone }
  secrets.push((await made('POST', '/v1/auth/token', platform, other)).access_token)
  const taken = { ...other, email: p.email, first_name: p.otherName }
  await refused(409, 'PATCH', at, { body: taken })
  await refused(422, 'PATCH', at, { body: { ...taken, email: p.wrongEmail, last_name: '' } })
  await refused(409, 'POST', `${at}/complete_onboarding`, { body: { ...onboarding, first_name: p.otherName } })
  await refused(409, 'POST', `${at}/dependants/bulk`, { body: { dependants } })
  await refused(404, 'GET', `/v1/sponsors/${encodeURIComponent(p.firstName)}`)
  await refused(404, 'GET', `/v1/${p.phone}/${p.email}?access_token=${platform}`)
  await refused(422, 'GET', `/v1/sponsors?status=${encodeURIComponent(p.email)}`)
  await refused(422, 'GET', `/v1/users/${p.phone}`)
  await refused(401, 'GET', at, { token: `${platform.slice(0, -8)}AAAAAAAA` })
  await refused(401, 'GET', '/v1/account_providers', { headers: { 'admin-api-key': platform } })
  await refused(415, 'POST', '/v1/auth/token', { headers: { 'content-type': 'text/plain' }, body: p.message })

  // Internal errors: PostgreSQL's messages for them quote the row.
  await database.sql(`alter table dependants add constraint broken check (user_id = '') not valid`)
  const more = { dependants: [{ ...dependants[0], first_name: p.otherName }] }
  await refused(500, 'POST', `${at}/dependants/bulk`, { body: more })
  await database.sql('alter table sponsors rename column sealed to closed')
  await refused(500, 'POST', '/v1/sponsors', { body: sponsor })
  await database.sql(`update users set sealed = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' where user_id = $1`, [
    at.slice(-12),
  ])
  await refused(500, 'GET', at)
}

/** Every row of every table, ours and the queue's. */
async function everyRowAsText(): Promise<string> {
  const tables = await database.sql<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
      where schemaname in ('banyan', 'pgboss')`,
  )
  return tables
    .map(({ name }) => `select '${name}' as place, row::text as text from ${name} as row`)
    .join(' union all ')
}

/** The encodings in which a text might appear. */
const spellings = (text: string) => [
  text,
  encodeURIComponent(text),
  JSON.stringify(text).slice(1, -1),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
]

/** Returns the names of the values found in the text; never the values, so that a failing test does not reveal them. */
function leaksIn(text: string, values: string[]): string[] {
  return values
    .filter((value) => spellings(value).some((spelling) => text.includes(spelling)))
    .map((value) => value.slice(0, 6))
}

const personal = Object.values(PERSONAL)

describe('personal data, tokens and secrets', () => {
  it('are found by the scan that these tests use', () => {
    for (const value of personal) {
      for (const spelling of spellings(value)) assert.equal(leaksIn(`x${spelling}y`, [value]).length, 1)
    }
    assert(secrets.length > 15 && secrets.every((secret) => secret.length > 20))
  })

  it('appear nowhere in the program’s output, at the most verbose log level', () => {
    const printed = output.stdout + output.stderr
    assert.deepEqual(leaksIn(printed, [...personal, ...secrets]), [])
  })

  it('are left out although the log has every request, failed job and internal error', () => {
    const lines = output.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const requests = lines.filter((line) => line['msg'] === 'request')
    assert(requests.length >= responses.length - 1, `${requests.length} of ${responses.length}`)
    for (const status of [200, 201, 400, 401, 404, 409, 415, 422, 500]) {
      assert(
        requests.some((line) => line['status'] === status),
        String(status),
      )
    }
    assert(lines.filter((line) => line['msg'] === 'unexpected error').length >= 3)
    assert(lines.filter((line) => String(line['msg']).startsWith('job failed')).length >= 4)
  })

  it('appear in no error and in no metric', () => {
    const problems = responses.filter(({ ok }) => !ok)
    assert(problems.length > 15)
    assert.deepEqual(
      problems.flatMap(({ text }) => leaksIn(text, [...personal, ...secrets])),
      [],
    )
    for (const { text } of problems.filter(({ status }) => status === 500)) {
      assert.doesNotMatch(text, /constraint|column|relation|sealed|violates|authenticate data|\.ts|node:/i)
    }
  })

  it('appear in clear text in no row of any table, ours or the queue’s', async () => {
    const rows = await database.sql<{ place: string; text: string }>(await everyRowAsText())
    assert(rows.length > 50)
    const leaks = rows.flatMap(({ place, text }) =>
      leaksIn(text, [...personal, ...secrets]).map((leak) => `${place} ${leak}`),
    )
    assert.deepEqual([...new Set(leaks)], [])
  })

  it('do not appear in the log of PostgreSQL, which quotes rows that it rejects', async () => {
    const [row] = await database.sql<{ data: string }>(`select current_setting('data_directory') as data`)
    const log = readFileSync(join(String(row?.data), 'server.log'), 'utf8')
    assert.match(log, /Failing row contains/)
    assert.deepEqual(leaksIn(log, [...personal, ...secrets]), [])
  })
})
