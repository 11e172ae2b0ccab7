import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ADMINISTRATOR_TRANSITIONS,
  PLATFORM_TRANSITIONS,
  SPONSOR_TRANSITIONS,
} from '../../dashboard/src/api/partner-transitions.ts'
import { ADMINISTRATOR_MACHINE } from '../../src/domains/administration/administrators/states.ts'
import { PLATFORM_MACHINE } from '../../src/domains/partners/platforms/states.ts'
import { SPONSOR_MACHINE } from '../../src/domains/partners/sponsors/states.ts'

type Row = { from: string; to: string; who: readonly string[] }

/** The transitions that people make, a line each. */
const linesOf = (table: readonly Row[]): string[] =>
  table
    .map(({ from, to, who }) => ({ from, to, people: who.filter((one) => one !== 'system') }))
    .filter(({ people }) => people.length > 0)
    .map(({ from, to, people }) => `${from} ${to}: ${people.toSorted().join()}`)
    .toSorted()

describe('the transitions of partners and administrators on the dashboard', () => {
  for (const [name, shown, machine] of [
    ['platforms', PLATFORM_TRANSITIONS, PLATFORM_MACHINE],
    ['sponsors', SPONSOR_TRANSITIONS, SPONSOR_MACHINE],
    ['administrators', ADMINISTRATOR_TRANSITIONS, ADMINISTRATOR_MACHINE],
  ] as const)
    it(`are those of the service’s state table, for the same roles: ${name}`, () => {
      assert.deepEqual(linesOf(shown), linesOf(machine.table))
    })
})
