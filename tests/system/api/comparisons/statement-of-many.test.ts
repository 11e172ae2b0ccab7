import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDays, addMonths } from '../../../../src/kernel/date.ts'
import { openTestApp } from '../../../support/app.ts'
import { CSV, csv } from '../../../support/imports.ts'
import { changedBefore } from '../../../support/policies-in-bulk.ts'

const t = await openTestApp({ own: true })

const [MONTHLY, YEARLY, PAID] = [500, 2_500, 120]
const FIRST = '2026-04-01'
const LAST = '2027-03-31'

type Entry = {
  id: string
  kind: string
  paise: number
  on: string
  reference: string | null
  at: number | null
}

/** A year of a deposit: premiums by the month and by the year, joiners and leavers, ends, and what was paid in. */
function yearOf(): Entry[] {
  const made: Omit<Entry, 'id'>[] = []
  for (let n = 0; n < PAID; n++) {
    const kind = n % 10 === 9 ? 'REVERSAL' : 'TOP_UP'
    const paise = kind === 'TOP_UP' ? 50_000_000 : -10_000_000
    made.push({ kind, paise, on: addDays(FIRST, n * 3), reference: `UTR-${n}`, at: null })
  }
  for (let at = 0; at < MONTHLY + YEARLY; at++) {
    const of = { reference: null, at }
    if (at < MONTHLY) {
      for (let month = 0; month < 12; month++)
        made.push({ kind: 'PREMIUM', paise: -100_375, on: addMonths(FIRST, month), ...of })
      continue
    }
    made.push({ kind: 'PREMIUM', paise: -1_204_500, on: addDays(FIRST, at % 60), ...of })
    if (at % 3 === 0)
      made.push({ kind: 'ENDORSEMENT', paise: -200_000 - at, on: addDays(FIRST, 90 + (at % 30)), ...of })
    if (at % 9 === 0) made.push({ kind: 'ENDORSEMENT', paise: 150_000, on: addDays(FIRST, 150 + (at % 30)), ...of })
    if (at % 11 === 0) made.push({ kind: 'END', paise: 800_000, on: addDays(FIRST, 250), ...of })
  }
  return made.map((one, n) => ({ ...one, id: `dpe_${String(n).padStart(8, '0')}` }))
}

/** The deposit of a sponsor with these entries; each policy has the number `SG-` and its place. */
async function deposited(entries: readonly Entry[]) {
  const { platform, provider, benefitId, made } = await changedBefore(t, MONTHLY + YEARLY)
  const { sponsor_id: sponsor } = await t.made('GET', `/v1/benefits/${benefitId}`, { token: platform.token })
  const policies = made.map(({ userId, id }, at) => ({ at, user_id: userId, policy_id: id }))
  await t.sql(
    `update insurance_policies p set external_policy_id = 'SG-' || n.at
       from jsonb_to_recordset($1) as n (at int, user_id text, policy_id text)
      where p.user_id = n.user_id and p.policy_id = n.policy_id`,
    [JSON.stringify(policies)],
  )
  const rows = entries.map(({ at, ...one }) => ({ ...one, ...(at !== null && policies[at]) }))
  await t.sql(
    `insert into deposit_entries (entry_id, sponsor_id, benefit_provider_id, kind, amount_paise, on_day, reference, user_id, policy_id, actor, created_at)
     select e.id, $1, $2, e.kind, e.paise, e."on", e.reference, e.user_id, e.policy_id, 'system', now()
       from jsonb_to_recordset($3) as e (id text, kind text, paise bigint, "on" date, reference text, user_id text, policy_id text)`,
    [sponsor, provider.id, JSON.stringify(rows)],
  )
  const compare = (text: string) =>
    t.call(
      'POST',
      `/v1/comparisons?kind=deposit&sponsor_id=${sponsor}&benefit_provider_id=${provider.id}&from=${FIRST}&on=${LAST}`,
      { token: provider.token, headers: CSV, body: text },
    )
  return { compare, token: provider.token }
}

type Row = { kind: string; paise: number; on: string; reference: string; number: string; entry: string }

const rowOf = ({ kind, paise, on, reference, at, id }: Entry): Row => ({
  kind,
  paise,
  on,
  reference: reference ?? '',
  number: at === null ? 'MP-77' : `SG-${at}`,
  entry: id,
})

const HEAD = 'date,kind,reference,external_policy_id,debit,credit,balance'

function toFile(rows: readonly Row[], closing: number): string {
  const amount = (paise: number) =>
    paise > 0 ? `${Math.floor(paise / 100)}.${String(paise % 100).padStart(2, '0')}` : ''
  const lines = rows.map(({ kind, paise, on, reference, number }) =>
    [on, kind, reference, number, amount(-paise), amount(paise), ''].join(','),
  )
  return csv(HEAD, ...lines, `${LAST},,,,,,${(closing / 100).toFixed(2)}`)
}

/** What is done to a row, by the difference that it makes; none where the row is gone. */
const PLANTS: Record<string, (row: Row, n: number) => Row[]> = {
  missing_there: () => [],
  missing_here: (row, n) => [row, strangerOf(row, n)],
  amount: (row, n) => [{ ...row, paise: row.paise + Math.sign(row.paise) * (n + 1) }],
  day: (row, n) => [{ ...row, on: addDays(row.on, 1 + (n % 14)) }],
  kind: (row, n) => [n % 2 === 0 ? { ...row, paise: -row.paise } : { ...row, kind: otherKind(row.kind) }],
  doubled: (row) => [row, { ...row, entry: '' }],
}
const EACH = 15

const otherKind = (kind: string) =>
  ({ TOP_UP: 'REVERSAL', REVERSAL: 'TOP_UP', PREMIUM: 'ENDORSEMENT' })[kind] ?? 'PREMIUM'

/** A row of an unknown policy, of an unknown reference, or of a policy whose entries all have their rows. */
const strangerOf = (row: Row, n: number): Row => {
  const stranger = { ...row, entry: '' }
  if (row.number === 'MP-77') return { ...stranger, reference: `UTR-X${n}` }
  return n % 2 === 0 ? { ...stranger, number: `SG-X${n}` } : { ...stranger, paise: row.paise - 1 }
}

/** The rows with the plants, each in a policy or reference of its own, and what has to be found: `difference row column entry`. */
function planted(entries: readonly Entry[]): { rows: Row[]; expected: string[] } {
  const kinds = Object.keys(PLANTS)
  const names = [...Map.groupBy(entries, ({ at, reference }) => reference ?? at).values()]
  const step = Math.floor(names.length / (kinds.length * EACH))
  const places = new Map<string, [kind: string, n: number]>()
  for (let n = 0; n < kinds.length * EACH; n++) {
    // The first names are references; then come policies by the month, then by the year.
    const of = n < 12 ? names[n * 9 + 4] : names[n * step]
    const entry = of?.[n % of.length]
    if (entry && !places.has(entry.id))
      places.set(entry.id, [kinds[n % kinds.length] ?? '', Math.floor(n / kinds.length)])
  }
  const [rows, expected]: [Row[], string[]] = [[], []]
  for (const entry of entries) {
    const row = rowOf(entry)
    const [kind, n] = places.get(entry.id) ?? []
    const made = kind === undefined ? [row] : (PLANTS[kind]?.(row, n ?? 0) ?? [])
    rows.push(...made)
    if (kind !== undefined) expected.push(expectedOf(kind, { entry, row: made.at(-1), number: rows.length + 1 }))
  }
  return { rows, expected }
}

type Planted = { entry: Entry; row: Row | undefined; number: number }

function expectedOf(kind: string, { entry, row, number }: Planted): string {
  const side = (row?.paise ?? 0) < 0 ? 'debit' : 'credit'
  const column = { amount: side, day: 'date', kind: row?.kind === entry.kind ? side : 'kind' }[kind] ?? ''
  const id = ['missing_here', 'doubled'].includes(kind) ? '' : entry.id
  return [kind, kind === 'missing_there' ? '' : number, column, id].filter((one) => one !== '').join(' ')
}

async function found(id: string, token: string): Promise<string[]> {
  const list: string[] = []
  for (let offset = 0; ; offset += 100) {
    const { data } = await t.made('GET', `/v1/comparisons/${id}/differences?limit=100&offset=${offset}`, { token })
    for (const { difference, row, column, entry_id } of data)
      list.push([difference, row, column, entry_id].filter((one) => one !== null).join(' '))
    if (data.length < 100) return list
  }
}

describe('POST /v1/comparisons?kind=deposit', () => {
  it('finds each difference that was put into ten thousand rows, and no other', async () => {
    const entries = yearOf()
    const { compare, token } = await deposited(entries)
    const sum = entries.reduce((all, { paise }) => all + paise, 0)
    const same = await compare(toFile(entries.map(rowOf), sum))
    assert.equal(same.status, 201, same.text)
    assert.deepEqual(await found(same.body.id, token), [])
    const { rows, expected } = planted(entries)
    const other = await compare(toFile(rows, sum + 1))
    assert.deepEqual([other.body.rows, other.body.entries], [rows.length + 1, entries.length])
    assert(rows.length > 9_900)
    const { balance, ...counts } = other.body.differences
    for (const kind of Object.keys(PLANTS)) assert(counts[kind] >= EACH - 3, kind)
    const all = [...expected, `balance ${rows.length + 2} balance`]
    assert.deepEqual((await found(other.body.id, token)).toSorted(), all.toSorted())
    assert.equal(balance, 1)
    const shuffled = await compare(toFile(rows.toReversed(), sum + 1))
    assert.deepEqual(shuffled.body.differences, other.body.differences, 'whatever the order of the rows')
  })
})
