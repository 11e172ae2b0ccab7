import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Value } from 'typebox/value'
import type { CallerKind } from '../../src/access/caller.ts'
import { ACCOUNT_PROVIDER_MACHINE } from '../../src/domains/partners/account-providers/states.ts'
import { ACCOUNT_MACHINE } from '../../src/domains/money/accounts/states.ts'
import { ADMINISTRATOR_MACHINE } from '../../src/domains/administration/administrators/states.ts'
import { CONSULTATION_MACHINE } from '../../src/domains/care/consultations/states.ts'
import { ENDORSEMENT_MACHINE } from '../../src/domains/cover/endorsements/states.ts'
import { PLATFORM_MACHINE } from '../../src/domains/partners/platforms/states.ts'
import { POLICY_MACHINE } from '../../src/domains/cover/policies/states.ts'
import { RIGHTS_MACHINE } from '../../src/domains/people/rights-requests/states.ts'
import { SPONSOR_MACHINE } from '../../src/domains/partners/sponsors/states.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { EVENTS, type EventType } from '../../src/record/catalogue.ts'
import { type Machine, transition, type Transition } from '../../src/record/transition.ts'
import { readSources } from '../support/sources.ts'

type Thing = Record<'id' | 'userId' | 'platformId' | 'benefitProviderId' | 'policyId' | 'status', string> & {
  key: null
  kind: 'CORRECTION'
}
type AnyMachine = Machine<Transition, EventType, Thing>

const MACHINES = [
  ACCOUNT_MACHINE,
  ACCOUNT_PROVIDER_MACHINE,
  ADMINISTRATOR_MACHINE,
  CONSULTATION_MACHINE,
  ENDORSEMENT_MACHINE,
  PLATFORM_MACHINE,
  POLICY_MACHINE,
  RIGHTS_MACHINE,
  SPONSOR_MACHINE,
] as unknown as AnyMachine[]

const CALLERS: CallerKind[] = [
  'platform',
  'user',
  'provider',
  'viewer',
  'operator',
  'owner',
  'wallet_user',
  'admin_key',
  'anyone',
  'system',
]

const thing = (status: string): Thing => ({
  id: 'abc_1',
  userId: '000000000001',
  platformId: 'plt_1',
  benefitProviderId: 'bpr_1',
  policyId: 'pol_1',
  kind: 'CORRECTION',
  key: null,
  status,
})

const statesOf = ({ table }: AnyMachine) => [...new Set(table.flatMap(({ from, to }) => [from, to]))]

/** Every machine with every transition and every caller. */
const STEPS = MACHINES.flatMap((one) =>
  statesOf(one).flatMap((from) => statesOf(one).flatMap((to) => CALLERS.map((who) => ({ one, from, to, who })))),
)

describe('every transition of every state machine', () => {
  it('is covered here', () => {
    const made = readSources('src/domains').flatMap(({ code }) => code.match(/= machine\(\{/g) ?? [])
    assert.equal(made.length, MACHINES.length)
    assert(STEPS.length > 1_000)
  })

  it('records one change in the history and one event, with the states before and after', () => {
    let count = 0
    for (const { one, from, to, who } of STEPS) {
      if (!one.table.some((row) => row.from === from && row.to === to && row.who.includes(who))) continue
      const { history, events } = transition(one, thing(from), { to, who, reason: 'A reason' })
      const step = `${one.event} ${from} ${to}`
      assert.equal(history.length, 1, step)
      const { entityId, userId, from: left, to: reached, reason } = history[0] ?? {}
      assert.deepEqual([entityId, userId, left, reached], ['abc_1', '000000000001', from, to], step)
      assert.deepEqual(reason, { text: 'A reason', key: null })
      assert.equal(events.length, 1, step)
      const { type, platformId, subject, data } = events[0] ?? {}
      assert.deepEqual([type, platformId, subject], [one.event, 'plt_1', 'abc_1'], step)
      assert.deepEqual([data?.['from'], data?.['to']], [from, to], step)
      assert(Value.Check(EVENTS[one.event].payload, data), step)
      assert(!JSON.stringify(data).includes('reason'), 'the reason can be about a person')
      count++
    }
    assert(count > 30)
  })

  it('outside the table, or of another owner, is rejected with the possible ones', () => {
    for (const { one, from, to, who } of STEPS) {
      const row = one.table.find((other) => other.from === from && other.to === to)
      if (row?.who.includes(who)) continue
      const step = `${one.event} ${from} ${to} ${who}`
      assert.throws(
        () => transition(one, thing(from), { to, who }),
        (error) => {
          assert(error instanceof ProblemError, step)
          const isForOthers = row?.who.some((other) => other !== 'system') ?? false
          assert.equal(error.code, isForOthers ? 'forbidden' : 'invalid_state', step)
          if (isForOthers) return true
          const allowed = one.table.filter((other) => other.from === from && other.who.includes(who))
          assert.deepEqual(error.members, {
            current_state: from,
            allowed_transitions: allowed.map((other) => other.to),
          })
          return true
        },
      )
    }
  })
})
