import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { POLICY_TRANSITIONS } from '../../dashboard/src/api/policy-transitions.ts'
import { POLICY_MACHINE } from '../../src/domains/cover/policies/states.ts'

const NAMES: Record<string, string> = { provider: 'benefit_provider' }

describe('the transitions of policies on the dashboard', () => {
  it('are those of the service’s state table, for the same roles', () => {
    const table = POLICY_MACHINE.table.flatMap(({ from, to, who }) => {
      const people = who.filter((one) => one !== 'system').map((one) => NAMES[one] ?? one)
      return people.length === 0 ? [] : [`${from} ${to}: ${people.toSorted().join()}`]
    })
    const transitions = POLICY_TRANSITIONS.map(({ from, to, who }) => `${from} ${to}: ${who.toSorted().join()}`)
    assert.deepEqual(transitions.toSorted(), table.toSorted())
  })

  it('ask for a reason where the service does', () => {
    const needing = (transitions: readonly { from: string; to: string; needsReason?: true }[]) =>
      transitions.flatMap(({ from, to, needsReason }) => (needsReason ? [`${from} ${to}`] : [])).toSorted()
    assert.deepEqual(needing(POLICY_TRANSITIONS), needing(POLICY_MACHINE.table))
  })
})
