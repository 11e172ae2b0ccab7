import { type Day, isDay } from '../../../kernel/date.ts'
import { type Paise, RUPEES_MAX, toPaise } from '../../../kernel/money.ts'
import { ENTRY_KINDS, PAID_KINDS } from '../../cover/deposits/index.ts'
import type { FileRow } from '../imports/file-row.ts'
import type { FileKind } from '../imports/kind.ts'
import type { Difference } from './records.ts'

export type EntryKind = (typeof ENTRY_KINDS)[number]

/** A row of the file that is an entry; it says in which columns what is compared stands. */
export type StatementLine = {
  row: number
  /** Undefined where the row has none: then only what it takes or gives is compared. */
  kind: EntryKind | undefined
  /** Below zero: taken from the deposit. */
  paise: Paise
  on: Day
  columns: { amount: string; day: string; sign: string }
}

/** What the benefit provider says is left, and where. */
type Closing = { row: number; paise: Paise; on: Day }

export type Statement = {
  byName: ReadonlyMap<string, readonly StatementLine[]>
  closing: Closing | undefined
  /** What cannot be read. */
  differences: Difference[]
  rowCount: number
}

const column = (meaning: string, example: string) => ({ meaning, example })
const NOT_COMPARED = 'not compared'

const DAYS = ['date', 'on']
const AMOUNTS = ['amount', 'amount.value_rupees']
const ALL_AMOUNTS = [...AMOUNTS, 'debit', 'credit']

/** The columns of an insurer's statement, and those of our list of entries, so that it can be sent back as it is. */
const STATEMENT_COLUMNS: FileKind['columns'] = {
  date: column('the day', '2026-04-01'),
  on: column('the same', '2026-04-01'),
  kind: column(ENTRY_KINDS.map((kind) => `\`${kind}\``).join(', '), 'PREMIUM'),
  sign: column('`CREDIT` or `DEBIT`', 'DEBIT'),
  amount: column('in rupees', '12045.00'),
  'amount.value_rupees': column('the same', '-12045.00'),
  debit: column('or what is taken', '12045.00'),
  credit: column('and what is paid in', ''),
  reference: column('the number of what was paid in', 'UTR-0042'),
  external_policy_id: column('the number of the policy', 'SG-2026-000123'),
  insurance_policy_id: column('or the policy', 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2'),
  balance: column('what is left then', '487955.00'),
  description: column(NOT_COMPARED, 'Premium'),
  id: column(NOT_COMPARED, 'dpe_06bnv3m2r8f1s4k7q9t3v6w0y2'),
  'amount.currency': column(NOT_COMPARED, 'INR'),
  user_id: column(NOT_COMPARED, '012345678901'),
  endorsement_id: column(NOT_COMPARED, 'end_06bnv3m2r8f1s4k7q9t3v6w0y2'),
  created_at: column(NOT_COMPARED, '2026-04-01T09:30:00Z'),
}

/** Which rows are doubled shows only when the others have found their entries. */
export const STATEMENT_KIND: FileKind = {
  columns: STATEMENT_COLUMNS,
  oneOf: DAYS.flatMap((day) => [...AMOUNTS.map((amount) => [day, amount]), [day, 'debit', 'credit']]),
}

/** By what a row and an entry find each other: the policy, or the number of what was paid in or taken back. */
export const policyName = (id: string) => `policy ${id}`
export const referenceName = (reference: string) => `reference ${reference}`

/** The rows of a statement by the policy or the reference that they name, and what is wrong with the others. */
export async function readStatement(rows: AsyncIterable<FileRow>): Promise<Statement> {
  const byName = new Map<string, StatementLine[]>()
  const differences: Difference[] = []
  const balances: Closing[] = []
  let rowCount = 0
  for await (const row of rows) {
    rowCount++
    const read = readRow(row)
    if ('unreadable' in read) {
      const of = { userId: null, policyId: null, personId: null }
      differences.push({ kind: 'unreadable', row: row.number, column: read.unreadable, ...of })
      continue
    }
    if (read.balance) balances.push(read.balance)
    if (!read.line) continue
    const others = byName.get(read.name)
    if (others) others.push(read.line)
    else byName.set(read.name, [read.line])
  }
  return { byName, differences, rowCount, closing: closingOf(balances) }
}

/** The balance of the last day: the last one of it, or the first where the newest row comes first. */
function closingOf(balances: readonly Closing[]): Closing | undefined {
  const [first, last] = [balances[0], balances.at(-1)]
  if (!first || !last) return undefined
  if (first.on > last.on) return first
  const lastDay = balances.reduce((day, { on }) => (on > day ? on : day), first.on)
  return balances.findLast(({ on }) => on === lastDay)
}

type Unreadable = { unreadable: string | null }
type Read = { name: string; line: StatementLine | undefined; balance: Closing | undefined }

const firstIn = (cells: FileRow['cells'], names: readonly string[]): string | null =>
  names.find((name) => cells[name] !== undefined) ?? null

/** A row without an amount says only what is left. */
function readRow({ number: row, cells, rowErrors }: FileRow): Read | Unreadable {
  if (rowErrors) return { unreadable: null }
  const day = firstIn(cells, DAYS)
  const on = day === null ? '' : (cells[day] ?? '')
  if (day === null || !isDay(on)) return { unreadable: day }
  const left = readPaise(cells['balance'])
  if (Number.isNaN(left)) return { unreadable: 'balance' }
  const balance = left === undefined ? undefined : { row, paise: left, on }
  const amount = readAmount(cells)
  if (!amount) return balance ? { name: '', line: undefined, balance } : { unreadable: firstIn(cells, ALL_AMOUNTS) }
  if ('unreadable' in amount) return amount
  const { paise, kind, columns } = amount
  const name = nameIn(cells, kind)
  if (name === undefined) return { unreadable: null }
  return { name, line: { row, kind, paise, on, columns: { ...columns, day } }, balance }
}

/** What is paid in is of no policy, although many statements name that of the group. */
function nameIn(cells: FileRow['cells'], kind: EntryKind | undefined): string | undefined {
  const { reference, insurance_policy_id: id, external_policy_id: number } = cells
  const policy = id ?? number
  const isPaid = PAID_KINDS.some((one) => one === kind)
  if (reference !== undefined && (isPaid || policy === undefined)) return referenceName(reference)
  return policy === undefined ? undefined : policyName(policy)
}

type Amount = Pick<StatementLine, 'paise' | 'kind'> & { columns: { amount: string; sign: string } }

const SIGNS: Record<string, 1 | -1> = { CREDIT: 1, CR: 1, C: 1, DEBIT: -1, DR: -1, D: -1 }
/** What takes from a deposit, however it is written. */
const TAKING: readonly (EntryKind | undefined)[] = ['REVERSAL', 'PREMIUM']

/** Returns what a row takes or gives; undefined where it has no amount. */
function readAmount(cells: FileRow['cells']): Amount | Unreadable | undefined {
  const kind = ENTRY_KINDS.find((one) => one === cells['kind']?.trim().toUpperCase().replace(/[ -]/g, '_'))
  if (kind === undefined && cells['kind'] !== undefined) return { unreadable: 'kind' }
  const found = ALL_AMOUNTS.map((name) => ({ name, paise: readPaise(cells[name]) })).filter(
    ({ paise }) => paise !== undefined && paise !== 0,
  )
  const [first, second] = found
  if (first?.paise === undefined) return undefined
  const { name, paise } = first
  // Of two amounts it is not known which one holds.
  if (second || Number.isNaN(paise)) return { unreadable: second?.name ?? name }
  if (name === 'debit' || name === 'credit')
    return { kind, paise: name === 'credit' ? paise : -paise, columns: { amount: name, sign: name } }
  const cell = cells['sign']?.trim().toUpperCase()
  const sign = cell === undefined ? (TAKING.includes(kind) ? -1 : Math.sign(paise)) : SIGNS[cell]
  if (sign === undefined) return { unreadable: 'sign' }
  return { kind, paise: sign * Math.abs(paise), columns: { amount: name, sign: cell === undefined ? name : 'sign' } }
}

/** Rupees as spreadsheets write them, in India too: 1,23,456.00. */
const RUPEES = /^[+-]?(\d+|\d{1,3}(,\d{2,3})*,\d{3})(\.\d{1,2})?$/

/** Returns the amount in a cell; undefined where it is empty, and not a number where it cannot be read. */
function readPaise(cell: string | undefined): Paise | undefined {
  if (cell === undefined) return undefined
  const text = cell.trim()
  const rupees = RUPEES.test(text) ? Number(text.replaceAll(',', '')) : Number.NaN
  return Math.abs(rupees) <= RUPEES_MAX ? toPaise(rupees) : Number.NaN
}
