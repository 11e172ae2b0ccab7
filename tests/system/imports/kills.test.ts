import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runImports } from '../../../src/domains/integration/imports/index.ts'
import type { Database } from '../../../src/kernel/db/database.ts'
import { unavailable } from '../../../src/kernel/problem-error.ts'
import { createImportedOperations } from '../../../src/worker.ts'
import { openTestApp } from '../../support/app.ts'
import { csv, importScenes } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
const { send, work, read, report } = importScenes(t)

const ROWS = 120
const HEADER =
  'phone_country_code,phone_number,first_name,employee_number,dependant_first_name,dependant_last_name,dependant_date_of_birth'

/** Sixty users with two dependants each; more rows than a chunk has. */
const list = (from: number) =>
  csv(
    HEADER,
    ...Array.from({ length: ROWS }, (_, index) => {
      const user = from + Math.floor(index / 2)
      return `+91,${user},Asha,E-${user},Child ${index},Example,2015-08-02`
    }),
  )

/** The database of a worker that is killed at its nth statement: before it is sent, or after it is committed and before anybody knows. */
function killedAt(statements: number, isSent: boolean): Database {
  let left = statements
  const dying =
    <Values extends unknown[], Result>(run: (...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      left--
      if (left < 0 || (left === 0 && !isSent)) throw unavailable()
      const result = await run(...values)
      if (left <= 0) throw unavailable()
      return result
    }
  const { db } = t.deps as { db: Database }
  return Object.create(db, {
    query: { value: dying(db.query.bind(db)) },
    pipeline: { value: dying(db.pipeline.bind(db)) },
  }) as Database
}

/** Works until the kill. What another process has begun goes on there no more. */
async function workUntilKilled(db: Database): Promise<boolean> {
  const deps = { ...t.deps, db }
  const context = { ...deps, singleCalls: createImportedOperations(deps), log: t.log }
  try {
    while (await runImports(context, new AbortController().signal));
    return false
  } catch {
    return true
  }
}

const MOMENTS = [1, 2, 3, 20, 60, 124, 125, 126, 180, 240, 300, 350, 400]

describe('a worker that is killed', () => {
  it('leaves an import that another one finishes, and nothing is done twice', async () => {
    let kills = 0
    for (const [index, moment] of MOMENTS.entries()) {
      const platform = await t.platform()
      const { body } = await send(list(7_800_000_000 + index * ROWS), { token: platform.token, kind: 'users' })
      // Twice, because what goes on where it stopped is killed, too.
      for (const again of [0, 7]) if (await workUntilKilled(killedAt(moment + again, index % 2 === 0))) kills++
      await work()
      const done = await read(platform.token, body.id)
      const { state, checked, rejected, done: rows, lost } = done
      assert.deepEqual(
        { state, checked, rejected, rows, lost },
        { state: 'DONE', checked: ROWS, rejected: 0, rows: ROWS, lost: 0 },
        `at ${moment}`,
      )
      const [count] = await t.sql(
        `select (select count(*)::int from users u where u.platform_id = $1) as users,
                (select count(*)::int from dependants d join users u using (user_id) where u.platform_id = $1) as dependants,
                (select count(*)::int from events e where e.platform_id = $1 and e.type = 'user.created') as created,
                (select count(*)::int from events e where e.platform_id = $1 and e.type = 'dependants.created') as added,
                (select count(distinct record_id)::int from import_rows where import_id = $2) as reported,
                (select count(*)::int from import_chunks) as chunks`,
        [platform.id, body.id],
      )
      const once = { users: ROWS / 2, dependants: ROWS, created: ROWS / 2, added: ROWS, reported: ROWS, chunks: 0 }
      assert.deepEqual(count, once, `at ${moment}`)
      const [first] = await report(platform.token, body.id)
      assert.match(first.record_id, /^dep_/)
    }
    assert(kills > MOMENTS.length, `${kills} kills`)
  })

  it('does not hold up the imports of others', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const { body: long } = await send(list(7_900_000_000), { token: platform.token, kind: 'users' })
    const { body: short } = await send(csv('phone_country_code,phone_number', '+91,7900009999'), {
      token: other.token,
      kind: 'users',
    })
    assert(await workUntilKilled(killedAt(4, true)))
    await t.sql(`update platforms set status = 'INACTIVE' where platform_id = $1`, [platform.id])
    await work()
    assert.equal((await read(other.token, short.id)).state, 'DONE')
    const [waiting] = await t.sql('select state from imports where import_id = $1', [long.id])
    assert.notEqual((waiting as { state: string }).state, 'DONE', 'the list of a disabled platform waits')
    await t.sql(`update platforms set status = 'ACTIVE' where platform_id = $1`, [platform.id])
    await work()
    const [finished] = await t.sql('select state from imports where import_id = $1', [long.id])
    assert.deepEqual(finished, { state: 'DONE' })
  })
})

describe('two workers at once', () => {
  it('count each row once', async () => {
    const platform = await t.platform()
    const { body } = await send(list(7_950_000_000), { token: platform.token, kind: 'users' })
    // One finds what the other has done, or waits for it; a lost race is a chunk that is tried again.
    for (let rounds = 0; rounds < 5; rounds++) await Promise.allSettled([work(), work()])
    const done = await read(platform.token, body.id)
    assert.deepEqual([done.state, done.checked, done.done, done.lost], ['DONE', ROWS, ROWS, 0])
  })
})
