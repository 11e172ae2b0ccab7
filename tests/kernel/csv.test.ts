import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { csvColumns } from '../../src/kernel/csv/csv-columns.ts'
import { csvHeader, csvLines } from '../../src/kernel/csv/csv-text.ts'
import { Nullable, OneOf, oneOfKinds, PaiseAmount, Timestamp } from '../../src/kernel/http/schemas.ts'

const Money = Type.Object({ currency: OneOf(['INR']), value: Type.Number({ paisePrecision: true }) })

/** The cell of a value in a list whose records have one member of this schema. */
function cellOf(schema: object, value: unknown): string {
  const columns = csvColumns(Type.Object({ one: schema as ReturnType<typeof Type.String> }))
  return csvLines(columns, [{ one: value }]).slice(0, -2)
}

describe('the columns of a CSV', () => {
  it('follow from the schema: members of objects, rupees named so, lists of objects as JSON', () => {
    const columns = csvColumns(
      Type.Object({
        id: Type.String(),
        address: Nullable(Type.Object({ city: Type.String(), state: Nullable(Type.String()) })),
        amount: PaiseAmount(),
        premium: Money,
        plans: Type.Array(Type.Object({ code: Type.String() })),
        created_at: Nullable(Timestamp('Time')),
      }),
    )
    assert.equal(
      csvHeader(columns),
      'id,address.city,address.state,amount_rupees,premium.currency,premium.value_rupees,plans,created_at\r\n',
    )
    const record = {
      id: 'one',
      address: null,
      amount: -5,
      premium: { currency: 'INR', value: 12_045.5 },
      plans: [{ code: 'A' }],
      created_at: '2026-04-01T09:30:00',
    }
    assert.equal(csvLines(columns, [record]), 'one,,,-0.05,INR,12045.50,"[{""code"":""A""}]",2026-04-01T09:30:00Z\r\n')
  })

  it('of several kinds are what any of them has; what differs is JSON', () => {
    const kinds = [
      Type.Object({ type: Type.Literal('a'), at: Type.String(), data: Type.Object({ x: Type.Integer() }) }),
      Type.Object({ type: Type.Literal('b'), data: Type.Object({ y: Type.Integer() }) }),
    ]
    const columns = csvColumns(oneOfKinds({ tag: 'type', kinds, options: { title: 'T', description: '' } }))
    assert.equal(csvHeader(columns), 'type,at,data\r\n')
    assert.equal(csvLines(columns, [{ type: 'b', data: { y: 1 } }]), 'b,,"{""y"":1}"\r\n')
  })
})

describe('a cell of a CSV', () => {
  it('is quoted where it has to be (RFC 4180), and what another separator would split', () => {
    const cells = {
      plain: 'plain',
      'a,b': '"a,b"',
      'say "no"': '"say ""no"""',
      'a\r\nb': '"a\r\nb"',
      ' a': '" a"',
      'a;b': '"a;b"',
    }
    for (const [value, cell] of Object.entries(cells)) assert.equal(cellOf(Type.String(), value), cell)
  })

  it('is no formula: not with a sign, a tab, a line break or a wide form in front', () => {
    for (const value of ['=1+1', '+91', '-2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '－1', '＋1', '＠a'])
      assert.match(cellOf(Type.String(), value), /^"?'/, JSON.stringify(value))
    assert.equal(cellOf(Type.Array(Type.String()), ['=1', 'b']), `"'=1; b"`)
    assert.equal(cellOf(Type.Integer(), -2), '-2', 'a number is one')
  })

  it('has amounts to the paisa, the largest included', () => {
    const amounts = { 0: '0.00', 5: '0.05', 100: '1.00', 9_007_199_254_740_991: '90071992547409.91' }
    for (const [paise, rupees] of Object.entries(amounts)) assert.equal(cellOf(PaiseAmount(), Number(paise)), rupees)
    assert.equal(cellOf(PaiseAmount(), null), '')
  })
})
