import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { type Body, ONBOARDING, openTestApp, PLAN, type TestUser } from '../../support/app.ts'
import { assertSameNotFound } from '../../support/problems.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
  t.clock.at = undefined
})

/** Enough to be on a policy; onboarding would open an account. */
const PERSON = { first_name: 'Asha', last_name: 'Example', dob: '1990-05-17', gender: 'FEMALE' }
const DAYS = { renewal_window_days: 30, grace_period_days: 30 }

/** An application of the day in India that is set, by both clocks. */
async function enrolled(day = '2026-04-01') {
  on(day)
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, [{ ...PLAN, ...DAYS }])
  const user = await t.user(platform, PERSON)
  const id = await t.policy(platform, user, benefit)
  return { platform, provider, benefit, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof enrolled>>

/** Sets both clocks to noon of a day in India. Tokens of an earlier day are expired. */
const on = (day: string) => void (t.calendar.at = t.clock.at = new Date(`${day}T12:00:00+05:30`))

async function set({ address }: Scene, ...path: string[]): Promise<void> {
  for (const status of path) {
    const body = { status, reason: 'a reason' }
    await t.made('PUT', `${address}/status`, { token: t.owner, body })
  }
}

const read = ({ id }: Pick<TestUser, 'id'>, token: string) => t.call('GET', `/v1/users/${id}/next_actions`, { token })

async function actions(user: Pick<TestUser, 'id'>, token = t.owner): Promise<Body[]> {
  const { status, body, text } = await read(user, token)
  assert.equal(status, 200, text)
  return body.data
}

/** The actions as `code who due_on rule`. */
const next = async ({ user }: { user: TestUser }): Promise<string[]> =>
  (await actions(user)).map(({ code, who, due_on, rule }) => `${code} ${who} ${due_on} ${rule}`)

describe('GET /v1/users/{user_id}/next_actions', () => {
  it('200 the action of each state of a policy, with the day and the rule that sets it', async () => {
    const at = await enrolled()
    const seen = [await next(at)]
    on('2026-04-03')
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
      await set(at, status)
      seen.push(await next(at))
    }
    assert.deepEqual(seen, [
      ['take_up_application benefit_provider 2026-04-08 decision'],
      ['decide_application benefit_provider 2026-04-08 decision'],
      ['issue_policy benefit_provider 2026-04-18 issue'],
      ['return_policy user 2026-05-03 free_look'],
    ])
    on('2026-05-03')
    assert.deepEqual(await next(at), ['return_policy user 2026-05-03 free_look'])
    on('2026-05-04')
    assert.deepEqual(await next(at), [])
    await set(at, 'REQUIRES_POLICY_REISSUANCE')
    assert.deepEqual(await next(at), ['reissue_policy benefit_provider 2026-05-11 correction'])
    await set(at, 'ISSUED')
    on('2027-03-05')
    await runCalendar(t.deps)
    assert.deepEqual(await next(at), ['renew_policy sponsor 2027-03-31 term_end'])
    on('2027-04-02')
    await runCalendar(t.deps)
    assert.deepEqual(await next(at), ['pay_in_grace sponsor 2027-04-30 grace_end'])
    await set(at, 'REQUIRES_POLICY_REISSUANCE')
    assert.deepEqual(await next(at), ['reissue_policy benefit_provider 2027-04-17 issue'])
    await set(at, 'EXPIRED')
    assert.deepEqual(await next(at), [])
  })

  it('200 an application that was sent back waits for the platform, until it is taken up again', async () => {
    const at = await enrolled()
    await set(at, 'VERIFICATION', 'PENDING')
    assert.deepEqual(await next(at), ['correct_application platform null null'])
    await set(at, 'VERIFICATION')
    assert.deepEqual(await next(at), ['decide_application benefit_provider 2026-04-08 decision'])
    await set(at, 'REJECTED')
    assert.deepEqual(await next(at), [])
  })

  it('200 an endorsement alongside its policy, the earliest day first; none of a policy with an end that is set', async () => {
    const at = await enrolled()
    const [ravi = ''] = await t.dependants(at.user)
    await set(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
    on('2026-04-02')
    const token = t.owner
    await t.made('PUT', `${at.address}/members/${ravi}`, { token, body: { from: '2026-04-02', event: 'MISSED' } })
    const [first, second, ...others] = await actions(at.user)
    assert.deepEqual([first?.due_on, second?.due_on, others], ['2026-04-09', '2026-04-09', []])
    const byCode = Object.fromEntries([first, second].map((one) => [one?.code, one]))
    const { decide_endorsement: endorsement, reissue_policy: policy } = byCode
    assert.deepEqual(
      [endorsement?.subject_kind, endorsement?.rule, endorsement?.insurance_policy_id],
      ['endorsement', 'endorsement', at.id],
    )
    assert.notEqual(endorsement?.subject, at.id)
    assert.deepEqual([policy?.subject, policy?.subject_kind, policy?.rule], [at.id, 'insurance_policy', 'correction'])
    await t.made('PUT', `/v1/endorsements/${endorsement?.subject}/state`, { token, body: { state: 'ACCEPTED' } })
    assert.deepEqual(await next(at), ['return_policy user 2026-05-01 free_look'])
    await t.made('PUT', `${at.address}/end`, { token, body: { on: '2026-06-30', code: 'LEFT' } })
    assert.deepEqual(await next(at), ['decide_endorsement benefit_provider 2026-04-09 endorsement'])
  })

  it('200 what waits without a clock comes last: account, wallet and consultation', async () => {
    const at = await enrolled()
    const path = `/v1/users/${at.user.id}`
    await t.made('POST', `${path}/complete_onboarding`, { token: at.platform.token, body: ONBOARDING })
    await t.wallet(at.platform, at.user, 'BLOCKED')
    const consultation = await t.consultation(at.platform, at.user, at.provider)
    const found = await actions(at.user)
    assert.equal(found[0]?.code, 'take_up_application')
    assert.deepEqual(found.map(({ code, who, due_on }) => `${code} ${who} ${due_on}`).toSorted(), [
      'answer_consultation benefit_provider null',
      'open_account operator null',
      'take_up_application benefit_provider 2026-04-08',
      'unblock_wallet operator null',
    ])
    for (const token of [t.viewer, t.operator])
      assert(!(await actions(at.user, token)).some(({ code }) => code === 'answer_consultation'))
    const message = { content: 'Please rest.', message_type: 'TEXT' }
    await t.made('POST', `${path}/consultations/${consultation}/messages`, {
      token: at.provider.token,
      body: { body: message },
    })
    assert(!(await actions(at.user)).some(({ code }) => code === 'answer_consultation'))
  })

  it('200 to the platform, the user and administrators: nothing that is sealed', async () => {
    const at = await enrolled()
    for (const token of [at.platform.token, at.user.token, t.viewer, t.operator, t.owner]) {
      const { body, text } = await read(at.user, token)
      assert.deepEqual(body.data, [
        {
          code: 'take_up_application',
          subject: at.id,
          subject_kind: 'insurance_policy',
          title: 'Take up the application',
          detail: 'The application is PENDING. Set its status to VERIFICATION.',
          who: 'benefit_provider',
          due_on: '2026-04-08',
          rule: 'decision',
          user_id: at.user.id,
          platform_id: at.platform.id,
          benefit_provider_id: at.provider.id,
          insurance_policy_id: at.id,
        },
      ])
      assert.doesNotMatch(text, new RegExp(at.user.phone))
    }
  })

  it('401 without a token, 403 for a benefit provider, 404 for the user of another platform', async () => {
    const at = await enrolled()
    const [other, stranger] = [await t.platform(), await t.user(at.platform)]
    assert.equal((await t.call('GET', `/v1/users/${at.user.id}/next_actions`, {})).status, 401)
    assert.equal((await read(at.user, at.provider.token)).status, 403)
    assertSameNotFound(await read(at.user, other.token), await read({ id: '000000000000' }, other.token))
    assertSameNotFound(await read(at.user, stranger.token), await read({ id: '000000000000' }, stranger.token))
  })
})
