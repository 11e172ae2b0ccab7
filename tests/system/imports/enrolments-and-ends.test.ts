import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp, PLAN } from '../../support/app.ts'
import { csv, importScenes, JSON_LINES } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
const { imported, report } = importScenes(t)
const today = t.deps.calendar.now().toISOString().slice(0, 10)

const jsonLines = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

describe('an import of enrolments', () => {
  it('enrols users by id, by phone and by employee number, with their families', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const [one, two, three] = [await t.user(platform), await t.user(platform), await t.user(platform)]
    const family = await t.dependants(two, ['Ravi', 'Mina'])
    const reference = { employee_number: 'E-3' }
    await t.made('PUT', `/v1/users/${three.id}/reference`, { token: platform.token, body: reference })
    const file = csv(
      'user_id,phone_country_code,phone_number,employee_number,benefit_id,plan_code,start_date,dependant_ids',
      `${one.id},,,,${benefit},${PLAN.plan_code},${today},`,
      `,+91,${two.phone},,${benefit},${PLAN.plan_code},${today},all`,
      `,,,e-3,${benefit},${PLAN.plan_code},${today},`,
      `,,,E-4,${benefit},${PLAN.plan_code},${today},`,
      `${one.id},,,,${benefit},NO_PLAN,${today},`,
    )
    const done = await imported(file, { token: platform.token, kind: 'enrolments' })
    assert.deepEqual([done.state, done.done, done.rejected, done.lost], ['DONE', 3, 2, 0])
    const rows = await report(platform.token, done.id)
    assert.deepEqual(
      rows.map(({ row, outcome, column, code }: Body) => [row, outcome, column, code]),
      [
        [2, 'DONE', null, null],
        [3, 'DONE', null, null],
        [4, 'DONE', null, null],
        [5, 'REJECTED', 'employee_number', 'not_found'],
        [6, 'REJECTED', 'plan_code', 'unknown_reference'],
      ],
    )
    const policy = await t.made('GET', `/v1/users/${two.id}/insurance_policies/${rows[1].record_id}`, {
      token: platform.token,
    })
    assert.deepEqual(policy.dependant_ids.toSorted(), family.toSorted())
  })

  it('reaches no user and no benefit of another platform, also for an administrator', async () => {
    const [platform, other, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const [ours, theirs] = [await t.user(platform), await t.user(other)]
    const [benefit, foreign] = [await t.benefit(platform, provider), await t.benefit(other, provider)]
    const file = jsonLines(
      { user_id: theirs.id, benefit_id: benefit, plan_code: PLAN.plan_code, start_date: today },
      { user_id: ours.id, benefit_id: foreign, plan_code: PLAN.plan_code, start_date: today },
      { user_id: ours.id, benefit_id: benefit, plan_code: PLAN.plan_code, start_date: today, dependant_ids: [] },
    )
    const sent = { token: t.operator, kind: 'enrolments', query: `&platform_id=${platform.id}`, headers: JSON_LINES }
    const done = await imported(file, sent)
    assert.deepEqual([done.platform_id, done.done, done.rejected], [platform.id, 1, 2])
    assert.deepEqual(
      (await report(t.viewer, done.id)).map(({ row, column, code }: Body) => [row, column, code]),
      [
        [1, 'user_id', 'not_found'],
        [2, 'benefit_id', 'unknown_reference'],
        [3, null, null],
      ],
    )
    const [change] = await t.sql<{ actor: string }>(
      `select actor from audit_entries where user_id = $1 and operation = 'enrolInsurancePolicy'`,
      [ours.id],
    )
    assert.equal(change?.actor, `platform_person:${platform.id}:test-operator`)
    assert.equal((await t.call('GET', `/v1/imports/${done.id}`, { token: other.token })).status, 404)
  })
})

describe('an import of members', () => {
  it('lets dependants join and leave, and says by column what cannot be', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const user = await t.onboardedUser(platform)
    const [ravi = '', mina = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mina'])
    const id = await t.policy(platform, user, benefit, { dependant_ids: [ravi], start_date: today })
    const url = `/v1/users/${user.id}/insurance_policies/${id}`
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED'])
      await t.made('PUT', `${url}/status`, { token: provider.token, body: { status } })
    const file = csv(
      'insurance_policy_id,dependant_id,from,to,event,relation',
      `${id},${mina},${today},,ADOPTION,CHILD`,
      `${id},${ravi},,${today},AGE,`,
      `${id},dep_06bnv3m2r8f1s4k7q9t3v6w0y2,${today},,BIRTH,`,
      `${id},${ravi},2001-01-01,,,`,
      `pol_06bnv3m2r8f1s4k7q9t3v6w0y2,${ravi},,${today},AGE,`,
    )
    const done = await imported(file, { token: platform.token, kind: 'members' })
    const rows = await report(platform.token, done.id)
    assert.deepEqual(
      rows.map(({ row, outcome, column, code }: Body) => [row, outcome, column, code]),
      [
        [2, 'DONE', null, null],
        [3, 'DONE', null, null],
        [4, 'REJECTED', 'dependant_id', 'not_found'],
        [5, 'REJECTED', null, 'duplicate'],
        [6, 'REJECTED', 'insurance_policy_id', 'not_found'],
      ],
    )
    const { data } = await t.made('GET', '/v1/endorsements', { token: provider.token })
    assert.deepEqual(data.map(({ kind }: Body) => kind).toSorted(), ['JOIN', 'LEAVE'])
    const again = await imported(file, { token: platform.token, kind: 'members' })
    assert.equal(again.id, done.id)
    assert.equal((await t.made('GET', '/v1/endorsements', { token: provider.token })).data.length, 2, 'nothing twice')
  })
})

describe('an import of ends', () => {
  it('ends policies by id and by the number of the benefit provider', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const issued = async (number: string) => {
      const user = await t.onboardedUser(platform)
      const id = await t.policy(platform, user, benefit)
      const url = `/v1/users/${user.id}/insurance_policies/${id}/status`
      for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
        const body = { status, ...(status === 'ISSUED' && { external_policy_id: number }) }
        await t.made('PUT', url, { token: provider.token, body })
      }
      return { id, user }
    }
    const [one, two] = [await issued('SG-1'), await issued('SG-2')]
    const pending = await t.policy(platform, await t.user(platform), benefit)
    const file = csv(
      'insurance_policy_id,external_policy_id,on,code,reason',
      `${one.id},,${today},LEFT,`,
      `,SG-2,${today},LEFT,"Left,\nand wrote so"`,
      `,SG-3,${today},LEFT,`,
      `${pending},,${today},LEFT,`,
      `${one.id}x,,${today},GONE,`,
    )
    const done = await imported(file, { token: platform.token, kind: 'ends' })
    const rows = await report(platform.token, done.id)
    assert.deepEqual(
      rows.map(({ row, outcome, column, code, record_id: id }: Body) => [row, outcome, column, code, id]),
      [
        [2, 'DONE', null, null, one.id],
        [3, 'DONE', null, null, two.id],
        [4, 'REJECTED', 'external_policy_id', 'not_found', null],
        [5, 'REJECTED', 'on', 'invalid_state', null],
        [6, 'REJECTED', 'insurance_policy_id', 'not_found', null],
        [6, 'REJECTED', 'code', 'not_allowed', null],
      ],
    )
    const end = await t.made('GET', `/v1/users/${two.user.id}/insurance_policies/${two.id}/end`, {
      token: platform.token,
    })
    assert.deepEqual([end.on, end.reason], [today, 'Left,\nand wrote so'])
  })
})

describe('JSON Lines', () => {
  it('has text as values; a line that is no object is an error of its row', async () => {
    const platform = await t.platform()
    const phone = { phone_country_code: '+91', phone_number: '9810000031', first_name: null }
    const file = `${jsonLines(phone, { ...phone, phone_number: 9_810_000_032 }, { ...phone, nick: 'A' })}[1]\n\n{"a":`
    const done = await imported(file, { token: platform.token, kind: 'users', headers: JSON_LINES })
    assert.deepEqual([done.rows, done.done, done.rejected], [5, 1, 4])
    assert.deepEqual(
      (await report(platform.token, done.id, '&outcome=REJECTED')).map(({ row, column, code }: Body) => [
        row,
        column,
        code,
      ]),
      [
        [2, 'phone_number', 'type'],
        [3, 'nick', 'unknown'],
        [4, null, 'malformed_json'],
        [6, null, 'malformed_json'],
      ],
    )
  })
})
