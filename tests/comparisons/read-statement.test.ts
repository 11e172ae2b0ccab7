import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readStatement } from '../../src/domains/integration/comparisons/read-statement.ts'

type Cells = Record<string, string>

async function read(...rows: Cells[]) {
  async function* each() {
    for (const [index, cells] of rows.entries()) yield { number: index + 2, cells }
  }
  const { byName, differences, closing } = await readStatement(each())
  const lines = [...byName].flatMap(([name, all]) =>
    all.map(({ row, kind = '-', paise, on, columns }) =>
      [row, name, kind, paise, on, Object.values(columns).join(' ')].join(' | '),
    ),
  )
  return { lines, unreadable: differences.map(({ row, column }) => `${row} ${column}`), closing }
}

const ROW = { date: '2026-04-01', external_policy_id: 'X' }
const paiseOf = async (cells: Cells) => {
  const { lines, unreadable } = await read({ ...ROW, ...cells })
  return lines.map((line) => Number(line.split(' | ')[3]))[0] ?? unreadable[0]
}

describe('the reader of a statement', () => {
  it('reads what is taken and what is given, in one column, in two, or with a sign', async () => {
    for (const [cells, paise] of [
      [{ amount: '12,045.50' }, 1_204_550],
      [{ amount: '1,23,456' }, 12_345_600],
      [{ amount: ' -12045.5 ' }, -1_204_550],
      [{ 'amount.value_rupees': '-0.01' }, -1],
      [{ amount: '100', sign: 'dr' }, -10_000],
      [{ amount: '-100', sign: 'Debit' }, -10_000],
      [{ amount: '-100', sign: 'C' }, 10_000],
      [{ amount: '100', kind: 'PREMIUM' }, -10_000],
      [{ amount: '-100', kind: 'reversal' }, -10_000],
      [{ amount: '100', kind: 'PREMIUM', sign: 'CREDIT' }, 10_000],
      [{ amount: '100', kind: 'END' }, 10_000],
      [{ amount: '-100', kind: 'ENDORSEMENT' }, -10_000],
      [{ amount: '100', kind: 'Top-up' }, 10_000],
      [{ debit: '100', credit: '0.00' }, -10_000],
      [{ debit: '0', credit: '100' }, 10_000],
    ] as const)
      assert.equal(await paiseOf(cells), paise, JSON.stringify(cells))
  })

  it('reads no amount that could be two, and says in which column', async () => {
    for (const [cells, column] of [
      [{ amount: '12,50' }, '2 amount'],
      [{ amount: '12.045' }, '2 amount'],
      [{ amount: '₹100' }, '2 amount'],
      [{ amount: '1e3' }, '2 amount'],
      [{ amount: '99999999999999999' }, '2 amount'],
      [{ amount: '0.00' }, '2 amount'],
      [{ debit: '1', credit: '1' }, '2 credit'],
      [{ amount: '1', sign: 'X' }, '2 sign'],
      [{ amount: '1', kind: 'CHARGE' }, '2 kind'],
      [{ amount: '1', balance: 'none' }, '2 balance'],
      [{}, '2 null'],
    ] as const)
      assert.equal(await paiseOf(cells), column, JSON.stringify(cells))
    const of = { amount: '1', external_policy_id: 'X' }
    assert.deepEqual((await read({ ...of, date: '1/4/2026' }, { ...of, on: '2026-02-30' }, of)).unreadable, [
      '2 date',
      '3 on',
      '4 null',
    ])
  })

  it('names a row by its policy; what is paid in or taken back by its reference', async () => {
    const on = { date: '2026-04-01', amount: '1' }
    const { lines, unreadable } = await read(
      { ...on, external_policy_id: 'X', reference: 'R' },
      { ...on, external_policy_id: 'X', insurance_policy_id: 'pol_1' },
      { ...on, kind: 'TOP_UP', external_policy_id: 'MP-77', reference: 'R' },
      { ...on, reference: 'S' },
      { ...on, kind: 'PREMIUM' },
    )
    assert.deepEqual(
      lines.map((line) => line.split(' | ').slice(0, 3).join(' ')),
      ['2 policy X -', '3 policy pol_1 -', '4 reference R TOP_UP', '5 reference S -'],
    )
    assert.deepEqual(unreadable, ['6 null'])
  })

  it('says in which columns it stands', async () => {
    const { lines } = await read(
      { ...ROW, debit: '1' },
      { on: '2026-04-01', external_policy_id: 'X', 'amount.value_rupees': '1' },
      { ...ROW, amount: '1', sign: 'CR' },
    )
    assert.deepEqual(
      lines.map((line) => line.split(' | ').at(-1)),
      ['debit debit date', 'amount.value_rupees amount.value_rupees on', 'amount sign date'],
    )
  })

  it('finds the closing balance of the last day, wherever the newest row stands', async () => {
    const at = (date: string, balance: string, amount = '1'): Cells => ({ ...ROW, date, amount, balance })
    const closing = async (...rows: Cells[]) => (await read(...rows)).closing?.row
    assert.equal(await closing({ ...ROW, amount: '1' }), undefined)
    assert.equal(
      await closing(at('2026-04-01', '1'), at('2026-04-02', '2'), at('2026-04-02', '3'), { ...ROW, amount: '1' }),
      4,
    )
    assert.equal(await closing(at('2026-04-02', '3'), at('2026-04-02', '2'), at('2026-04-01', '1')), 2)
    assert.equal(await closing(at('2026-04-02', '3'), at('2026-04-04', '2'), at('2026-04-03', '1')), 3)
    const { closing: only, lines } = await read({ date: '2026-04-30', balance: '-12.50' })
    assert.deepEqual([only, lines], [{ row: 2, paise: -1_250, on: '2026-04-30' }, []])
  })
})
