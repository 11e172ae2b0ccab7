import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { csv, importScenes } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
const { imported, report, send } = importScenes(t)

const NAMES = [
  'phone_country_code',
  'phone_number',
  'first_name',
  'dob',
  'gender',
  'email',
  'employee_number',
  'dependant_first_name',
  'dependant_last_name',
  'dependant_date_of_birth',
]
const ROWS = 500

type Cells = Record<string, string>

/** A person, alike in every file, without an error. */
const person = (index: number): Cells => ({
  phone_country_code: '+91',
  phone_number: String(9_700_000_000 + index),
  first_name: '=Asha', // a formula to a spreadsheet, text here
  dob: '1990-05-17',
  gender: 'FEMALE',
  email: `asha${index}@example.com`,
  employee_number: `EMP-${index}`,
  dependant_first_name: '"Ravi\nKumar, the younger"'.replace('\n', ' '),
  dependant_last_name: 'Example',
  dependant_date_of_birth: '2015-08-02',
})

/** The errors, by the row of the spreadsheet. */
const PLANTED: Record<number, { cells: Cells; column: string | null; code: string; says: RegExp }> = {
  2: { cells: { dob: '12/03/2024' }, column: 'dob', code: 'format', says: /YYYY-MM-DD/ },
  31: { cells: { phone_number: '9.19E+11' }, column: 'phone_number', code: 'format', says: /rounded/ },
  62: { cells: { gender: 'F' }, column: 'gender', code: 'not_allowed', says: /MALE/ },
  93: { cells: { email: 'asha.example.com' }, column: 'email', code: 'format', says: /email/ },
  124: { cells: { phone_country_code: '91' }, column: 'phone_country_code', code: 'format', says: /plus/ },
  155: { cells: { phone_number: '' }, column: 'phone_number', code: 'required', says: /./ },
  186: { cells: { dob: '45363' }, column: 'dob', code: 'format', says: /counts days/ },
  217: {
    cells: { dependant_date_of_birth: '2015-02-30' },
    column: 'dependant_date_of_birth',
    code: 'format',
    says: /./,
  },
  248: { cells: { dependant_last_name: '' }, column: 'dependant_last_name', code: 'required', says: /./ },
  279: { cells: { dob: '2999-01-01' }, column: 'dob', code: 'format', says: /./ },
  310: { cells: { first_name: ' ' }, column: 'first_name', code: 'format', says: /blank/ },
  501: { cells: { ...person(100) }, column: null, code: 'duplicate', says: /row 102/ },
}

function listWithErrors(): string {
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const cells = { ...person(index), ...PLANTED[index + 2]?.cells }
    return NAMES.map((name) => cells[name as keyof typeof cells] ?? '').join(',')
  })
  return csv(NAMES.join(','), ...lines)
}

describe('twelve errors in a list of 500', () => {
  it('are each named by row and column, and the check keeps nothing else', async () => {
    const platform = await t.platform()
    const done = await imported(`\uFEFF${listWithErrors()}`, {
      token: platform.token,
      kind: 'users',
      query: '&check_only=true',
    })
    assert.deepEqual([done.rows, done.checked, done.rejected, done.done], [500, 500, 12, 0])
    const found = await report(platform.token, done.id)
    assert.deepEqual(
      found.map(({ row, column, code }: Body) => [row, column, code]),
      Object.entries(PLANTED).map(([row, { column, code }]) => [Number(row), column, code]),
    )
    for (const { row, detail } of found) assert.match(detail, PLANTED[row]?.says ?? /^$/)
    for (const cell of ['=Asha', 'Kumar', '45363']) assert(!JSON.stringify(found).includes(cell), 'no cell is repeated')
    assert.deepEqual(await t.sql('select 1 from users where platform_id = $1', [platform.id]), [])
    assert.deepEqual(await t.sql('select 1 from import_chunks'), [])
  })

  it('leave the other 488 rows alone, and the report is a CSV too', async () => {
    const platform = await t.platform()
    const done = await imported(listWithErrors(), { token: platform.token, kind: 'users' })
    assert.deepEqual([done.state, done.rejected, done.done, done.lost], ['DONE', 12, 488, 0])
    const [users] = await t.sql('select count(*)::int as n from users where platform_id = $1', [platform.id])
    assert.deepEqual(users, { n: 488 })
    const { text } = await t.call('GET', `/v1/imports/${done.id}/rows?outcome=REJECTED&format=csv`, {
      token: platform.token,
    })
    const lines = text.trimEnd().split('\r\n')
    assert.equal(lines[0], 'row,outcome,column,code,detail,user_id,record_id')
    assert.equal(lines.length, 13)
    assert.match(lines[1] ?? '', /^2,REJECTED,dob,format,/)
  })
})

describe('a file that cannot be what it should', () => {
  const refused = async (text: string | Buffer, kind = 'users') => {
    const { token } = await t.platform()
    const response = await send(text, { token, kind })
    assert.equal(response.status, 422, response.text)
    assert.deepEqual(await t.sql('select 1 from import_chunks'), [], 'nothing of it is kept')
    return response.body.errors as { pointer: string; code: string; detail: string }[]
  }

  it('422 for semicolons, with what to do', async () => {
    const [error] = await refused(csv('phone_country_code;phone_number', '+91;9876543210'))
    assert.match(error?.detail ?? '', /semicolons.*Comma delimited/)
  })

  it('422 for columns that are unknown, missing or there twice, each by its name', async () => {
    const errors = await refused(csv('phone_number,phone_number,Nickname', '9876543210,1,Ash'))
    assert.deepEqual(
      errors.map(({ pointer, code }) => [pointer, code]),
      [
        ['/Nickname', 'unknown'],
        ['/phone_number', 'duplicate'],
        ['/phone_country_code', 'required'],
      ],
    )
  })

  it('422 for a list of enrolments that names no user', async () => {
    const [error] = await refused(csv('phone_number,benefit_id,plan_code,start_date', '1,b,P,2026-04-01'), 'enrolments')
    assert.match(error?.detail ?? '', /user_id; phone_country_code and phone_number; employee_number/)
  })

  it('422 for a file without a line of names, whose first person no error repeats', async () => {
    const errors = await refused(csv('+91,9876543210,Asha'))
    assert(!JSON.stringify(errors).includes('Asha'))
  })

  it('422 for another encoding, an open quote, and no rows', async () => {
    const text = csv('phone_country_code,phone_number,first_name', '+91,9876543210,André')
    assert.match((await refused(Buffer.from(text, 'latin1')))[0]?.detail ?? '', /UTF-8/)
    assert.match((await refused(Buffer.from(`\uFEFF${text}`, 'utf16le')))[0]?.detail ?? '', /UTF-8/)
    assert.match((await refused(csv('phone_country_code,phone_number', '+91,"98')))[0]?.detail ?? '', /quote/)
    assert.equal((await refused(csv('phone_country_code,phone_number')))[0]?.code, 'too_few')
  })

  it('422 for more than 100,000 rows', async () => {
    const [error] = await refused(`phone_country_code,phone_number\n${'+91,1\n'.repeat(100_001)}`)
    assert.equal(error?.code, 'too_many')
  })
})
