import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { Demo } from '../../../sandbox/demo.ts'
import { callerOf, FROM_OUR_PAGE, openBrowser } from '../../support/administrators.ts'
import { ADDRESS, type Body } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

/** Everything as it comes: no setting is made for these people. */
const workspace = await newWorkspaceWithDatabase()
after(() => workspace.remove())
const server = await startServer(workspace)
after(() => server.kill())

const call = callerOf(workspace.origin)
const json = { 'content-type': 'application/json' }
const tokenOnHost = async (role: string) =>
  (await runCommand(['token', '--role', role], workspace.environment)).stdout.trim()
const [viewer, operator, owner] = await Promise.all([
  tokenOnHost('viewer'),
  tokenOnHost('operator'),
  tokenOnHost('owner'),
])

/** As the owner, unless another authorization is given. */
async function made(path: string, body: Body, authorization = `Bearer ${owner}`): Promise<Body> {
  const response = await call('POST', path, { headers: { ...json, authorization }, body })
  assert([200, 201].includes(response.status), response.text)
  return response.body
}

type People = 'owner' | 'operator' | 'viewer' | 'desk' | 'support'

/** Logs a person in by a click at the sandbox; returns the browser. */
async function logIn(person: People) {
  const browser = openBrowser(call, workspace.origin)
  // The first login loads the sandbox's identity provider, which on a busy machine takes longer than a request may.
  await within(DEADLINE_MS, async () => (await call('GET', '/v1/auth/oidc/login')).status === 302)
  await browser.logIn(`sandbox-${person}`)
  return browser
}

const before = await Promise.all((['desk', 'support'] as const).map(async (person) => (await logIn(person)).cookie()))

const demo: Demo = JSON.parse((await runCommand(['demo', '--json'], workspace.environment)).stdout)
const ours: Record<string, string> = {
  platform_id: demo.platform.id,
  benefit_provider_id: demo.benefit_provider.id,
  sponsor_id: demo.sponsor_id,
  benefit_id: demo.benefit_id,
  user_id: demo.user.user_id,
  dependant_id: demo.dependant_ids[0] as string,
  insurance_policy_id: demo.insurance_policy_ids.issued,
  account_id: demo.account_ids[0] as string,
  consultation_id: demo.consultation_id,
  document_type: 'policy_certificate',
  member_id: 'self',
}

/** Another platform and insurer with a user and a policy. */
const theirs: Record<string, string> = { ...ours, ...(await otherCompanies()) }

async function otherCompanies() {
  const platform = await made('/v1/platforms', { name: 'Another Platform' })
  const provider = await made('/v1/benefit_providers', { name: 'Another Insurer', code: 'ANOTHER_INSURER' })
  const { basic_token } = await made(`/v1/platforms/${platform.id}/credentials`, {})
  const exchange = { grant_type: 'client_credentials' }
  const { access_token } = await made('/v1/oauth/token', exchange, `Basic ${basic_token}`)
  const sponsor = await made('/v1/sponsors', {
    platform_id: platform.id,
    name: 'Another Sponsor',
    pan: 'AAACD1234E',
    address: ADDRESS,
    sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
  })
  await call('PUT', `/v1/sponsors/${sponsor.id}/status`, { token: owner, headers: json, body: { status: 'ACTIVE' } })
  const amount = (value: number) => ({ currency: 'INR', value })
  const plan = {
    plan_code: 'ONE',
    term_months: 12,
    premium_amounts: { annual: amount(3650), daily: amount(10), sponsor_contribution: amount(0) },
  }
  const benefit = await made('/v1/benefits', {
    name: 'Another benefit',
    benefit_provider_id: provider.id,
    sponsor_id: sponsor.id,
    plans: [plan],
  })
  const phone = { phone_country_code: '+91', phone_number: '9876501234' }
  const user = await made('/v1/auth/token', phone, `Bearer ${access_token}`)
  const start_date = new Date().toISOString().slice(0, 10)
  const enrolment = { benefit_id: benefit.id, plan_code: 'ONE', start_date, dependant_ids: [] }
  const policy = await made(`/v1/users/${user.user_id}/insurance_policies`, enrolment)
  return {
    platform_id: platform.id,
    benefit_provider_id: provider.id,
    sponsor_id: sponsor.id,
    benefit_id: benefit.id,
    user_id: user.user_id,
    insurance_policy_id: policy.id,
  }
}

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))

/**
 * Every read of the main interface whose path can be filled with these ids, without logins and sessions, which only people have, and
 * account providers, which take a key.
 */
/** What a session may do besides, its owner's token may not: read the session, and what was done with it. */
const readsOf = (ids: Record<string, string>) =>
  Object.entries(DOCUMENT.paths as Record<string, Body>)
    .filter(
      ([path, { get }]) => get && path.startsWith('/v1/') && !/^.v1.(auth|account_providers|audit_log)/.test(path),
    )
    .map(([path]) => path.replaceAll(/\{(\w+)\}/g, (name, key: string) => ids[key] ?? name))
    .filter((path) => !path.includes('{'))

const LISTS = [
  '/v1/insurance_policies',
  '/v1/consultations',
  '/v1/accounts',
  '/v1/wallets',
  '/v1/users',
  '/v1/benefits',
]

const PEOPLE: Record<People, { name: string; role: string; ownerId: string | null; token: string }> = {
  owner: { name: 'Asha Example', role: 'owner', ownerId: null, token: owner },
  operator: { name: 'Ravi Example', role: 'operator', ownerId: null, token: operator },
  viewer: { name: 'Meera Example', role: 'viewer', ownerId: null, token: viewer },
  desk: {
    name: 'Kiran Example',
    role: 'benefit_provider',
    ownerId: demo.benefit_provider.id,
    token: demo.benefit_provider.access_token,
  },
  support: { name: 'Nila Example', role: 'platform', ownerId: demo.platform.id, token: demo.platform.access_token },
}

describe('npm start, and one click at the sandbox', () => {
  it('302 with a session for people of partners, also before there is any data', () => {
    assert(before.every((cookie) => cookie !== undefined))
  })

  for (const [person, { name, role, ownerId, token }] of Object.entries(PEOPLE) as [
    People,
    (typeof PEOPLE)[People],
  ][]) {
    it(`gives ${person} exactly the rights of ${role}`, async () => {
      const browser = await logIn(person)
      const session = (await browser.fetch('GET', '/v1/auth/session')).body
      assert.deepEqual([session.name, session.role, session.owner_id], [name, role, ownerId])

      const paths = [...new Set([...readsOf(ours), ...readsOf(theirs)])]
      assert(paths.length > 50)
      const statuses = new Set<number>()
      for (const path of paths) {
        const [as, of] = [await browser.fetch('GET', path), await call('GET', path, { token })]
        assert.equal(as.status, of.status, `${path}: ${as.text}`)
        statuses.add(as.status)
      }
      assert(statuses.has(200) && statuses.has(404), [...statuses].join())
    })
  }

  it('lists for people of a partner only what is the partner’s, and refuses the rest', async () => {
    for (const person of ['desk', 'support'] as const) {
      const browser = await logIn(person)
      for (const path of LISTS) {
        const { status, body } = await browser.fetch('GET', path)
        const isTheirs =
          person === 'support' || ['/v1/insurance_policies', '/v1/consultations', '/v1/benefits'].includes(path)
        assert.equal(status, isTheirs ? 200 : 403, `${person} ${path}`)
        if (!isTheirs) continue
        assert(body.data.length > 0, `${person} ${path}`)
        const text = JSON.stringify(body.data)
        for (const id of Object.values(theirs).filter((id) => !Object.values(ours).includes(id)))
          assert(!text.includes(id), `${person} ${path} shows ${id}`)
      }
      const { administrator_id: own } = (await browser.fetch('GET', '/v1/auth/session')).body
      const { data } = (await browser.fetch('GET', '/v1/audit_log?limit=100')).body
      assert(data.length > 0)
      assert(
        data.every(({ actor }: Body) => actor.endsWith(own)),
        `${person}: what others have done`,
      )
      for (const path of ['/v1/platforms', '/v1/administrators'])
        assert.equal((await browser.fetch('GET', path)).status, 403, `${person} ${path}`)
      for (const write of [`/v1/platforms/${ours['platform_id']}/credentials`, '/v1/benefit_providers'])
        assert.equal((await browser.fetch('POST', write, { body: {} })).status, 403, `${person} ${write}`)
    }
  })

  it('names the person, not the partner’s credential, in audit and access log', async () => {
    const actors = { desk: 'benefit_provider', support: 'platform' } as const
    const url = `/v1/users/${ours['user_id']}/insurance_policies/${ours['insurance_policy_id']}`
    for (const [person, kind] of Object.entries(actors) as ['desk' | 'support', string][]) {
      const browser = await logIn(person)
      const { administrator_id } = (await browser.fetch('GET', '/v1/auth/session')).body
      assert.equal((await browser.fetch('GET', url)).status, 200)
      const asUser = { token: demo.user.access_token }
      await within(DEADLINE_MS, async () => {
        const { data } = (await call('GET', `/v1/users/${ours['user_id']}/access_log`, asUser)).body
        return data.some(({ actor }: Body) => actor.kind === kind && actor.name.startsWith(administrator_id))
      })
      const actor = `${kind === 'platform' ? 'platform' : 'provider'}_person:${PEOPLE[person].ownerId}:${administrator_id}`
      await within(DEADLINE_MS, async () => {
        const { data } = (await call('GET', `/v1/audit_log?actor=${actor}`, { token: owner })).body
        return data.some(({ operation }: Body) => operation === 'readInsurancePolicy')
      })
    }
  })

  it('writes by cookie, from our own pages only', async () => {
    const browser = await logIn('desk')
    const url = `/v1/users/${ours['user_id']}/insurance_policies/${demo.insurance_policy_ids.pending}/status`
    const body = { status: 'VERIFICATION' }
    const foreign = { ...FROM_OUR_PAGE, 'sec-fetch-site': 'cross-site' }
    assert.equal((await browser.fetch('PUT', url, { body, headers: foreign })).status, 403)
    assert.equal((await browser.fetch('PUT', url, { body })).body.status, 'VERIFICATION')
  })
})
