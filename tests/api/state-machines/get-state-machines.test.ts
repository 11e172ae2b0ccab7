import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MACHINES } from '../../../src/domains/administration/state-machines/states.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()
const list = (token: string) => t.made('GET', '/v1/meta/state_machines', { token })
const machines: Body[] = (await list(t.viewer)).data
const machine = (name: string): Body => machines.find((one) => one.name === name) ?? assert.fail(name)
const arrow = (name: string, from: string, to: string): Body =>
  machine(name).transitions.find((one: Body) => one.from === from && one.to === to)

describe('GET /v1/meta/state_machines', () => {
  it('200 the same to everyone with a token', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const user = await t.user(platform)
    for (const token of [platform.token, provider.token, user.token, t.owner])
      assert.deepEqual((await list(token)).data, machines)
    assert.equal((await t.call('GET', '/v1/meta/state_machines')).status, 401)
  })

  it('200 every transition of the tables that guard, and no other', () => {
    assert.deepEqual(
      machines.map(({ name }) => name),
      Object.keys(MACHINES),
    )
    for (const [name, { table }] of Object.entries(MACHINES))
      assert.deepEqual(
        machine(name).transitions.map(({ from, to }: Body) => ({ from, to })),
        table.map(({ from, to }) => ({ from, to })),
      )
  })

  it('200 a new record’s state, from which every other state can be reached', () => {
    for (const { name, initial, states, transitions } of machines) {
      const reached = new Set<string>([initial])
      for (const state of reached) for (const { from, to } of transitions) if (from === state) reached.add(to)
      assert.deepEqual([...reached].toSorted(), states.toSorted(), name)
    }
  })

  it('200 who may make a transition, what the calendar makes, and the conditions', () => {
    assert.deepEqual(arrow('insurance_policy', 'APPROVED', 'ISSUED'), {
      from: 'APPROVED',
      to: 'ISSUED',
      who: ['benefit_provider', 'operator', 'owner'],
      by_calendar: false,
      needs_reason: false,
      was_issued: null,
    })
    const renewal = arrow('insurance_policy', 'ISSUED', 'REQUIRES_CUSTOMER_RENEWAL')
    assert.deepEqual([renewal.who, renewal.by_calendar], [['program', 'owner'], true])
    assert.equal(arrow('insurance_policy', 'ISSUED', 'REQUIRES_POLICY_REISSUANCE').by_calendar, false)
    const byCalendar = machine('insurance_policy').transitions.filter((one: Body) => one.by_calendar)
    for (const { who, from } of byCalendar) assert(who.includes('program'), from)
    assert.deepEqual(
      byCalendar.map(({ from, to }: Body) => `${from} → ${to}`),
      [
        'PENDING → EXPIRED',
        'VERIFICATION → EXPIRED',
        'APPROVED → EXPIRED',
        'ISSUED → REQUIRES_CUSTOMER_RENEWAL',
        'ISSUED → EXPIRED',
        'REQUIRES_POLICY_REISSUANCE → EXPIRED',
        'REQUIRES_CUSTOMER_RENEWAL → REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
        'REQUIRES_CUSTOMER_RENEWAL → EXPIRED',
        'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE → EXPIRED',
      ],
    )
    assert.equal(arrow('insurance_policy', 'PENDING', 'REJECTED').was_issued, false)
    assert.deepEqual(arrow('account_provider', 'active', 'inactive').who, ['admin_key'])
    assert.equal(machine('wallet').event, 'wallet.status_changed')
  })

  it('200 for records as they begin', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const policy = await t.policy(platform, user, await t.benefit(platform, await t.provider()))
    await settled(t)
    const { data } = await t.made('GET', `/v1/events?subject=${policy}`, { token: platform.token })
    assert.deepEqual([data[0].data.from, data[0].data.to], [null, machine('insurance_policy').initial])
  })
})

describe('GET /v1/meta/state_machines/{state_machine_name}', () => {
  it('200 one of them, 404 for another name', async () => {
    const url = '/v1/meta/state_machines'
    assert.deepEqual(await t.made('GET', `${url}/consultation`, { token: t.viewer }), machine('consultation'))
    assert.equal((await t.call('GET', `${url}/constructor`, { token: t.viewer })).status, 404)
  })
})
