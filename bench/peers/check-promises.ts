import assert from 'node:assert/strict'
import { decodeJwt, jwtVerify } from 'jose'
import type pg from 'pg'
import { ask, type Request } from '../ask.ts'
import { userInputOf } from '../families.ts'
import { type Tenant, withClient } from '../fill.ts'
import type { Say, Stage } from '../stage.ts'
import { until } from '../until.ts'
import { createWallet, walletStatus } from '../wallet-requests.ts'
import type { WalletSide } from '../wallet-side.ts'
import type { PromiseDatabase } from './promise-population.ts'
import type { Kind, System } from './systems.ts'

type Ground = { stage: Stage; tenant: Tenant; wallets: WalletSide; promises: PromiseDatabase; say: Say }
type Work = <T>(what: (client: pg.Client) => Promise<T>) => Promise<T>
type Response = { status: number; type: string | null; body: Record<string, unknown>; text: string }
/** A system with its database, and how it is called. */
type Checked = { url: string; work: Work; ground: Ground; index: number }

const COMPARED_USERS = 30
/** The first number of users that the checks create. */
const FIRST_INDEX = 4_000_000
const READ_LOG_TIMEOUT_MS = 5_000
const WITH_THREE_DEPENDANTS = 5
/** The names of the first two of them. */
const EXCHANGED_NAMES = ['Ravi', 'Meera']
const UNKNOWN_USER = '000000000000'

/** Checks, before anything is measured, that the peers which claim to keep the product's promises do; the product passes the same checks. */
export async function checkPromises(systems: readonly System[], ground: Ground): Promise<void> {
  const { stage, promises, say } = ground
  const works: Record<Kind, Work | undefined> = {
    product: (what) => withClient(stage.config.migrationDatabaseUrl, what),
    promises: promises.work,
    bare: undefined,
  }
  for (const [place, { name, kind, url }] of systems.entries()) {
    const work = works[kind]
    if (!work) continue
    say(`checking the promises of ${name}`)
    const checked = { url, work, ground, index: FIRST_INDEX + place }
    for (const check of CHECKS) await check(checked)
  }
}

const CHECKS = [
  showsWhatTheProductShows,
  issuesTheSameTokens,
  recordsAndSealsWhatIsWritten,
  bindsSealedValuesToTheirRows,
  recordsReads,
  listsEveryError,
  refusesWithProblems,
]

const asPlatform = ({ ground }: Checked) => ({ authorization: `Bearer ${ground.tenant.platformToken}` })
const jsonHeaders = (checked: Checked) => ({ ...asPlatform(checked), 'content-type': 'application/json' })
const policiesOf = (userId: string, query = '') => `/v1/users/${userId}/insurance_policies${query}`
const dependantsOf = (userId: string) => `/v1/users/${userId}/dependants/bulk`

async function send(url: string, request: Request): Promise<Response> {
  const { status, type, text } = await ask(url, request)
  return { status, type, text, body: JSON.parse(text) as Record<string, unknown> }
}

const get = (checked: Checked, path: string, headers: Record<string, string> = asPlatform(checked)) =>
  send(checked.url, { method: 'GET', path, headers })

const post = (checked: Checked, path: string, input: object) =>
  send(checked.url, { method: 'POST', path, headers: jsonHeaders(checked), body: JSON.stringify(input) })

async function showsWhatTheProductShows(checked: Checked): Promise<void> {
  const { stage, tenant } = checked.ground
  const product = { ...checked, url: stage.productUrl }
  for (const { userId } of tenant.people.slice(0, COMPARED_USERS)) {
    for (const query of ['', '?limit=2', '?limit=2&offset=2', '?status=ISSUED&status=PENDING']) {
      const [own, expected] = await Promise.all([checked, product].map((one) => get(one, policiesOf(userId, query))))
      assert.equal(own?.status, 200)
      assert.deepEqual(own.body, expected?.body)
    }
  }
}

async function issuesTheSameTokens(checked: Checked): Promise<void> {
  const { stage, tenant } = checked.ground
  const [{ publicKey }] = stage.config.keys.signingKeys
  const [person] = tenant.people
  assert(person)
  const written = await countOfEvents(checked)
  const claims = async (url: string) => {
    const { status, body } = await post({ ...checked, url }, '/v1/auth/token', person.input)
    assert.equal(status, 200)
    assert.equal(body['user_id'], person.userId)
    const { payload } = await jwtVerify(String(body['access_token']), publicKey, { algorithms: ['EdDSA'] })
    const { iat, exp, jti, ...own } = payload
    assert(typeof iat === 'number' && typeof exp === 'number' && typeof jti === 'string')
    return own
  }
  assert.deepEqual(await claims(checked.url), await claims(stage.productUrl))
  assert.equal(await countOfEvents(checked), written, 'an unchanged user writes nothing')
}

const countOfEvents = ({ work }: Checked): Promise<number> =>
  work(async (client) => {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from events')
    return rows[0]?.count ?? 0
  })

const SECRETS = { first_name: 'Readable', last_name: 'Nowhere' }

/** A new user, ten dependants and a wallet: each write with its event, audit entry and history, and nothing readable. */
async function recordsAndSealsWhatIsWritten(checked: Checked): Promise<void> {
  const input = { ...userInputOf(checked.index), ...SECRETS }
  const { body } = await post(checked, '/v1/auth/token', input)
  const userId = String(body['user_id'])
  assert.deepEqual(await writtenWith('users', userId, checked), ['audit change', 'event user.created'])

  const dependants = Array.from({ length: 10 }, (_, place) => ({ ...SECRETS, date_of_birth: `201${place}-08-02` }))
  const added = await post(checked, dependantsOf(userId), { dependants })
  assert.equal(added.status, 201)
  const shown = (added.body['data'] as typeof dependants).map((one) => ({
    ...SECRETS,
    date_of_birth: one.date_of_birth,
  }))
  assert.deepEqual(shown, dependants)
  assert.deepEqual(await writtenWith('dependants', userId, checked), ['audit change', 'event dependants.created'])

  const headers = checked.ground.wallets.headersOf(userId)
  const wallet = await send(checked.url, createWallet(headers))
  assert.equal(wallet.status, 201)
  const { partner_wallet_id: id, ...own } = wallet.body
  const pending = { wallet_status: 'PENDING', wallet_status_partner: 'UNKNOWN' }
  assert.deepEqual(own, { user_id: userId, balance: 0, created: true, ...pending })
  const written = await writtenWith('wallets', userId, checked)
  const changes = ['event wallet.status_changed', 'event wallet.status_changed', 'history CREATED', 'history PENDING']
  assert.deepEqual(written, ['audit change', ...changes])
  const again = await send(checked.url, createWallet(headers))
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, { ...wallet.body, created: false })
  assert.deepEqual(await writtenWith('wallets', userId, checked), written, 'an existing wallet writes nothing')
  const status = await send(checked.url, walletStatus(String(id), headers))
  assert.deepEqual(status.body, { wallet_id: id, wallet_status: 'PENDING' })

  const { first_name, last_name, phone_number, email, id_proof } = input
  await checkNowhere(checked, [first_name, last_name, phone_number, email, id_proof.number, input.address.line1])
}

/** Returns what was written in the transaction of a user's rows in a table, which must be one. */
const writtenWith = (table: string, userId: string, { work }: Checked): Promise<string[]> =>
  work(async (client) => {
    const own = await client.query<{ xmin: string }>(`select distinct xmin::text from ${table} where user_id = $1`, [
      userId,
    ])
    assert.equal(own.rows.length, 1, `the rows of ${table} are of one transaction`)
    const { rows } = await client.query<{ written: string }>(
      `select 'event ' || type as written from events where xmin::text = $1
        union all
       select 'audit ' || action from audit_entries where xmin::text = $1 and user_id = $2 and request_id <> ''
        union all
       select 'history ' || to_status from user_status_changes where xmin::text = $1 and user_id = $2
        order by written`,
      [own.rows[0]?.xmin, userId],
    )
    return rows.map(({ written }) => written)
  })

/** Checks that no row of any table has one of the texts. */
const checkNowhere = ({ work }: Checked, texts: string[]): Promise<void> =>
  work(async (client) => {
    const tables = await client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema()',
    )
    assert(tables.rows.length > 5, 'the tables of the system are in this schema')
    for (const { name } of tables.rows) {
      const text = `select row_to_json(t)::text as row from ${name} t where t::text like any ($1) limit 1`
      const { rows } = await client.query<{ row: string }>(text, [texts.map((one) => `%${one}%`)])
      assert.deepEqual(rows, [], `${name} has readable personal data`)
    }
  })

async function bindsSealedValuesToTheirRows(checked: Checked): Promise<void> {
  const userId = checked.ground.tenant.people[WITH_THREE_DEPENDANTS]?.userId as string
  const list = () => get(checked, policiesOf(userId))
  const before = await list()
  for (const name of EXCHANGED_NAMES) assert(before.text.includes(`"${name}"`))
  await exchange(checked, userId)
  const { text } = await list()
  for (const name of EXCHANGED_NAMES) assert(!text.includes(`"${name}"`), 'a value of another row was opened')
  await exchange(checked, userId)
  assert.deepEqual((await list()).body, before.body)
}

/** Exchanges the sealed values of a user's first two dependants. */
const exchange = ({ work }: Checked, userId: string): Promise<void> =>
  work(async (client) => {
    await client.query(
      `with two as (select dependant_id, sealed from dependants where user_id = $1 order by dependant_id limit 2)
       update dependants d set sealed = o.sealed
         from two t, two o
        where d.user_id = $1 and d.dependant_id = t.dependant_id and o.dependant_id <> t.dependant_id`,
      [userId],
    )
  })

async function recordsReads(checked: Checked): Promise<void> {
  const userId = checked.ground.tenant.people[COMPARED_USERS]?.userId as string
  const countReads = () =>
    checked.work(async (client) => {
      const text = `select count(*)::int as count from audit_entries where user_id = $1 and action = 'read'`
      return (await client.query<{ count: number }>(text, [userId])).rows[0]?.count ?? 0
    })
  const before = await countReads()
  await get(checked, policiesOf(userId))
  await until(READ_LOG_TIMEOUT_MS, async () => (await countReads()) === before + 1)
}

/** Every error at once. Parameters that do not exist are errors too; unknown members of a body may also be dropped. */
async function listsEveryError(checked: Checked): Promise<void> {
  const userId = checked.ground.tenant.people[0]?.userId as string
  const wrong = { phone_country_code: '91', phone_number: 'x', first_name: 7, dob: '2999-01-01' }
  const pointers = Object.keys(wrong).map((name) => `/${name}`)
  await checkErrors(post(checked, '/v1/auth/token', { ...userInputOf(0), ...wrong }), pointers)
  const dependants = [{ first_name: ' ', last_name: 'Example', date_of_birth: '2023-02-31' }, { first_name: 'Asha' }]
  const ofDependants = ['0/date_of_birth', '0/first_name', '1/date_of_birth', '1/last_name']
  const pointersOf = ofDependants.map((place) => `/dependants/${place}`)
  await checkErrors(post(checked, dependantsOf(userId), { dependants }), pointersOf)
  await checkErrors(get(checked, policiesOf(userId, '?limit=0&surplus=1')), ['query:limit', 'query:surplus'])
  await checkErrors(get(checked, policiesOf('12')), ['path:user_id'])
}

async function checkErrors(sent: Promise<Response>, pointers: string[]): Promise<void> {
  const errors = (await checkProblem(sent, 422, 'validation_failed'))['errors'] as { pointer: string }[]
  assert.deepEqual(errors.map(({ pointer }) => pointer).toSorted(), pointers.toSorted())
}

async function checkProblem(sent: Promise<Response>, status: number, code: string): Promise<Response['body']> {
  const response = await sent
  assert.equal(response.status, status, response.text)
  assert.match(response.type ?? '', /^application\/problem\+json/)
  assert.equal(response.body['status'], status)
  assert.equal(response.body['code'], code)
  for (const name of ['type', 'title', 'detail', 'instance']) assert.equal(typeof response.body[name], 'string', name)
  return response.body
}

async function refusesWithProblems(checked: Checked): Promise<void> {
  const { tenant } = checked.ground
  const { userId } = tenant.people[1] as { userId: string }
  const path = policiesOf(userId)
  await checkProblem(get(checked, path, {}), 401, 'unauthenticated')
  await checkProblem(
    get(checked, path, { authorization: `Bearer ${forged(tenant.platformToken)}` }),
    401,
    'unauthenticated',
  )
  await checkProblem(get(checked, policiesOf(UNKNOWN_USER)), 404, 'not_found')
  await checkProblem(post(checked, dependantsOf(UNKNOWN_USER), { dependants: [child(0)] }), 404, 'not_found')
  const malformed = { method: 'POST', path: '/v1/auth/token', headers: jsonHeaders(checked), body: '{"phone' }
  await checkProblem(send(checked.url, malformed), 400, 'malformed_json')

  const other = { ...userInputOf(0), id_proof: userInputOf(1).id_proof }
  await checkProblem(post(checked, '/v1/auth/token', other), 409, 'conflict')
  const { body } = await post(checked, '/v1/auth/token', userInputOf(checked.index + 100))
  const asUser = { authorization: `Bearer ${String(body['access_token'])}`, 'content-type': 'application/json' }
  const asked = { method: 'POST', path: '/v1/auth/token', headers: asUser, body: JSON.stringify(userInputOf(0)) }
  await checkProblem(send(checked.url, asked), 403, 'forbidden')
  const dependants = Array.from({ length: 50 }, (_, place) => child(place))
  const own = dependantsOf(String(body['user_id']))
  await checkProblem(post(checked, own, { dependants: [child(0), child(1), child(0)] }), 422, 'validation_failed')
  assert.equal((await post(checked, own, { dependants: dependants.slice(0, 45) })).status, 201)
  await checkProblem(post(checked, own, { dependants: [child(0)] }), 409, 'conflict')
  await checkProblem(
    post(checked, own, { dependants: [1, 2, 3, 4, 5, 6].map((place) => child(100 + place)) }),
    409,
    'conflict',
  )
}

const child = (place: number) => ({ first_name: `Child ${place}`, last_name: 'Example', date_of_birth: '2015-08-02' })

/** The same signature under other claims. */
function forged(token: string): string {
  const [header, , signature] = token.split('.')
  const claims = { ...decodeJwt(token), platform_id: 'plt_other' }
  return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
}
