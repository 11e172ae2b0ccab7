import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp } from '../support/app.ts'
import { FROM_OUR_PAGE, SESSION_COOKIE } from '../support/administrators.ts'
import { ADMIN_KEYS } from '../support/keys.ts'
import { matrix } from '../../src/access/matrix.ts'
import { fillWorld, watchDecryption } from './decrypted.ts'
import { credentialOf, PRINCIPALS, type Principal, ROLE_TABLE, credentialFor, type TableRow } from './role-table.ts'
import {
  addressOf,
  bodiesIn,
  findsRecord,
  type Ids,
  MADE_ONCE,
  malformed,
  MISSING,
  namesIn,
  needsIn,
  prepareWorld,
  queriesIn,
} from './world.ts'

const decrypted = watchDecryption()
const t = await openTestApp()
const ours = await prepareWorld(t)
const theirs = await prepareWorld(t)
/** Another user of the same platform: not visible to our user, but to our platform. */
const sibling = await t.onboardedUser(ours.platform)
const bodies = bodiesIn(ours)
const needs = needsIn(t, ours)
const queries = queriesIn(ours)
const policyWithReason = await fillWorld(t, ours, bodies)

/** What it decrypts is changed, which is an entry; the response has none of it. */
const SHOWS_NOTHING = ['issueToken']

const nameOf = ({ method, path }: TableRow) => `${method} ${path}`
const bodyOf = (row: TableRow) => {
  const body = bodies[nameOf(row)]
  return typeof body === 'function' ? body() : body
}
/** A body in which everything is invalid; undefined for operations without a body. */
const carelessBody = (row: TableRow) =>
  bodyOf(row) && { body: Buffer.isBuffer(bodyOf(row)) ? Buffer.from('no document') : {} }
const hasIds = (row: TableRow) => namesIn(row.path).length > 0

/** Returns this principal's credential: a token, or the administrator key, or a session cookie where requested. */
function shownBy(principal: Principal | null, row: TableRow) {
  const cookie = principal && ours.cookies[principal]
  if (credentialOf(row) === 'session' && cookie) {
    return { headers: { ...FROM_OUR_PAGE, cookie: `${SESSION_COOKIE}=${cookie}` } }
  }
  const secret = principal && ours.tokens[principal]
  if (secret === null) return {}
  return principal === 'admin_key' ? { adminKey: secret } : { token: secret }
}

const fileType = ({ path }: TableRow) => (/(imports|comparisons)$/.test(path) ? 'text/csv' : 'application/pdf')
/** Makes the call as this principal. */
function callAs(
  principal: Principal | null,
  row: TableRow,
  { ids = ours.ids, body = bodyOf(row), query = queries[nameOf(row)] ?? '' } = {},
) {
  const isFile = Buffer.isBuffer(body)
  const { headers: own = {}, ...shown } = shownBy(principal, row)
  const headers = { ...own, 'idempotency-key': randomUUID(), ...(isFile && { 'content-type': fileType(row) }) }
  return t.call(row.method, addressOf(row.path, ids) + query, {
    ...shown,
    headers,
    ...(body !== undefined && { body }),
  })
}

/** Asserts the documented success status and nothing else. */
function successOf(row: TableRow): number {
  const operations = t.app.document().paths?.[row.path] as Record<string, { responses: Record<string, unknown> }>
  const { responses } = operations[row.method.toLowerCase()] ?? { responses: {} }
  const documented = Object.keys(responses).flatMap((status) => (status.startsWith('2') ? [Number(status)] : []))
  // Each of this test is new: 201, and 200 for one that was sent before.
  if (/^POST \/v1\/(imports|sponsors\/.*\/entries)$/.test(nameOf(row))) return 201
  const [success = 0, ...others] = documented
  assert.deepEqual(others, MADE_ONCE.includes(nameOf(row)) ? [201] : [], nameOf(row))
  return success
}

const granted = (row: TableRow) =>
  PRINCIPALS.flatMap((principal) => {
    const grant = row.grants[principal]
    return grant === undefined ? [] : [{ principal, grant }]
  })
const refused = (row: TableRow) => PRINCIPALS.filter((principal) => row.grants[principal] === undefined)

/** A credential of the wrong kind counts as none: 401. The right kind with the wrong role: 403. */
const problemOf = (row: TableRow, principal: Principal) =>
  credentialOf(row) === 'bearer' && principal !== 'admin_key' && principal !== 'wallet_user' ? 403 : 401

const publicName = (principal: Principal) => (principal === 'provider' ? 'benefit_provider' : principal)
/** What is a session's own, people of partners may do, too. */
const OF_SESSION = ['GET /v1/auth/session', 'POST /v1/auth/session/token', 'GET /v1/audit_log']
const requiredFor = (row: TableRow) => [
  ...granted(row).map(({ principal }) => publicName(principal)),
  ...(OF_SESSION.includes(nameOf(row)) ? ['platform_person', 'benefit_provider_person'] : []),
]

/** Returns a problem without the two members that identify the request. */
function withoutRequestIds({ status, body, headers }: TestResponse) {
  const { instance: _instance, request_id: _requestId, ...rest } = body
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...others } = headers
  return { status, body: rest, headers: others }
}

describe('the role matrix', () => {
  it('lists exactly the operations of the OpenAPI document, with the same callers', () => {
    const paths = Object.entries(t.app.document().paths ?? {}) as [string, Record<string, Record<string, unknown>>][]
    const inside = paths.filter(([path]) => !OUTSIDE.test(path))
    const documented = inside.flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        { callers: operation['x-callers'], security: operation['security'] },
      ]),
    )
    const written = ROLE_TABLE.map((row) => [
      nameOf(row),
      { callers: row.grants, security: credentialFor(row).map((credential) => ({ [credential]: [] })) },
    ])
    assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(written))
    assert.equal(ROLE_TABLE.length, documented.length)
  })

  it('has a body for every operation that takes one, and sends it', () => {
    const withBody = Object.entries(t.app.document().paths ?? {}).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { requestBody?: object }>)
        .filter(([, operation]) => operation.requestBody)
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(Object.keys(bodies).toSorted(), withBody.toSorted())
  })

  it('405 for every method that a documented path does not support, for every caller', async () => {
    for (const path of new Set(ROLE_TABLE.map((row) => row.path))) {
      const named = ROLE_TABLE.filter((row) => row.path === path).map((row) => row.method)
      const known = named.includes('GET') ? ['HEAD', ...named] : named
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (known.includes(method)) continue
        const response = await t.app.inject({ method: method as 'GET', url: addressOf(path, ours.ids) })
        assert.equal(response.statusCode, 405, `${method} ${path}`)
        const allow = String(response.headers.allow).split(', ').toSorted()
        assert.deepEqual(allow, known.toSorted(), `${method} ${path}`)
      }
    }
  })

  it('covers every path that the server has in the interface', async () => {
    for (const url of ['/nothing', '/v1/nothing', '/wallet/v1/nothing'])
      assert.equal((await t.app.inject(url)).statusCode, 404, url)
    const documented = new Set(ROLE_TABLE.map((row) => row.path.replace(/\{(\w+)\}/g, ':$1')))
    const addresses = t.app.routes.map(({ url }) => url).filter((url) => !OUTSIDE.test(url))
    assert(addresses.length >= documented.size)
    assert.deepEqual(
      addresses.filter((url) => !documented.has(url)),
      [],
    )
  })
})

/** Public paths outside the interface; `/C/*` and `/c/*` are the short form of the check of a card. */
const OUTSIDE =
  /^(\/$|\/(livez|readyz|(openapi|asyncapi|events\.schema)\.json|llms\.txt|docs|dashboard|verify|C|c|\.well-known)(\/|$))/

/** Operations that issue credentials; they allow every caller. */
const GUARDED = ROLE_TABLE.filter((row) => credentialOf(row) !== 'none')

describe('every operation × every principal', () => {
  for (const row of GUARDED) {
    it(`401 without a credential: ${nameOf(row)}`, async () => {
      const response = await callAs(null, row)
      assert.equal(response.status, 401)
      assert.equal(response.body.code, 'unauthenticated')
      assert(response.headers['www-authenticate'])
    })
  }

  for (const row of GUARDED.filter((candidate) => candidate.method === 'GET')) {
    it(`401 to HEAD without a credential: ${nameOf(row)}`, async () => {
      const response = await t.app.inject({ method: 'HEAD', url: addressOf(row.path, ours.ids) })
      assert.equal(response.statusCode, 401)
      assert.equal(response.body, '')
    })
  }

  for (const row of GUARDED) {
    it(`403, or 401 for the wrong kind of credential, for everyone else: ${nameOf(row)}`, async () => {
      const writes = await countRows()
      for (const [index, principal] of refused(row).entries()) {
        const { status, body } = await callAs(principal, row)
        assert.equal(status, problemOf(row, principal), principal)
        assert.deepEqual(
          [body.required, body.caller],
          status === 403 ? [requiredFor(row), publicName(principal)] : [undefined, undefined],
          principal,
        )
        if (index > 0) continue
        // The role is checked before the ids and the body.
        const ids = Object.fromEntries(namesIn(row.path).map((name) => [name, malformed(name)]))
        const careless = await callAs(principal, row, { ids, ...carelessBody(row), query: '?nonsense=1' })
        assert.equal(careless.status, problemOf(row, principal), `${principal}, careless`)
      }
      assert.deepEqual(await countRows(), writes)
    })
  }

  for (const row of ROLE_TABLE.filter((candidate) => granted(candidate).length > 0)) {
    it(`allowed: ${granted(row)
      .map(({ principal }) => principal)
      .join(', ')}: ${nameOf(row)}`, async () => {
      const whose = new Set<string>()
      for (const { principal } of granted(row)) {
        const made = await needs[nameOf(row)]?.(principal)
        decrypted()
        const { status, text } = await callAs(principal, row, { ids: { ...ours.ids, ...made } })
        assert.equal(status, successOf(row), `${principal}: ${text}`)
        for (const one of decrypted()) whose.add(one)
      }
      const operation = operationOf(row)
      if (operation === 'listInsurancePolicyTimeline') for (const one of await decryptedInTimeline(row)) whose.add(one)
      const { decrypts } = matrix[operation]
      const shown = whose.has('user') ? 'user' : [...whose][0]
      assert.equal(decrypts, SHOWS_NOTHING.includes(operation) ? undefined : shown, 'takes a purpose and is audited')
    })
  }
})

const operationOf = ({ method, path }: TableRow) => {
  const operations = t.app.document().paths?.[path] as Record<string, { operationId: keyof typeof matrix }>
  return operations[method.toLowerCase()]?.operationId ?? assert.fail(path)
}

/** Only a timeline with a reason has something to decrypt. */
async function decryptedInTimeline(row: TableRow) {
  decrypted()
  await callAs('platform', row, { ids: { ...ours.ids, insurance_policy_id: policyWithReason } })
  return decrypted()
}

/** The number of rows in the tables that the operations write. */
async function countRows(): Promise<unknown[]> {
  const tables = [
    'platforms',
    'benefit_providers',
    'credentials',
    'sponsors',
    'benefits',
    'account_providers',
    'users',
    'webhook_endpoints',
  ]
  const wallet = ['wallets', 'ledger_transactions']
  const owned = [
    ...wallet,
    'dependants',
    'insurance_policies',
    'accounts',
    'consultations',
    'consultation_messages',
    'events',
  ]
  const counts = [...tables, ...owned].map((table) => `(select count(*) from ${table}) as ${table}`)
  return t.sql(`select ${counts.join(', ')}`)
}

describe('another owner’s records', () => {
  const owned = ROLE_TABLE.filter((row) => findsRecord(row) && granted(row).some(({ grant }) => grant === 'own'))
  for (const row of owned) {
    it(`404, identical for another owner’s record and a missing one: ${nameOf(row)}`, async () => {
      for (const { principal } of granted(row).filter(({ grant }) => grant === 'own')) {
        const missing = withoutRequestIds(await callAs(principal, row, { ids: { ...ours.ids, ...MISSING } }))
        assert.equal(missing.status, 404, principal)
        assert(!('required' in missing.body || 'caller' in missing.body), principal)
        for (const ids of foreignIds(row, principal)) {
          assert.deepEqual(
            withoutRequestIds(await callAs(principal, row, { ids })),
            missing,
            `${principal} ${JSON.stringify(ids)}`,
          )
        }
      }
    })

    it(`404 before the rest of the input is checked: ${nameOf(row)}`, async () => {
      for (const { principal } of granted(row).filter(({ grant }) => grant === 'own')) {
        const careless = { query: '?nonsense=1', ...carelessBody(row) }
        for (const ids of foreignIds(row, principal)) {
          const response = await callAs(principal, row, { ids, ...careless })
          assert.equal(response.status, 404, `${principal} ${JSON.stringify(ids)}`)
        }
        await needs[nameOf(row)]?.(principal)
        assert.equal((await callAs(principal, row, careless)).status, 422, `${principal}, own`)
      }
    })
  }

  for (const row of ROLE_TABLE.filter((candidate) => findsRecord(candidate) && credentialOf(candidate) !== 'basic')) {
    const everyone = granted(row).filter(({ grant }) => grant === 'yes')
    if (everyone.length === 0) continue
    it(`404 for a missing record, before the rest of the input is checked: ${nameOf(row)}`, async () => {
      for (const { principal } of everyone) {
        const ids = { ...ours.ids, ...MISSING }
        const careless = { query: '?nonsense=1', ...carelessBody(row) }
        assert.equal((await callAs(principal, row, { ids })).status, 404, principal)
        assert.equal((await callAs(principal, row, { ids, ...careless })).status, 404, `${principal}, careless`)
        await needs[nameOf(row)]?.(principal)
        assert.equal((await callAs(principal, row, careless)).status, 422, `${principal}, there`)
      }
    })
  }

  /** All ids another owner's; then, where the path has two ids, ours with one of theirs nested in it. */
  function foreignIds({ path }: TableRow, principal: Principal): Ids[] {
    const sets: Ids[] = [theirs.ids]
    const names = namesIn(path)
    if (principal === 'user' && names.includes('user_id')) sets.push({ ...ours.ids, user_id: sibling.id })
    const inner = names.at(-1) as string
    if (names.length > 1 && inner in MISSING) {
      sets.push({ ...ours.ids, [inner]: theirs.ids[inner] as string })
    }
    return sets
  }

  it('never appear in lists', async () => {
    const idsOf = async (principal: Principal, url: string) => {
      const { body } = await t.call('GET', url, { token: ours.tokens[principal] })
      return body.data.map((one: { id: string }) => one.id) as string[]
    }
    const all = '?limit=100'
    for (const principal of ['platform', 'user', 'provider'] as const) {
      const benefits = await idsOf(principal, `/v1/benefits${all}`)
      assert(benefits.includes(ours.ids['benefit_id'] ?? ''), principal)
      assert(!benefits.includes(theirs.ids['benefit_id'] ?? ''), principal)
    }
    const sponsors = await idsOf('platform', `/v1/sponsors${all}`)
    assert(sponsors.includes(ours.ids['sponsor_id'] ?? ''))
    assert(!sponsors.includes(theirs.ids['sponsor_id'] ?? ''))
  })
})

describe('a user of two benefit providers', () => {
  it('404: neither sees or changes the other’s policies and consultations', async () => {
    const [user, other] = [await t.onboardedUser(ours.platform), await t.provider()]
    const benefitOfOther = await t.benefit(ours.platform, other)
    await t.policy(ours.platform, user, ours.ids['benefit_id'] ?? '')
    const policy = await t.policy(ours.platform, user, benefitOfOther)
    const consultation = await t.consultation(ours.platform, user, other)

    const token = ours.provider.token
    const at = `/v1/users/${user.id}`
    const listed = await t.call('GET', `${at}/insurance_policies`, { token })
    assert.equal(listed.body.total, 1)
    assert.notEqual(listed.body.data[0].id, policy)
    assert.equal((await t.call('GET', `${at}/consultations`, { token })).body.total, 0)

    const body = { status: 'VERIFICATION' }
    const transitioned = await t.call('PUT', `${at}/insurance_policies/${policy}/status`, { token, body })
    assert.equal(transitioned.status, 404)
    for (const url of [`${at}/consultations/${consultation}`, `${at}/consultations/${consultation}/messages`]) {
      assert.equal((await t.call('GET', url, { token })).status, 404)
    }
    const untouched = await t.sql('select status from insurance_policies where policy_id = $1', [policy])
    assert.deepEqual(untouched, [{ status: 'PENDING' }])
  })
})

describe('order of the checks', () => {
  for (const row of ROLE_TABLE.filter(hasIds)) {
    it(`401, then 422 for a malformed id: ${nameOf(row)}`, async () => {
      for (const name of namesIn(row.path)) {
        const ids = { ...ours.ids, [name]: malformed(name) }
        assert.equal((await callAs(null, row, { ids })).status, 401, name)
        for (const { principal } of granted(row).slice(0, 1)) {
          const { status, body } = await callAs(principal, row, { ids, ...carelessBody(row) })
          assert.equal(status, 422, `${principal} ${name}`)
          const pointers = body.errors.map((error: { pointer: string }) => error.pointer)
          assert.deepEqual(pointers, [`path:${name}`], `${principal} ${name}`)
        }
      }
    })
  }
})

describe('the administrator key', () => {
  it('401 for a wrong key and for an access token; each of several keys works', async () => {
    const url = '/v1/account_providers'
    for (const adminKey of ['', `${ADMIN_KEYS[0]}x`, ADMIN_KEYS.join(',')]) {
      assert.equal((await t.call('GET', url, { adminKey })).status, 401)
    }
    assert.equal((await t.call('GET', url, { token: t.owner })).status, 401)
    for (const adminKey of ADMIN_KEYS) assert.equal((await t.call('GET', url, { adminKey })).status, 200)
  })
})
