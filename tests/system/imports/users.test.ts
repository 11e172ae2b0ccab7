import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { csv, importScenes } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
const { imported, report, send, work, read } = importScenes(t)

const HEADER =
  'phone_country_code,phone_number,first_name,dob,employee_number,dependant_first_name,dependant_last_name,dependant_date_of_birth'

const usersOf = async (platform: string) =>
  (await t.sql<{ n: number }>('select count(*)::int as n from users where platform_id = $1', [platform]))[0]?.n

describe('an import of users', () => {
  it('makes users with their dependants: a phone that is there again adds to the same user', async () => {
    const platform = await t.platform()
    const file = csv(
      HEADER,
      '+91,9810000001,Asha,1990-05-17,E-1,Ravi,Example,2015-08-02',
      '+91,9810000001,Asha,1990-05-17,E-1,Meera,Example,2016-01-31',
      '+91,9810000002,Ravi,1985-01-02,E-2,,,',
    )
    const done = await imported(file, { token: platform.token, kind: 'users' })
    assert.deepEqual(
      {
        state: done.state,
        rows: done.rows,
        checked: done.checked,
        rejected: done.rejected,
        done: done.done,
        lost: done.lost,
      },
      { state: 'DONE', rows: 3, checked: 3, rejected: 0, done: 3, lost: 0 },
    )
    assert.equal(await usersOf(platform.id), 2)
    const rows = await report(platform.token, done.id)
    assert.deepEqual(
      rows.map(({ row, outcome }) => [row, outcome]),
      [
        [2, 'DONE'],
        [3, 'DONE'],
        [4, 'DONE'],
      ],
    )
    assert.equal(rows[0].user_id, rows[1].user_id)
    assert.match(rows[0].record_id, /^dep_/)
    assert.equal(rows[2].record_id, rows[2].user_id)
    const found = await t.call('POST', '/v1/users/search', { token: platform.token, body: { employee_number: 'e-2' } })
    assert.equal(found.body.data[0].user_id, rows[2].user_id)
    const { body } = await t.call('GET', `/v1/users/${rows[0].user_id}/dependants`, { token: platform.token })
    assert.deepEqual(body.data.map((one: { first_name: string }) => one.first_name).toSorted(), ['Meera', 'Ravi'])
    assert.deepEqual(await t.sql('select 1 from import_chunks'), [], 'the rows of the file are gone')
  })

  it('only checks, where that is asked for', async () => {
    const platform = await t.platform()
    const file = csv(
      HEADER,
      '+91,9810000011,Asha,1990-05-17,,Ravi,Example,2015-08-02',
      '+91,9810000012,Asha,12/03/2024,,,,',
    )
    const done = await imported(file, { token: platform.token, kind: 'users', query: '&check_only=true' })
    assert.deepEqual([done.state, done.checked, done.rejected, done.done], ['DONE', 2, 1, 0])
    assert.equal(await usersOf(platform.id), 0)
    const [error, ...others] = await report(platform.token, done.id)
    assert.deepEqual([error.row, error.column, error.code], [3, 'dob', 'format'])
    assert.match(error.detail, /YYYY-MM-DD/)
    assert.deepEqual(others, [])
  })

  it('does nothing twice when the same file comes again, and names what is there already', async () => {
    const platform = await t.platform()
    const file = csv(HEADER, '+91,9810000021,Asha,,,Ravi,Example,2015-08-02')
    const first = await imported(file, { token: platform.token, kind: 'users' })
    const again = await send(file, { token: platform.token, kind: 'users' })
    assert.deepEqual([again.status, again.body.id, again.body.state], [200, first.id, 'DONE'])
    await work()
    assert.deepEqual(await read(platform.token, first.id), first)
    const other = csv(HEADER, '+91,9810000021,Asha,,,Ravi,Example,2015-08-02', '+91,9810000022,Ravi,,,,,')
    const done = await imported(other, { token: platform.token, kind: 'users' })
    assert.deepEqual([done.rejected, done.done], [1, 1])
    const [conflict] = await report(platform.token, done.id, '&outcome=REJECTED')
    assert.deepEqual([conflict.row, conflict.code], [2, 'already_exists'])
    assert.match(conflict.record_id, /^dep_/)
  })
})
