import assert from 'node:assert/strict'
import type { Round } from '../drive.ts'
import { median, spread, table } from '../report.ts'

/** A round, and the cost of each request. */
export type Measured = Round & {
  serverMicros: number
  databaseMicros: number
  loadMicros: number
  statements: number
  writes: number
  /** Pages of tables and indexes that were looked at. */
  pages: number
  walBytes: number
  /** The share of the CPU time of product, database and load. */
  loadShare: number
  /** Shares of all processors: busy at all, and busy for other programs. */
  busy: number
  othersBusy: number
}

export type Compared = { name: string; ours: Measured[]; theirs: Measured[] }

const costOf = ({ serverMicros, databaseMicros }: Measured) => serverMicros + databaseMicros
const percent = (share: number) => `${(share * 100).toFixed(0)} %`

export function comparedLine(ours: Measured | undefined, theirs: Measured | undefined): string {
  assert(ours && theirs)
  const textOf = (one: Measured) =>
    `${one.perSecond.toFixed(0)} requests/s (${one.serverMicros.toFixed(0)} + ${one.databaseMicros.toFixed(0)} µs)`
  return `this ${textOf(ours)}, against ${textOf(theirs)}; others took ${percent(ours.othersBusy)} and ${percent(theirs.othersBusy)}`
}

const HEAD = [
  'operation',
  'this req/s',
  'against req/s',
  'ratio',
  'cost ratio',
  'server µs',
  'database µs',
  'statements',
  'writes',
  'p50 ms',
  'p99 ms',
  'load µs',
]

const LEGEND = [
  'ratio: of requests a second; cost ratio: of server and database µs; both by round, above 1 this checkout is the better',
  'two figures in a column: this checkout / the other, medians of the rounds, a request',
  'statements: round trips to the database; writes: transactions that wrote',
  'load: what sending cost the bench itself, and its share of all that load, server and database took',
  'unexpected responses: none, or the run would have ended',
]

/** Formats the table of all operations, and the share of other programs. */
export function comparedReport(compared: Compared[]): string {
  const all = compared.flatMap(({ ours, theirs }) => [...ours, ...theirs])
  const shares = (of: (one: Measured) => number) => `${spreadOf(all, (one) => of(one) * 100, 0)} %`
  const machine = `all processors ${shares(({ busy }) => busy)} busy, for others ${shares(({ othersBusy }) => othersBusy)}`
  return [table(HEAD, compared.map(lineOf)), '', ...LEGEND, machine].join('\n')
}

function lineOf({ name, ours, theirs }: Compared): string[] {
  const both = (of: (one: Measured) => number, digits: number) =>
    [ours, theirs].map((rounds) => medianOf(rounds, of).toFixed(digits)).join(' / ')
  const pairs = ours.map((one, round) => ({ one, other: theirs[round] as Measured }))
  const all = [...ours, ...theirs]
  return [
    name,
    spreadOf(ours, ({ perSecond }) => perSecond, 0),
    spreadOf(theirs, ({ perSecond }) => perSecond, 0),
    spreadOf(pairs, ({ one, other }) => one.perSecond / other.perSecond, 2),
    spreadOf(pairs, ({ one, other }) => costOf(other) / costOf(one), 2),
    both(({ serverMicros }) => serverMicros, 0),
    both(({ databaseMicros }) => databaseMicros, 0),
    both(({ statements }) => statements, 1),
    both(({ writes }) => writes, 2),
    both(({ p50Ms }) => p50Ms, 1),
    both(({ p99Ms }) => p99Ms, 1),
    `${medianOf(all, ({ loadMicros }) => loadMicros).toFixed(0)}, ${percent(medianOf(all, ({ loadShare }) => loadShare))}`,
  ]
}

const medianOf = <T>(list: T[], of: (one: T) => number) => median(list.map(of))
const spreadOf = <T>(list: T[], of: (one: T) => number, digits: number) => spread(list.map(of), digits)
