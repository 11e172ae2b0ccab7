import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compareMembers, type StoredMember } from '../../src/domains/integration/comparisons/compare-members.ts'
import { inOrder } from '../../src/domains/integration/comparisons/in-order.ts'
import type { Difference } from '../../src/domains/integration/comparisons/records.ts'
import { addDays } from '../../src/kernel/date.ts'

const NAMES = ['Asha', 'Ravi', 'Mira', 'José', 'हरि']
const member = fc.record({
  first_name: fc.constantFrom(...NAMES),
  last_name: fc.constantFrom('Example', 'Rao'),
  date_of_birth: fc.nat(20_000).map((days) => addDays('1950-01-01', days)),
  gender: fc.constantFrom('MALE', 'FEMALE', null),
  from: fc.constantFrom('2026-04-01', '2026-05-02'),
  to: fc.constantFrom('2027-03-31', '2026-12-31'),
})
/** People who share no name with each other: who shares one is told apart by the birth, which may be what differs. */
const members = fc
  .uniqueArray(member, { minLength: 1, maxLength: 6, selector: ({ first_name }) => first_name })
  .map((all) => all.map((one, index): StoredMember => ({ ...one, id: `dep_${index}` })))

type Cells = Record<string, string>
const cellsOf = ({ gender, ...one }: StoredMember): Cells => ({
  ...(one as Record<string, string>),
  ...(gender && { gender }),
})
const policy = (all: readonly StoredMember[]) => ({
  userId: '012345678901',
  id: 'pol_1',
  externalPolicyId: 'X',
  members: all,
})
const compare = (all: readonly StoredMember[], lines: readonly Cells[]) =>
  inOrder(
    compareMembers(
      policy(all),
      lines.map((cells, index) => ({ row: index + 2, cells })),
    ),
  )
const said = (differences: readonly Difference[]) =>
  differences.map(({ kind, row, column, personId }) => [kind, row, column, personId].filter(Boolean).join(' '))

describe('the comparison of the people of a policy', () => {
  it('finds nothing in what is stored, whatever the order of the rows, the spelling of names and whether ids are there', () => {
    fc.assert(
      fc.property(members, fc.boolean(), fc.boolean(), (all, hasIds, isUpper) => {
        const lines = all.toReversed().map((one) => {
          const { id = '', ...cells } = cellsOf(one)
          const name = isUpper ? ` ${cells['first_name']?.toUpperCase().normalize('NFD')}` : cells['first_name']
          return { ...cells, first_name: name ?? '', ...(hasIds && { id }) }
        })
        assert.deepEqual(compare(all, lines), [])
      }),
    )
  })

  it('finds each planted difference, by row, column and person, and no other', () => {
    const PLANTS: Record<string, (cells: Cells) => Cells> = {
      'birth date_of_birth': (cells) => ({ ...cells, date_of_birth: '1949-12-31' }),
      'name first_name': (cells) => ({ ...cells, first_name: 'Somebody' }),
      'gender gender': (cells) => ({ ...cells, gender: 'OTHER' }),
      'first_day from': (cells) => ({ ...cells, from: '2026-04-02' }),
      'last_day to': (cells) => ({ ...cells, to: '2027-03-30' }),
    }
    fc.assert(
      fc.property(members, fc.constantFrom(...Object.keys(PLANTS)), fc.nat(), (all, planted, at) => {
        const index = at % all.length
        const lines = all.map((one, n) => {
          const { id: _, ...cells } = cellsOf(one)
          return n === index ? (PLANTS[planted]?.(cells) ?? cells) : cells
        })
        const [kind, column] = planted.split(' ')
        assert.deepEqual(said(compare(all, lines)), [`${kind} ${index + 2} ${column} dep_${index}`])
      }),
    )
  })

  it('says who is on one side only', () => {
    fc.assert(
      fc.property(members, (all) => {
        const [first, ...others] = all.map(cellsOf) as [Cells, ...Cells[]]
        const stranger = { first_name: 'Nobody', last_name: 'Known', date_of_birth: '1901-01-01' }
        assert.deepEqual(said(compare(all, [...others, stranger])), [
          `missing_here ${others.length + 2}`,
          `missing_there ${first['id']}`,
        ])
      }),
    )
  })

  it('an empty cell says nothing', () => {
    const all: StoredMember[] = [
      {
        id: 'dep_0',
        first_name: 'Asha',
        last_name: null,
        date_of_birth: '1990-05-17',
        gender: 'FEMALE',
        from: '2026-04-01',
        to: '2027-03-31',
      },
    ]
    assert.deepEqual(compare(all, [{ first_name: 'Asha', date_of_birth: '1990-05-17' }]), [])
    const unborn = all.map((one) => ({ ...one, date_of_birth: null }))
    assert.deepEqual(compare(unborn, [{ id: 'dep_0', first_name: 'Asha' }]), [])
    assert.deepEqual(compare(all, [{ id: 'dep_0', first_name: 'Asha' }]), [])
  })
})
