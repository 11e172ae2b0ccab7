import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { PURPOSE_OF } from '../../../src/access/consent-rules.ts'
import { ONBOARDING, openTestApp, PLAN, type TestResponse } from '../../support/app.ts'
import { consentScenes, OF_PARENT } from '../../support/consents.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { notice, give, withdraw, setRules, needConsent } = consentScenes(t)

const urlOf = ({ id }: { id: string }) => `/v1/platforms/${id}/consent_rules`
const NONE = { insurance: null, children: null, care: null, wallet: null, accounts: null, response_days: null }
const RULE = { ground: 'CONSENT', section: '6(1)', from: '2027-05-14' }

describe('PUT /v1/platforms/{platform_id}/consent_rules', () => {
  it('200 replaces the rules, for the platform and for an administrator; a purpose without one has none', async () => {
    const platform = await t.platform()
    assert.deepEqual((await t.call('GET', urlOf(platform), { token: platform.token })).body, NONE)
    const set = await setRules(platform, { insurance: RULE, response_days: 30 }, platform.token)
    assert.deepEqual([set.status, set.body], [200, { ...NONE, insurance: RULE, response_days: 30 }])
    const read = await t.call('GET', urlOf(platform), { token: t.viewer })
    assert.deepEqual([read.body, read.headers['etag']], [set.body, set.headers['etag']])
    const wallet = { ground: 'LEGITIMATE_USE', from: '2027-05-14' }
    const { body } = await setRules(platform, { wallet })
    assert.deepEqual(body, { ...NONE, wallet: { ...wallet, section: null } })
    assert.deepEqual((await setRules(platform, {})).body, NONE)
  })

  it('200 the same again is no entry of the audit', async () => {
    const platform = await t.platform()
    for (let times = 0; times < 2; times++) assert.equal((await setRules(platform, { care: RULE })).status, 200)
    const entries = await t.sql(`select 1 from audit_entries where operation = 'setConsentRules' and subject = $1`, [
      platform.id,
    ])
    assert.equal(entries.length, 1)
  })

  it('412 when they have changed since they were read; 404 for another platform; 422 for what is no rule', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const { headers } = await setRules(platform, { care: RULE })
    await setRules(platform, { wallet: RULE })
    const stale = await t.call('PUT', urlOf(platform), {
      token: t.operator,
      body: {},
      headers: { 'if-match': String(headers['etag']) },
    })
    assert.equal(stale.status, 412)
    assertSameNotFound(
      await setRules(platform, {}, other.token),
      await setRules({ id: 'plt_missing' }, {}, other.token),
    )
    assert.deepEqual((await t.call('GET', urlOf(platform), { token: t.viewer })).body.wallet, RULE)
    assert.deepEqual(
      errorsOf(await setRules(platform, { care: { ground: 'ASKED', from: 'soon' }, response_days: 0 })),
      ['/care/from format', '/care/ground not_allowed', '/response_days too_small'],
    )
  })
})

type Scene = Awaited<ReturnType<typeof scene>>
type Beginning = {
  purpose: string
  /** What somebody does before there are rules. */
  before?: (at: Scene) => Promise<unknown>
  call: (at: Scene) => Promise<TestResponse>
  /** What would be there if it passed. */
  table: string
}

async function scene() {
  const { platform, provider, benefit } = await t.makeOffer()
  const user = await t.user(platform, { first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' })
  await notice(platform)
  return { platform, provider, benefit, user, token: user.token }
}

const post = (url: string, token: string, body?: object) =>
  t.call('POST', url, { token, headers: { 'idempotency-key': randomUUID() }, ...(body && { body }) })
const person = (born: string) => ({ first_name: `Ravi ${randomUUID()}`, last_name: 'Example', date_of_birth: born })
const register = ({ user, platform }: Scene, ...births: string[]) =>
  post(`/v1/users/${user.id}/dependants/bulk`, platform.token, { dependants: births.map(person) })

/** A policy that was not issued, and a child who may join it. */
async function joinable(at: Scene) {
  const policy = await t.policy(at.platform, at.user, at.benefit)
  const { body } = await register(at, '2015-08-02')
  joining = { url: `/v1/users/${at.user.id}/insurance_policies/${policy}/members/${body.data[0].id}` }
}
let joining = { url: '' }
let adult = ''

/** One way to begin each, by the operation. The tests run one after the other. */
/** The wallet of the user, which the operator rejected. */
async function failedWallet({ platform, user }: Scene) {
  await t.wallet(platform, user)
  await t.sql(`update wallets set wallet_status = 'FAILED', wallet_status_partner = 'UNKNOWN' where user_id = $1`, [
    user.id,
  ])
}

const BEGINNINGS: Record<Exclude<keyof typeof PURPOSE_OF, 'retryWallets'>, Beginning> = {
  enrolInsurancePolicy: {
    purpose: 'insurance',
    table: 'insurance_policies',
    call: ({ platform, user, benefit }) =>
      post(`/v1/users/${user.id}/insurance_policies`, platform.token, {
        benefit_id: benefit,
        plan_code: PLAN.plan_code,
        start_date: '2026-04-01',
        dependant_ids: [],
      }),
  },
  setInsurancePolicyMember: {
    purpose: 'insurance',
    table: `insurance_policies where dependant_ids <> '{}' and`,
    before: joinable,
    call: ({ platform }) => t.call('PUT', joining.url, { token: platform.token, body: {} }),
  },
  createDependants: {
    purpose: 'children',
    table: 'dependants',
    call: (at) => register(at, '1992-01-01', '2015-08-02'),
  },
  updateDependant: {
    purpose: 'children',
    table: 'dependants where superseded_at is not null and',
    before: async (at) => {
      const { body } = await register(at, '1992-01-01')
      adult = body.data[0].id
    },
    call: ({ platform, user }) =>
      t.call('PATCH', `/v1/users/${user.id}/dependants/${adult}`, {
        token: platform.token,
        body: { date_of_birth: '2015-08-02' },
      }),
  },
  createConsultation: {
    purpose: 'care',
    table: 'consultations',
    call: ({ platform, provider, user }) =>
      post(`/v1/users/${user.id}/consultations`, platform.token, { benefit_provider_id: provider.id }),
  },
  createWallet: {
    purpose: 'wallet',
    table: 'wallets',
    call: async ({ platform, user }) => post('/wallet/v1/wallet', await t.walletToken(platform, user)),
  },
  retryWallet: {
    purpose: 'wallet',
    table: `wallets where wallet_status = 'PENDING' and`,
    before: failedWallet,
    call: ({ user }) => post(`/v1/users/${user.id}/wallet/retry`, t.operator),
  },
  createAccount: {
    purpose: 'accounts',
    table: `accounts where account_type = 'HSA' and`,
    before: ({ platform, user }) => post(`/v1/users/${user.id}/complete_onboarding`, platform.token, ONBOARDING),
    call: ({ platform, user }) => post(`/v1/users/${user.id}/accounts`, platform.token, { account_type: 'HSA' }),
  },
  completeOnboarding: {
    purpose: 'accounts',
    table: 'accounts',
    call: ({ platform, user }) => post(`/v1/users/${user.id}/complete_onboarding`, platform.token, ONBOARDING),
  },
}

async function count({ table }: Beginning, { user }: Scene): Promise<number> {
  const where = table.includes(' where ') ? '' : 'where'
  return (await t.sql(`select 1 from ${table} ${where} user_id = $1`, [user.id])).length
}

const consentTo = ({ user, platform }: Scene, purpose: string) =>
  give(user, platform.token, purpose === 'children' ? OF_PARENT : { purpose })

describe('with rules set, what is new for a purpose', () => {
  it('retryWallets: leaves out those without consent for wallet, and says so', async () => {
    const [at, other] = [await scene(), await scene()]
    for (const one of [at, other]) await failedWallet(one)
    await needConsent(at.platform)
    const user_ids = [at.user.id, other.user.id]
    const { body } = await post('/v1/wallets/retry', t.operator, { user_ids })
    assert.deepEqual(body.data, [
      { user_id: at.user.id, outcome: 'CONSENT_MISSING' },
      { user_id: other.user.id, outcome: 'RETRIED' },
    ])
    assert.equal((await consentTo(at, 'wallet')).status, 201)
    const again = await post('/v1/wallets/retry', t.operator, { user_ids })
    assert.deepEqual(
      again.body.data.map(({ outcome }: { outcome: string }) => outcome),
      ['RETRIED', 'NOT_FAILED'],
    )
  })

  for (const [name, beginning] of Object.entries(BEGINNINGS)) {
    const { purpose } = beginning

    it(`${name}: 409 consent_missing without consent for ${purpose}, and nothing is written; passes with it`, async () => {
      const at = await scene()
      await beginning.before?.(at)
      const before = await count(beginning, at)
      await needConsent(at.platform)
      const others = ['insurance', 'children', 'care', 'wallet', 'accounts'].filter((other) => other !== purpose)
      for (const other of others) assert.equal((await consentTo(at, other)).status, 201)
      const refused = await beginning.call(at)
      assert.deepEqual(
        [refused.status, refused.body.reason, refused.body.purpose],
        [409, 'consent_missing', purpose],
        refused.text,
      )
      assert.equal(await count(beginning, at), before)
      assert.equal((await consentTo(at, purpose)).status, 201)
      const { body: consent } = await consentTo(at, purpose)
      await withdraw(at.user, at.token, consent.id)
      assert.equal(
        (await beginning.call(at)).body.reason,
        'consent_missing',
        'who withdraws one consent withdraws the earlier ones',
      )
      assert.equal(await count(beginning, at), before)
      assert.equal((await consentTo(at, purpose)).status, 201)
      const passed = await beginning.call(at)
      assert([200, 201].includes(passed.status), passed.text)
      assert.equal(await count(beginning, at), before + (name === 'createDependants' ? 2 : 1))
    })

    it(`${name}: passes with no rules, before their day, and on the ground of a legitimate use`, async () => {
      for (const rules of [[], ['2026-04-02'], ['2026-04-01', 'LEGITIMATE_USE']]) {
        const at = await scene()
        await beginning.before?.(at)
        if (rules.length > 0) await t.calendar.on('2026-04-01', () => needConsent(at.platform, ...rules))
        const passed = await t.calendar.on('2026-04-01', () => beginning.call(at))
        assert([200, 201].includes(passed.status), passed.text)
      }
    })
  }

  const enrolWith = ({ platform, user, benefit }: Scene, ...dependant_ids: string[]) =>
    post(`/v1/users/${user.id}/insurance_policies`, platform.token, {
      benefit_id: benefit,
      plan_code: PLAN.plan_code,
      start_date: '2026-04-01',
      dependant_ids,
    })

  it('409 for dependants of 18 or older who did not consent themselves; a child needs none', async () => {
    const at = await scene()
    const { user, platform } = at
    const { body } = await register(at, '1992-01-01', '1993-01-01', '2015-08-02')
    const [adult, other, child] = body.data.map(({ id }: { id: string }) => id) as [string, string, string]
    await needConsent(platform)
    await give(user, platform.token)
    await give(user, platform.token, { purpose: 'care', dependant_id: adult })
    const refused = await enrolWith(at, child, adult, other)
    assert.deepEqual(
      [refused.status, refused.body.reason, refused.body.purpose, refused.body.person_ids],
      [409, 'consent_missing', 'insurance', [adult, other]],
    )
    assert.equal((await t.sql('select 1 from insurance_policies where user_id = $1', [user.id])).length, 0)
    const { body: given } = await give(user, platform.token, { dependant_id: adult })
    assert.deepEqual((await enrolWith(at, child, adult, other)).body.person_ids, [other])
    await give(user, platform.token, { dependant_id: other })
    await withdraw(user, platform.token, given.id)
    assert.deepEqual((await enrolWith(at, child, adult, other)).body.person_ids, [adult], 'withdrawn')
    await give(user, platform.token, { dependant_id: adult })
    assert.equal((await enrolWith(at, child, adult, other)).status, 201)
  })

  it('a dependant’s consent counts for later versions of the dependant, and nobody is asked for without a rule', async () => {
    const at = await scene()
    const { body } = await register(at, '1992-01-01')
    assert.equal((await enrolWith(at, body.data[0].id)).status, 201)
    const second = await scene()
    const registered = await register(second, '1992-01-01')
    await needConsent(second.platform)
    await give(second.user, second.platform.token)
    await give(second.user, second.platform.token, { dependant_id: registered.body.data[0].id })
    const corrected = await t.made('PATCH', `/v1/users/${second.user.id}/dependants/${registered.body.data[0].id}`, {
      token: second.platform.token,
      body: { last_name: 'Corrected' },
    })
    assert.equal((await enrolWith(second, corrected.id)).status, 201)
  })

  it('on the 18th birthday what a parent consented to counts no longer: not for a dependant who joins, nor for the user', async () => {
    const at = await scene()
    const { user, platform } = at
    const policy = await t.policy(platform, user, at.benefit)
    const { body } = await register(at, '2008-04-02')
    const { id } = body.data[0]
    const minor = await t.user(platform, { first_name: 'Ravi', last_name: 'Example', dob: '2008-04-02' })
    await needConsent(platform)
    await give(user, platform.token)
    const ofParent = { given_by: 'PARENT', verified_by: 'TOKEN' }
    await t.calendar.on('2026-04-01', async () => {
      for (const about of [{ dependant_id: id }, {}])
        assert.equal(
          (await give('dependant_id' in about ? user : minor, platform.token, { ...about, ...ofParent })).status,
          201,
        )
    })
    const join = () =>
      t.call('PUT', `/v1/users/${user.id}/insurance_policies/${policy}/members/${id}`, {
        token: platform.token,
        body: {},
      })
    const enrol = () => enrolWith({ ...at, user: minor })
    await t.calendar.on('2026-04-02', async () => {
      const refused = await join()
      assert.deepEqual([refused.status, refused.body.person_ids], [409, [id]], refused.text)
      const own = await enrol()
      assert.deepEqual([own.status, own.body.reason, own.body.person_ids], [409, 'consent_missing', undefined])
    })
    await t.calendar.on('2026-04-01', async () => {
      assert.deepEqual([(await join()).status, (await enrol()).status], [200, 201])
    })
  })

  it('a consent that names a dependant is none for the user', async () => {
    const at = await scene()
    const { body } = await register(at, '1992-01-01')
    await needConsent(at.platform)
    await give(at.user, at.platform.token, { dependant_id: body.data[0].id })
    assert.equal((await BEGINNINGS.enrolInsurancePolicy.call(at)).body.reason, 'consent_missing')
  })

  it('what was there goes on: a repetition, an adult who is registered, and other platforms', async () => {
    const at = await scene()
    const key = { 'idempotency-key': randomUUID() }
    const open = () =>
      t.call('POST', `/v1/users/${at.user.id}/consultations`, {
        token: at.platform.token,
        headers: key,
        body: { benefit_provider_id: at.provider.id },
      })
    const opened = await open()
    const token = await t.walletToken(at.platform, at.user)
    await post('/wallet/v1/wallet', token)
    await BEGINNINGS.completeOnboarding.call(at)
    await needConsent(at.platform)
    assert.deepEqual([(await open()).body, (await post('/wallet/v1/wallet', token)).status], [opened.body, 200])
    assert.equal((await BEGINNINGS.completeOnboarding.call(at)).status, 200)
    assert.equal((await register(at, '1992-01-01')).status, 201)
    const other = await scene()
    assert.equal((await BEGINNINGS.createConsultation.call(other)).status, 201)
  })

  it('a consent for children holds for 24 hours', async () => {
    const at = await scene()
    await needConsent(at.platform)
    assert.equal((await consentTo(at, 'children')).status, 201)
    assert.equal((await register(at, '2015-08-02')).status, 201)
    await t.sql(`update consents set created_at = created_at - interval '24 hours 1 second' where user_id = $1`, [
      at.user.id,
    ])
    assert.equal((await register(at, '2016-08-02')).body.reason, 'consent_missing')
    assert.equal((await consentTo(at, 'children')).status, 201)
    assert.equal((await register(at, '2016-08-02')).status, 201)
  })
})
