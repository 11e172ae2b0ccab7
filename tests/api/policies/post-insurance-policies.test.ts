import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, PLAN, type TestUser } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()

async function scene(plans: object[] = [PLAN]) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, plans)
  const user = await t.onboardedUser(platform)
  const input = {
    benefit_id: benefit,
    plan_code: PLAN.plan_code,
    start_date: '2026-04-01',
    dependant_ids: [] as string[],
  }
  return { platform, provider, benefit, user, input }
}

const enrol = (user: { id: string }, token: string | undefined, body: object) =>
  t.call('POST', `/v1/users/${user.id}/insurance_policies`, { ...(token && { token }), body })

async function assertEnrolled(user: TestUser, count: number): Promise<void> {
  const rows = await t.sql('select 1 from insurance_policies where user_id = $1', [user.id])
  const history = await t.sql(`select 1 from user_status_changes where user_id = $1 and entity_id like 'pol%'`, [
    user.id,
  ])
  const events = await t.sql(`select 1 from events where type = 'policy.status_changed' and data ->> 'user_id' = $1`, [
    user.id,
  ])
  assert.deepEqual([rows.length, history.length, events.length], [count, count, count])
}

const ask = (question: string, answer: boolean) => ({ question, answer })

describe('POST /v1/users/{user_id}/insurance_policies', () => {
  it('201 the whole record, a permanent URL, history and event', async () => {
    const { platform, provider, user, input } = await scene()
    const [ravi, mira, nominee] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira', 'Tara'])
    const questionnaire = { questions: [ask('क्या आप धूम्रपान करते हैं? 🚬', false), ask('Second?', true)] }
    const nominee_details = { nominee_type: 'DEPENDANT', dependant_id: nominee }
    const body = { ...input, dependant_ids: [mira, ravi], nominee_details, questionnaire }
    const response = await enrol(user, platform.token, body)

    assert.equal(response.status, 201)
    const { id, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^pol_[0-9a-z]+$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, {
      benefit_id: input.benefit_id,
      benefit_name: 'Family health cover',
      plan_code: 'FAMILY_5L',
      primary_user_id: user.id,
      primary_member: { id: user.id, first_name: 'Asha', last_name: 'Example' },
      dependant_ids: [mira, ravi],
      dependants: [
        { id: mira, first_name: 'Mira', last_name: 'Example' },
        { id: ravi, first_name: 'Ravi', last_name: 'Example' },
      ],
      documents: rest.documents,
      premium_amounts: PLAN.premium_amounts,
      questionnaire,
      start_date: '2026-04-01',
      end_date: '2027-03-31',
      external_policy_id: null,
      master_policy_number: null,
      metadata: { provider_metadata: null },
      nominee_details,
    })
    const address = `/v1/users/${user.id}/insurance_policies/${id}`
    assert.equal(response.headers['location'], address)
    assert.deepEqual(await t.made('GET', address, { token: platform.token }), response.body)

    const [change] = await t.sql('select from_status, to_status, actor from user_status_changes where entity_id = $1', [
      id,
    ])
    assert.deepEqual(change, { from_status: null, to_status: 'PENDING', actor: `platform:${platform.id}` })
    const [event] = await t.sql('select type, platform_id, data from events where subject = $1', [id])
    const ids = { user_id: user.id, insurance_policy_id: id, benefit_provider_id: provider.id }
    const data = { ...ids, from: null, to: 'PENDING' }
    assert.deepEqual(event, { type: 'policy.status_changed', platform_id: platform.id, data })
    await assertEnrolled(user, 1)
  })

  it('201 for an operator and an owner; a user without a name has none in the policy', async () => {
    const { platform, input } = await scene()
    const user = await t.user(platform)
    const [first, second] = [
      await enrol(user, t.operator, input),
      await enrol(user, t.owner, { ...input, start_date: '2027-04-01' }),
    ]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.deepEqual(first.body.primary_member, { id: user.id, first_name: null, last_name: null })
    assert.deepEqual([first.body.questionnaire, first.body.nominee_details], [null, null])
    await assertEnrolled(user, 2)
  })

  it('201 ends on the last day of the plan’s term', async () => {
    const terms = [1, 6, 12, 24, 600]
    const plans = terms.map((term_months) => ({ ...PLAN, plan_code: `TERM_${term_months}`, term_months }))
    const { platform, input } = await scene(plans)
    for (const [term, start_date, end_date] of [
      [1, '2026-02-01', '2026-02-28'],
      [1, '2028-02-01', '2028-02-29'],
      [1, '2026-12-15', '2027-01-14'],
      [6, '2026-09-01', '2027-02-28'],
      [12, '2026-04-01', '2027-03-31'],
      [12, '2027-03-01', '2028-02-29'],
      [12, '2026-01-01', '2026-12-31'],
      [24, '2026-07-16', '2028-07-15'],
      [600, '2026-04-01', '2076-03-31'],
    ] as const) {
      const body = { ...input, plan_code: `TERM_${term}`, start_date }
      const user = await t.user(platform)
      const response = await t.calendar.on(start_date, () => enrol(user, platform.token, body))
      assert.deepEqual([response.status, response.body.start_date, response.body.end_date], [201, start_date, end_date])
    }
  })

  it('201 amounts are exact to the paisa', async () => {
    const money = (value: number) => ({ currency: 'INR', value })
    const premium_amounts = {
      annual: money(90_000_000_000_000),
      daily: money(0.07),
      sponsor_contribution: money(1234567.89),
    }
    const { platform, user, input } = await scene([{ ...PLAN, premium_amounts }])
    assert.deepEqual((await enrol(user, platform.token, input)).body.premium_amounts, premium_amounts)
    const [row] = await t.sql(
      `select premium_annual_paise::text as annual, premium_daily_paise::text as daily,
              premium_sponsor_paise::text as sponsor
         from insurance_policies where user_id = $1`,
      [user.id],
    )
    assert.deepEqual(row, { annual: '9000000000000000', daily: '7', sponsor: '123456789' })
  })

  it('201 keeps the plan’s terms as they were at enrolment', async () => {
    const { platform, user, benefit, input } = await scene()
    const { body } = await enrol(user, platform.token, input)
    const money = { currency: 'INR', value: 1 }
    const premium_amounts = { annual: money, daily: money, sponsor_contribution: money }
    const plans = [{ ...PLAN, term_months: 1, premium_amounts }]
    await t.made('PATCH', `/v1/benefits/${benefit}`, { token: t.owner, body: { plans } })
    const read = await t.made('GET', `/v1/users/${user.id}/insurance_policies/${body.id}`, { token: platform.token })
    assert.deepEqual(read, body)
  })

  it('201 stores the health questionnaire sealed', async () => {
    const { platform, user, input } = await scene()
    const questionnaire = { questions: [ask('Sealedquestion?', true)] }
    const { body } = await enrol(user, platform.token, { ...input, questionnaire })
    const stored = await everythingStored(t)
    assert.ok(stored.includes(body.id), 'the right tables were looked at')
    assert.ok(!stored.includes('Sealedquestion'))
  })

  it('409 already_exists for a plan that already covers one of the days; other days, plans, benefits and users are free', async () => {
    const { platform, provider, user, input } = await scene([PLAN, { ...PLAN, plan_code: 'OTHER' }])
    const { id } = (await enrol(user, platform.token, input)).body // to 2027-03-31
    const [dependant] = await t.dependants({ ...user, token: platform.token })
    for (const other of [
      {},
      { dependant_ids: [dependant] },
      { start_date: '2026-04-02' },
      { start_date: '2027-03-31' },
      { start_date: '2025-04-02' },
    ]) {
      const again = () => enrol(user, platform.token, { ...input, ...other })
      assert.equal(conflictOf(await t.calendar.on('2026-04-01', again)), `already_exists ${id}`)
    }
    await assertEnrolled(user, 1)
    for (const other of [
      { start_date: '2027-04-01' },
      { start_date: '2025-04-01' },
      { plan_code: 'OTHER' },
      { benefit_id: await t.benefit(platform, provider) },
    ]) {
      const response = await t.calendar.on('2026-04-01', () => enrol(user, platform.token, { ...input, ...other }))
      assert.equal(response.status, 201, response.text)
    }
    await assertEnrolled(user, 5)
    assert.equal((await enrol(await t.user(platform), platform.token, input)).status, 201)
  })

  it('409 with the ids of all conflicting policies, also for earlier terms of a renewed one', async () => {
    const { platform, provider, user, input } = await scene([PLAN, { ...PLAN, plan_code: 'LONG', term_months: 36 }])
    const benefit_id = await t.benefit(platform, provider, [{ ...PLAN, term_months: 24 }])
    const enrolOn = (start_date: string) =>
      t.calendar.on(start_date, () => enrol(user, platform.token, { ...input, benefit_id, start_date }))
    const [first, second] = [(await enrolOn('2026-04-01')).body.id, (await enrolOn('2028-04-01')).body.id]
    const between = await enrolOn('2027-04-01')
    assert.equal(conflictOf(between), `already_exists ${first} ${second}`)
    await t.sql(
      `update insurance_policies set start_date = '2030-04-01', end_date = '2032-03-31' where policy_id = $1`,
      [second],
    )
    assert.equal(conflictOf(await enrolOn('2029-01-01')), `already_exists ${second}`)
  })

  it('201 after a policy that has ended by the calendar, even if no worker has run it; 409 to the last day of its grace', async () => {
    const { platform, user, input } = await scene()
    const { id } = (await enrol(user, platform.token, input)).body // to 2027-03-31
    const address = `/v1/users/${user.id}/insurance_policies/${id}/status`
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
      await t.made('PUT', address, { token: t.owner, body: { status } })
    }
    const again = { ...input, start_date: '2027-03-01' }
    t.calendar.at = new Date('2027-04-30T12:00:00+05:30')
    assert.equal(conflictOf(await enrol(user, platform.token, again)), `already_exists ${id}`)
    t.calendar.at = new Date('2027-05-01T00:00:00+05:30')
    const response = await enrol(user, platform.token, again)
    t.calendar.at = undefined
    assert.equal(response.status, 201, response.text)
    const statuses = await t.sql('select status from insurance_policies where user_id = $1 order by policy_id', [
      user.id,
    ])
    assert.deepEqual(statuses, [{ status: 'ISSUED' }, { status: 'PENDING' }], 'the other is left to the calendar')
  })

  it('201 for one of 12 concurrent enrolments into overlapping terms, on several nodes', async () => {
    const { platform, user, input } = await scene()
    const nodes = await t.openNodes(3)
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const body = { ...input, start_date: `2026-${String(index + 1).padStart(2, '0')}-15` }
        const call = nodes[index % 3] ?? t.call
        return call('POST', `/v1/users/${user.id}/insurance_policies`, { token: platform.token, body })
      }),
    )
    const [made, ...others] = responses.filter(({ status }) => status === 201)
    assert.deepEqual(others, [])
    for (const response of responses)
      if (response !== made) assert.equal(conflictOf(response), `already_exists ${made?.body.id}`)
    await assertEnrolled(user, 1)
  })

  it('201 again once the first is rejected', async () => {
    const { platform, user, input } = await scene()
    const { body } = await enrol(user, platform.token, input)
    await t.made('PUT', `/v1/users/${user.id}/insurance_policies/${body.id}/status`, {
      token: t.owner,
      body: { status: 'REJECTED' },
    })
    assert.equal((await enrol(user, platform.token, input)).status, 201)
  })

  it('409 for all but one of 20 concurrent identical enrolments', async () => {
    const { platform, user, input } = await scene()
    const responses = await Promise.all(Array.from({ length: 20 }, () => enrol(user, platform.token, input)))
    const [made, ...others] = responses.filter((response) => response.status !== 409)
    assert.deepEqual([made?.status, others], [201, []])
    await assertEnrolled(user, 1)
  })
})

describe('POST /v1/users/{user_id}/insurance_policies: errors', () => {
  it('401 without a token, 403 for the user, benefit providers and viewers', async () => {
    const { provider, user, input } = await scene()
    assert.equal((await enrol(user, undefined, input)).status, 401)
    for (const token of [user.token, provider.token, t.viewer])
      assert.equal((await enrol(user, token, input)).status, 403)
    await assertEnrolled(user, 0)
  })

  it('404 for another platform’s user as for a missing one, whatever the body', async () => {
    const { user, input } = await scene()
    const stranger = await t.platform()
    for (const body of [input, {}]) {
      assertSameNotFound(
        await enrol(user, stranger.token, body),
        await enrol({ id: '099999999999' }, stranger.token, body),
      )
    }
    await assertEnrolled(user, 0)
  })

  it('409 conflict for an archived benefit and for an inactive sponsor', async () => {
    const [archived, inactive] = [await scene(), await scene()]
    await t.made('DELETE', `/v1/benefits/${archived.benefit}`, { token: t.owner })
    const { sponsor_id } = await t.made('GET', `/v1/benefits/${inactive.benefit}`, { token: t.owner })
    await t.made('PUT', `/v1/sponsors/${sponsor_id}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
    for (const [reason, { user, platform, input }] of Object.entries({ archived, inactive })) {
      const refused = await enrol(user, platform.token, input)
      assert.equal(conflictOf(refused), reason)
      await assertEnrolled(user, 0)
    }
  })

  it('422 for a missing benefit or another platform’s, and an unknown plan', async () => {
    const { platform, user, input } = await scene()
    const foreign = await scene()
    const responses = [
      await enrol(user, platform.token, { ...input, benefit_id: foreign.benefit }),
      await enrol(user, platform.token, { ...input, benefit_id: 'bnf_nothing' }),
    ]
    for (const response of responses) assert.deepEqual(errorsOf(response), ['/benefit_id unknown_reference'])
    assert.deepEqual(responses[0]?.body.errors, responses[1]?.body.errors)
    // An administrator who enrols is bound to the user's platform as well.
    const byOwner = await enrol(user, t.owner, { ...input, benefit_id: foreign.benefit })
    assert.deepEqual(errorsOf(byOwner), ['/benefit_id unknown_reference'])
    const noPlan = await enrol(user, platform.token, { ...input, plan_code: 'family_5l' })
    assert.deepEqual(errorsOf(noPlan), ['/plan_code unknown_reference'])
    await assertEnrolled(user, 0)
  })

  it('422 for dependants and nominees that are missing, replaced or another user’s, all at once', async () => {
    const { platform, user, input } = await scene()
    const neighbour = await t.user(platform)
    const [own, replaced] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
    const [foreign] = await t.dependants({ ...neighbour, token: platform.token })
    const address = `/v1/users/${user.id}/dependants/${replaced}`
    await t.made('PATCH', address, { token: platform.token, body: { last_name: 'Corrected' } })
    const refused = await enrol(user, platform.token, {
      ...input,
      plan_code: 'NOTHING',
      dependant_ids: [foreign, own, replaced, 'dep_nothing'],
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id: foreign },
    })
    assert.deepEqual(errorsOf(refused), [
      '/dependant_ids/0 unknown_reference',
      '/dependant_ids/2 unknown_reference',
      '/dependant_ids/3 unknown_reference',
      '/nominee_details/dependant_id unknown_reference',
      '/plan_code unknown_reference',
    ])
    await assertEnrolled(user, 0)
  })

  it('422 names every required field and every malformed one', async () => {
    const { platform, user, input } = await scene()
    assert.deepEqual(errorsOf(await enrol(user, platform.token, {})), [
      '/benefit_id required',
      '/dependant_ids required',
      '/plan_code required',
      '/start_date required',
    ])
    const questions = [{ question: '', answer: 'yes' }, {}, ask('x'.repeat(501), true)]
    const refused = await enrol(user, platform.token, {
      benefit_id: 5,
      plan_code: '',
      start_date: '2026-02-30',
      dependant_ids: ['dep_a', 'dep_a', 7],
      nominee_details: { nominee_type: 'SPOUSE' },
      questionnaire: { questions },
    })
    assert.deepEqual(errorsOf(refused), [
      '/benefit_id type',
      '/dependant_ids duplicate',
      '/dependant_ids/2 type',
      '/nominee_details/dependant_id required',
      '/nominee_details/nominee_type not_allowed',
      '/plan_code too_short',
      '/questionnaire/questions/0/answer type',
      '/questionnaire/questions/0/question too_short',
      '/questionnaire/questions/1/answer required',
      '/questionnaire/questions/1/question required',
      '/questionnaire/questions/2/question too_long',
      '/start_date format',
    ])
    const many = { ...input, dependant_ids: Array.from({ length: 51 }, (_, index) => `dep_${index}`) }
    assert.deepEqual(errorsOf(await enrol(user, platform.token, many)), ['/dependant_ids too_many'])
    await assertEnrolled(user, 0)
  })

  it('422 for a start near the ends of the calendar, where no term can be computed', async () => {
    const { platform, user, input } = await scene()
    for (const start_date of ['0001-01-01', '0099-12-31', '9999-06-01', '9999-12-31', '10000-01-01', '2026-4-1']) {
      assert.deepEqual(errorsOf(await enrol(user, platform.token, { ...input, start_date })), ['/start_date format'])
    }
    await assertEnrolled(user, 0)
  })

  it('422 for a start more than a year ahead, 201 a year ahead', async () => {
    const { platform, user, input } = await scene() // today is 2026-06-15
    for (const start_date of ['2027-06-16', '2999-12-31']) {
      assert.deepEqual(errorsOf(await enrol(user, platform.token, { ...input, start_date })), ['/start_date too_large'])
    }
    await assertEnrolled(user, 0)
    assert.equal((await enrol(user, platform.token, { ...input, start_date: '2027-06-15' })).status, 201)
  })

  it('409 term_over when term and grace are over, 201 to the last day of grace', async () => {
    const { platform, user, input } = await scene() // 12 months and 30 days of grace
    for (const start_date of ['1950-01-01', '2025-05-16']) {
      assert.equal(conflictOf(await enrol(user, platform.token, { ...input, start_date })), 'term_over')
    }
    await assertEnrolled(user, 0)
    assert.equal((await enrol(user, platform.token, { ...input, start_date: '2025-05-17' })).status, 201)
  })
})
