import assert from 'node:assert/strict'
import type { Round } from '../drive.ts'
import { median, spread, table } from '../report.ts'

/** A round, and what each of its requests cost. */
export type Measured = Round & {
  serverMicros: number
  databaseMicros: number
  loadMicros: number
  statements: number
  writes: number
  /** Of all the processor time that product, database and load took. */
  loadShare: number
  /** Shares of all processors: working at all, and for others than these three. */
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
  'ratio by round',
  'cost ratio',
  'server µs',
  'database µs',
  'statements',
  'writes',
  'p50 ms',
  'p99 ms',
]

/** Medians of the rounds; two figures in a column are those of this checkout and of the other. */
export function comparedReport(compared: Compared[]): string {
  const lines = compared.map(({ name, ours, theirs }) => {
    const middle = (of: (one: Measured) => number, rounds: Measured[]) => median(rounds.map(of))
    const both = (of: (one: Measured) => number, digits: number) =>
      [ours, theirs].map((rounds) => middle(of, rounds).toFixed(digits)).join(' / ')
    const rate = (one: Measured) => one.perSecond
    return [
      name,
      spread(ours.map(rate), 0),
      spread(theirs.map(rate), 0),
      (middle(rate, ours) / middle(rate, theirs)).toFixed(2),
      spread(
        ours.map(({ perSecond }, round) => perSecond / (theirs[round] as Measured).perSecond),
        2,
      ),
      (middle(costOf, theirs) / middle(costOf, ours)).toFixed(2),
      both((one) => one.serverMicros, 0),
      both((one) => one.databaseMicros, 0),
      both((one) => one.statements, 1),
      both((one) => one.writes, 2),
      both((one) => one.p50Ms, 1),
      both((one) => one.p99Ms, 1),
    ]
  })
  const all = compared.flatMap(({ ours, theirs }) => [...ours, ...theirs])
  const sharesOf = (of: (one: Measured) => number) =>
    `${spread(
      all.map((one) => of(one) * 100),
      0,
    )} %`
  return [
    table(HEAD, lines),
    '',
    'ratio and cost ratio above 1: this checkout is the faster one, or takes less processor time a request',
    'statements: round trips to the database a request; writes: transactions a request that wrote',
    `load: ${spread(
      all.map((one) => one.loadMicros),
      0,
    )} µs a request, ${sharesOf((one) => one.loadShare)} of the processor time that load, server and database took`,
    `all processors ${sharesOf((one) => one.busy)} busy, for others ${sharesOf((one) => one.othersBusy)}`,
    'answers other than those asked for: none, or the run would have ended',
  ].join('\n')
}
