import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { POLICY_MOVES } from '../../dashboard/src/api/policy-moves.ts'
import { POLICY_MACHINE } from '../../src/domains/cover/policies/states.ts'

const NAMES: Record<string, string> = { provider: 'benefit_provider' }

describe('the moves of policies on the dashboard', () => {
  it('are those of the service’s state table, for the same roles', () => {
    const table = POLICY_MACHINE.table.flatMap(({ from, to, who }) => {
      const people = who.filter((one) => one !== 'system').map((one) => NAMES[one] ?? one)
      return people.length === 0 ? [] : [`${from} ${to}: ${people.toSorted().join()}`]
    })
    const moves = POLICY_MOVES.map(({ from, to, who }) => `${from} ${to}: ${who.toSorted().join()}`)
    assert.deepEqual(moves.toSorted(), table.toSorted())
  })

  it('ask for a reason where the service does', () => {
    const needing = (moves: readonly { from: string; to: string; needsReason?: true }[]) =>
      moves.flatMap(({ from, to, needsReason }) => (needsReason ? [`${from} ${to}`] : [])).toSorted()
    assert.deepEqual(needing(POLICY_MOVES), needing(POLICY_MACHINE.table))
  })
})
