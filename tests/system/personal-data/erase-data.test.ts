import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteUnusedFiles } from '../../../src/domains/cover/documents/index.ts'
import { verifyLedger } from '../../../src/domains/money/ledger/index.ts'
import { runErasures } from '../../../src/domains/privacy/personal-data/index.ts'
import { ERASED, erasureDeps } from '../../../src/data-map/erase.ts'
import { statement } from '../../../src/kernel/db/database.ts'
import { openTestApp } from '../../support/app.ts'
import { uploadScenes } from '../../support/uploads.ts'
import { prepareScenes, rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const { person, erase, run } = prepareScenes(t)
const { storedFiles } = uploadScenes(t)
const MINUTE_MS = 60_000

const OUTCOMES = Object.entries(
  Object.groupBy(
    ERASED.flatMap(({ tables }) => Object.entries(tables)),
    ([table]) => table,
  ),
).map(([table, all = []]) => ({ table, fates: all.map(([, outcome]) => outcome) }))

/** Every row of every table, as text. */
async function everything(): Promise<string> {
  const tables = await t.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'banyan'`,
  )
  const dumps = tables.map(async ({ name }) => {
    const [row] = await t.sql<{ dump: string }>(
      `select coalesce(string_agg(to_jsonb(x)::text, ' '), '') as dump from ${name} x`,
    )
    return row?.dump ?? ''
  })
  return (await Promise.all(dumps)).join('\n')
}

/** The stored keys and digests that identify a person or open their sealed data. */
async function tracesOf(userId: string): Promise<string[]> {
  const [row] = await t.sql<Record<string, string>>(
    `select u.data_key, encode(u.phone_hash, 'hex') as phone, encode(u.id_proof_hash, 'hex') as proof,
            encode(u.profile_digest, 'hex') as digest, encode(u.onboarding_digest, 'hex') as onboarding, u.sealed,
            (select encode(d.identity_hash, 'hex') from dependants d where d.user_id = $1 limit 1) as dependant,
            (select m.sealed from consultation_messages m where m.user_id = $1 limit 1) as message,
            (select encode(c.card_hash, 'hex') from health_cards c where c.user_id = $1 limit 1) as card,
            (select k.sealed from idempotency_keys k where k.user_id = $1 limit 1) as response
       from users u where u.user_id = $1`,
    [userId],
  )
  assert(row)
  const traces = Object.values(row)
  assert(
    traces.every((trace) => typeof trace === 'string' && trace.length > 20),
    JSON.stringify(row),
  )
  return traces
}

describe('erasing a person’s data', () => {
  it('leaves nothing that the list marks as deleted, and no key, hash or digest of it anywhere', async () => {
    const at = await person()
    const other = await person()
    const before = await rowsByTable(t, at.user.id)
    const untouched = await rowsByTable(t, other.user.id)
    for (const [table, rows] of Object.entries(before))
      if (!['erasures', 'erasure_holds', 'audit_entries'].includes(table))
        assert(rows > 0, `the person is in ${table} to begin with`)
    const traces = await tracesOf(at.user.id)
    const files = (await storedFiles()).length

    await erase(at)
    await run()
    await deleteUnusedFiles(t.deps)
    const after = await rowsByTable(t, at.user.id)
    for (const { table, fates } of OUTCOMES) {
      if (!(table in after)) continue
      if (fates.includes('deleted')) assert.equal(after[table], 0, `nothing is left in ${table}`)
      else if (!fates.includes('age')) assert((after[table] ?? 0) >= 1, `${table} keeps what names nobody`)
    }
    const dump = await everything()
    assert.deepEqual(
      traces.filter((trace) => dump.includes(trace)),
      [],
    )
    assert.equal((await storedFiles()).length, files - 1)
    assert.deepEqual({ ...(await rowsByTable(t, other.user.id)), audit_entries: 0 }, { ...untouched, audit_entries: 0 })
    assert.deepEqual((await verifyLedger(t.db, () => {})).wrong, [], 'the books are right without the person')
  })

  it('clears users and policies of everything that identifies a person, and keeps amounts and numbers', async () => {
    const at = await person()
    await erase(at)
    await run()
    const [user] = await t.sql('select * from users where user_id = $1', [at.user.id])
    const {
      user_id,
      platform_id,
      revision,
      cover_revision,
      created_at,
      last_modified_at,
      session_epoch: _number,
      ...rest
    } = user ?? {}
    assert.deepEqual([user_id, platform_id], [at.user.id, at.platform.id])
    assert(revision && cover_revision && created_at && last_modified_at)
    const empty = (value: unknown) => value === null || value === '' || (Buffer.isBuffer(value) && value.length === 0)
    assert.deepEqual(
      Object.entries(rest).filter(([, value]) => !empty(value)),
      [],
    )
    const policies = await t.sql(
      `select status, sealed, nominee_dependant_id, dependant_ids, issued_dependant_ids, external_policy_id is not null as numbered
         from insurance_policies where user_id = $1`,
      [at.user.id],
    )
    const left = { sealed: null, nominee_dependant_id: null, dependant_ids: [], issued_dependant_ids: [] }
    assert.deepEqual(policies, [{ status: 'EXPIRED', ...left, numbered: true }])
    const booked = await t.sql(
      `select amount_paise::int, reference from ledger_transactions where user_id = $1 order by position`,
      [at.user.id],
    )
    assert.deepEqual(booked, [
      { amount_paise: 500, reference: 'credits-1' },
      { amount_paise: 500, reference: 'debits-1' },
    ])
  })

  it('resumes where it stopped, step by step, and changes nothing when repeated', async () => {
    const at = await person()
    await erase(at)
    const whole = erasureDeps(t.deps)
    for (let steps = 0; steps < whole.fieldErasures.length; steps++) {
      const broken = { step: statement(`test_breaks_${steps}`, 'select 1 / 0 where $1::text is not null') }
      const fieldErasures = whole.fieldErasures.map((one, index) => (index === steps ? { ...one, ...broken } : one))
      await assert.rejects(runErasures({ ...t.deps, ...whole, fieldErasures }, t.log))
    }
    assert.notEqual((await rowsByTable(t, at.user.id))['consultations'], undefined)
    await run()
    const erased = await everything()
    await t.sql('update erasures set next_at = now() where user_id = $1', [at.user.id])
    await Promise.all([run(), run()])
    assert.equal((await rowsByTable(t, at.user.id))['consultations'], 0)
    const rows = (dump: string) => dump.replaceAll(/"next_at": "[^"]*"/g, '').length
    assert.equal(rows(await everything()), rows(erased))
  })

  it('runs again after ten minutes, for anything a concurrent request has left behind', async () => {
    const at = await person()
    await erase(at)
    await run()
    const late = [
      `insert into accounts (user_id, account_id, account_type, status) values ($1, 'acc_late', 'HSA', 'PENDING')`,
    ]
    late.push(
      `insert into refresh_families (user_id, family_id, platform_id, rotated_at, expires_at)
       values ($1, 'ses_late', 'plt_any', now(), now() + interval '1 day')`,
    )
    for (const text of late) await t.sql(text, [at.user.id])
    const left = async () => {
      const { accounts, refresh_families } = await rowsByTable(t, at.user.id)
      return [accounts, refresh_families]
    }
    await run()
    assert.deepEqual(await left(), [1, 1], 'not every two seconds')
    t.clock.at = new Date(Date.now() + 11 * MINUTE_MS)
    await run()
    t.clock.at = undefined
    assert.deepEqual(await left(), [0, 0])
    const [row] = await t.sql<{ years: number }>(
      'select extract(year from next_at)::int - extract(year from now())::int as years from erasures where user_id = $1',
      [at.user.id],
    )
    assert((row?.years ?? 0) >= 8, 'and then not before what is retained need not be any more')
  })

  it('does not stop at one that fails: the others are erased, and that one is tried again', async () => {
    const [one, other] = [await person(), await person()]
    await erase(one)
    await erase(other)
    const whole = erasureDeps(t.deps)
    const stuck = statement('test_stuck', `select 1 / (case when $1 = '${one.user.id}' then 0 else 1 end)`)
    const fieldErasures = [{ field: 'stuck', tables: {}, step: stuck }, ...whole.fieldErasures]
    await assert.rejects(runErasures({ ...t.deps, ...whole, fieldErasures }, t.log), /division by zero/)
    assert.equal((await rowsByTable(t, other.user.id))['dependants'], 0)
    assert.notEqual((await rowsByTable(t, one.user.id))['dependants'], 0)
    await run()
    assert.equal((await rowsByTable(t, one.user.id))['dependants'], 0)
  })

  it('deletes bookings and policy numbers when their retention ends, and not a day before', async () => {
    const at = await person()
    const other = await person()
    await erase(at)
    await run()
    const left = async (userId: string) => {
      const { ledger_entries, ledger_transactions, wallets } = await rowsByTable(t, userId)
      const [row] = await t.sql<{ numbers: number }>(
        'select count(external_policy_id)::int as numbers from insurance_policies where user_id = $1',
        [userId],
      )
      return { ledger_entries, ledger_transactions, wallets, numbers: row?.numbers }
    }
    const kept = { ledger_entries: 4, ledger_transactions: 2, wallets: 1, numbers: 1 }
    const endsOn = async (days: number) => {
      await t.sql(
        `update erasures set asked_at = now() - interval '1 hour', erased_at = now() - interval '1 hour', next_at = now() - interval '1 minute',
                ledger_until = now()::date + $2::int, policies_until = now()::date + $2::int where user_id = $1`,
        [at.user.id, days],
      )
      await run()
    }
    await endsOn(0)
    assert.deepEqual(await left(at.user.id), kept)
    const [row] = await t.sql<{ next_at: string }>(
      `select (next_at at time zone 'utc')::date - now()::date as next_at from erasures where user_id = $1`,
      [at.user.id],
    )
    assert.equal(row?.next_at, 1, 'looked at again the day after')

    await endsOn(-1)
    const young = 'bookings of the last five years are not deleted, whatever the tombstone says'
    assert.deepEqual(await left(at.user.id), { ...kept, numbers: 0 }, young)
    await t.sql(`update ledger_transactions set created_at = now() - interval '5 years 1 minute' where user_id = $1`, [
      at.user.id,
    ])
    await endsOn(-1)
    assert.deepEqual(await left(at.user.id), { ledger_entries: 0, ledger_transactions: 0, wallets: 0, numbers: 0 })
    assert.deepEqual(await left(other.user.id), kept)
    assert.deepEqual((await verifyLedger(t.db, () => {})).wrong, [])
  })

  it('never deletes bookings of a user who was not erased, under any role', async () => {
    const at = await person()
    await t.sql(`update ledger_transactions set created_at = now() - interval '9 years 1 minute' where user_id = $1`, [
      at.user.id,
    ])
    await t.sql(
      `insert into erasures (user_id, asked_at, ends_policies, erased_at, ledger_until)
       values ($1, now(), false, now(), '2020-03-31')`,
      [at.user.id],
    )
    await t.db.query(statement('test_forged', 'select delete_retained_bookings($1)'), [at.user.id])
    assert.equal((await rowsByTable(t, at.user.id))['ledger_transactions'], 2)
    await t.sql('delete from erasures where user_id = $1', [at.user.id])
  })
})
