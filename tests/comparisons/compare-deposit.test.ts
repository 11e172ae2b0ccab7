import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compareDeposit } from '../../src/domains/integration/comparisons/compare-deposit.ts'
import { inOrder } from '../../src/domains/integration/comparisons/in-order.ts'
import {
  policyName,
  referenceName,
  type StatementLine,
} from '../../src/domains/integration/comparisons/read-statement.ts'
import type { Difference } from '../../src/domains/integration/comparisons/records.ts'
import { addDays } from '../../src/kernel/date.ts'

type Pages = Parameters<typeof compareDeposit>[1]
type Entry = (Pages extends AsyncIterable<readonly (infer One)[]> ? One : never) & object
type Facts = Pick<Entry, 'kind' | 'amountPaise' | 'on'>
type Line = Pick<StatementLine, 'kind' | 'paise' | 'on'>

const COLUMNS = { amount: 'amount', day: 'date', sign: 'sign' }
const YEAR = { from: '2026-04-01', to: '2027-03-31' }

const ofPolicy = (facts: Facts, index: number): Entry => ({
  ...facts,
  id: `dpe_${index}`,
  reference: null,
  userId: '012345678901',
  policyId: 'pol_1',
  externalPolicyId: 'X',
})
const paid = (facts: Facts, index: number): Entry => ({
  ...ofPolicy(facts, index),
  reference: `UTR-${index}`,
  userId: null,
  policyId: null,
  externalPolicyId: null,
})
const lineOf = ({ kind, amountPaise: paise, on }: Facts): Line => ({ kind, paise, on })

async function* inPages(entries: readonly Entry[]) {
  for (const entry of entries) yield [entry]
}

type Named = Line & { name?: string }

/** What differs: `kind row column entry`. */
async function compare(entries: readonly Entry[], lines: readonly Named[], period = YEAR): Promise<string[]> {
  const byName = new Map<string, StatementLine[]>()
  for (const [index, { name = policyName('X'), ...line }] of lines.entries())
    byName.set(name, [...(byName.get(name) ?? []), { ...line, row: index + 2, columns: COLUMNS }])
  const { differences } = await compareDeposit({ byName }, inPages(entries), period)
  return said(inOrder(differences))
}
const said = (differences: readonly Difference[]) =>
  differences.map(({ kind, row, column, entryId }) => [kind, row, column, entryId].filter(Boolean).join(' '))

const facts = fc.record({
  kind: fc.constantFrom('PREMIUM', 'ENDORSEMENT', 'END'),
  amountPaise: fc.constantFrom(-1_204_500, -100_000, 100_000, 50_000),
  on: fc.constantFrom('2026-04-01', '2026-04-02', '2026-05-20', '2026-09-30'),
})
const several = fc.array(facts, { minLength: 1, maxLength: 6 })

const premium = (on: string, amountPaise = -1_204_500): Facts => ({ kind: 'PREMIUM', amountPaise, on })

describe('the comparison of the entries of a deposit', () => {
  it('finds nothing in what is stored, whatever the order, with kinds or without, by our id or the number of the policy', async () => {
    await fc.assert(
      fc.asyncProperty(several, fc.boolean(), fc.boolean(), async (all, hasKinds, isOurs) => {
        const entries = all.map(ofPolicy)
        const name = policyName(isOurs ? 'pol_1' : 'X')
        const lines = all.toReversed().map((one) => ({ ...lineOf(one), name, ...(!hasKinds && { kind: undefined }) }))
        assert.deepEqual(await compare(entries, lines), [])
      }),
    )
  })

  it('finds each planted difference, by row, column and entry, and no other', async () => {
    const PLANTS: Record<string, (line: Line) => Line> = {
      'amount amount': (line) => ({ ...line, paise: line.paise + Math.sign(line.paise) * 7 }),
      'day date': (line) => ({ ...line, on: addDays(line.on, 9) }),
      'kind sign': (line) => ({ ...line, paise: -line.paise }),
    }
    const days = ['2026-04-01', '2026-06-01', '2026-08-01', '2026-10-01']
    const apart = fc
      .array(facts, { minLength: 1, maxLength: 4 })
      .map((all) => all.map((one, n) => ({ ...one, on: days[n] ?? '' })))
    await fc.assert(
      fc.asyncProperty(
        apart,
        fc.constantFrom(...Object.keys(PLANTS)),
        fc.nat(),
        fc.boolean(),
        async (all, planted, at, isPaid) => {
          const index = at % all.length
          const entries = all.map(isPaid ? paid : ofPolicy)
          const lines = all.map((one, n) => ({
            ...(n === index ? (PLANTS[planted]?.(lineOf(one)) ?? lineOf(one)) : lineOf(one)),
            ...(isPaid && { name: referenceName(`UTR-${n}`) }),
          }))
          const [kind, column] = planted.split(' ')
          assert.deepEqual(await compare(entries, lines), [`${kind} ${index + 2} ${column} dpe_${index}`])
        },
      ),
    )
  })

  it('says which row and which entry are on one side only, and which row repeats one', async () => {
    const entries = [premium('2026-04-01'), premium('2026-10-01')].map(ofPolicy)
    const first = lineOf(premium('2026-04-01'))
    assert.deepEqual(await compare(entries, [first, first, lineOf(premium('2026-07-01'))]), [
      'doubled 3',
      'missing_here 4',
      'missing_there dpe_1',
    ])
    const twice = [premium('2026-04-01'), premium('2026-04-01')].map(ofPolicy)
    assert.deepEqual(await compare(twice, [first, first]), [], 'each of two equal rows has its entry')
    assert.deepEqual(await compare([], [first, first]), ['missing_here 2', 'doubled 3'])
  })

  it('a row and an entry of a policy are fifteen days apart at most: the next month’s premium is another one', async () => {
    const entries = [premium('2026-05-01')].map(ofPolicy)
    assert.deepEqual(await compare(entries, [lineOf(premium('2026-05-16'))]), ['day 2 date dpe_0'])
    assert.deepEqual(await compare(entries, [lineOf(premium('2026-04-16'))]), ['day 2 date dpe_0'])
    const alone = ['missing_here 2', 'missing_there dpe_0']
    assert.deepEqual(await compare(entries, [lineOf(premium('2026-05-17'))]), alone)
    assert.deepEqual(await compare(entries, [lineOf(premium('2026-04-15'))]), alone)
    const named = { ...lineOf({ ...premium('2026-12-24'), kind: 'TOP_UP' }), name: referenceName('UTR-0') }
    const entry = paid({ ...premium('2026-05-01'), kind: 'TOP_UP' }, 0)
    assert.deepEqual(await compare([entry], [named]), ['day 2 date dpe_0'], 'a reference finds its entry on any day')
  })

  it('says nothing of entries outside the period without a row, and pairs those near it', async () => {
    const entries = [premium('2026-03-31'), premium('2026-04-30'), premium('2026-05-01')].map(ofPolicy)
    const april = { from: '2026-04-01', to: '2026-04-30' }
    assert.deepEqual(await compare(entries, [], april), ['missing_there dpe_1'])
    assert.deepEqual(await compare(entries, [lineOf(premium('2026-04-01'))], april), [
      'day 2 date dpe_0',
      'missing_there dpe_1',
    ])
  })

  it('takes the nearest entry of the amount, before one of the day, before one of another kind', async () => {
    const entries = [
      premium('2026-04-01'),
      premium('2026-04-08', -100),
      { ...premium('2026-04-05'), kind: 'END' as const },
    ].map(ofPolicy)
    assert.deepEqual(await compare(entries, [lineOf(premium('2026-04-08', -1_204_500))]), [
      'day 2 date dpe_0',
      'missing_there dpe_1',
      'missing_there dpe_2',
    ])
    assert.deepEqual(await compare(entries.slice(1), [lineOf(premium('2026-04-05'))]), [
      'kind 2 kind dpe_2',
      'missing_there dpe_1',
    ])
    const two = [premium('2026-04-01'), premium('2026-04-10')].map(ofPolicy)
    assert.deepEqual(await compare(two, [lineOf(premium('2026-04-09'))]), ['day 2 date dpe_1', 'missing_there dpe_0'])
    assert.deepEqual(await compare(two, [lineOf(premium('2026-04-12')), lineOf(premium('2026-04-09'))]), [
      'day 2 date dpe_0',
      'day 3 date dpe_1',
    ])
  })

  it('does not take a policy for a reference of the same name', async () => {
    const entry = ofPolicy(premium('2026-04-01'), 0)
    const line = { ...lineOf(premium('2026-04-01')), name: referenceName('X') }
    assert.deepEqual(await compare([entry], [line]), ['missing_here 2', 'missing_there dpe_0'])
  })
})
