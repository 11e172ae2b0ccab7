import { type Day, daysBetween } from '../../../kernel/date.ts'
import type { NumberedEntry } from '../../cover/deposits/index.ts'
import { policyName, referenceName, type Statement, type StatementLine } from './read-statement.ts'
import type { Difference } from './records.ts'

type StoredEntry = Pick<
  NumberedEntry,
  'id' | 'kind' | 'amountPaise' | 'on' | 'reference' | 'userId' | 'policyId' | 'externalPolicyId'
>
type Period = { from: Day; to: Day }
type Rows = Pick<Statement, 'byName'>

/** So many days a row and an entry of a policy are apart at most; a month's premium is not taken for that of the next. */
export const DAYS_APART_MAX = 15

type Same = (line: StatementLine, entry: StoredEntry) => boolean
const isSameKind: Same = ({ kind, paise }, entry) =>
  (kind ?? entry.kind) === entry.kind && Math.sign(paise) === Math.sign(entry.amountPaise)
const isSameAmount: Same = ({ paise }, { amountPaise }) => Math.abs(paise) === Math.abs(amountPaise)
const isSameDay: Same = ({ on }, entry) => on === entry.on
const hasReference: Same = (_line, { reference }) => reference !== null

/** How entries find their rows, the surest first, when no row says just the same. */
const WAYS: readonly Same[] = [
  (line, entry) => isSameKind(line, entry) && isSameAmount(line, entry),
  (line, entry) => isSameKind(line, entry) && isSameDay(line, entry),
  (line, entry) => isSameAmount(line, entry) && isSameDay(line, entry),
  isSameKind,
  hasReference,
]

/**
 * Returns what differs between the rows of a statement and the entries of a deposit, and how many entries the period has. Of those besides the
 * period, only those that a row is about count. Besides the rows, only what has no equal is in memory.
 */
export async function compareDeposit(
  { byName }: Rows,
  pages: AsyncIterable<readonly StoredEntry[]>,
  { from, to }: Period,
): Promise<{ entries: number; differences: Difference[] }> {
  const isIn = ({ on }: StoredEntry) => from <= on && on <= to
  const pairs = new Map<StatementLine, StoredEntry>()
  const left: StoredEntry[] = []
  const policies = new Map<string, Of>()
  let entries = 0
  for await (const page of pages) {
    for (const entry of page) {
      if (isIn(entry)) entries++
      for (const name of namesOf(entry)) if (byName.has(name)) policies.set(name, ofEntry(entry))
      const line = findEqual(linesOf(byName, entry), entry, pairs)
      if (line) pairs.set(line, entry)
      else left.push(entry)
    }
  }
  const lost = pairRest(byName, left, pairs)
  const missing = lost.filter(isIn).map(
    (entry): Difference => ({
      kind: 'missing_there',
      row: null,
      column: null,
      ...ofEntry(entry),
      entryId: entry.id,
    }),
  )
  const ofRows = [...byName].flatMap(([name, lines]) => differencesOf(lines, pairs, policies.get(name)))
  return { entries, differences: [...ofRows, ...missing] }
}

const namesOf = ({ policyId, externalPolicyId, reference }: StoredEntry): string[] => [
  ...(reference === null ? [] : [referenceName(reference)]),
  ...(policyId === null ? [] : [policyName(policyId)]),
  ...(externalPolicyId === null ? [] : [policyName(externalPolicyId)]),
]

const linesOf = (byName: Rows['byName'], entry: StoredEntry): readonly StatementLine[] =>
  namesOf(entry).flatMap((name) => byName.get(name) ?? [])

type Pairs = Map<StatementLine, StoredEntry>

/** Returns the first row that says just what the entry says; rather one that says its kind, too. */
function findEqual(lines: readonly StatementLine[], entry: StoredEntry, pairs: Pairs): StatementLine | undefined {
  const isEqual: Same = (line) =>
    !pairs.has(line) && isSameKind(line, entry) && isSameAmount(line, entry) && isSameDay(line, entry)
  return (
    lines.find((line) => line.kind !== undefined && isEqual(line, entry)) ?? lines.find((line) => isEqual(line, entry))
  )
}

/** Pairs what has no equal, the nearest first, then in the order of day and amount; returns the entries that stay alone. */
function pairRest(byName: Rows['byName'], entries: readonly StoredEntry[], pairs: Pairs): StoredEntry[] {
  let left = entries.toSorted(byDayAndAmount)
  for (const isSame of WAYS) {
    const findLine = (entry: StoredEntry) =>
      findNearest(
        linesOf(byName, entry).filter((line) => !pairs.has(line) && isSame(line, entry)),
        entry,
      )
    const near = left
      .map((entry) => ({ entry, apart: findLine(entry)?.apart }))
      .filter(({ apart }) => apart !== undefined)
      .toSorted((one, other) => (one.apart ?? 0) - (other.apart ?? 0))
    for (const { entry } of near) {
      const found = findLine(entry)
      if (found) pairs.set(found.line, entry)
    }
    const paired = new Set(pairs.values())
    left = left.filter((entry) => !paired.has(entry))
  }
  return left
}

const byDayAndAmount = (one: StoredEntry, other: StoredEntry) =>
  compareText(one.on, other.on) || one.amountPaise - other.amountPaise || compareText(one.id, other.id)

const compareText = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)

type Near = { line: StatementLine; apart: number }

/** Returns the row whose day is the nearest, the first of several; what names the reference may be of any day. */
function findNearest(lines: readonly StatementLine[], { reference, on }: StoredEntry): Near | undefined {
  let nearest: Near | undefined
  const most = reference === null ? DAYS_APART_MAX : Number.POSITIVE_INFINITY
  for (const line of lines) {
    const apart = daysApart(line.on, on)
    if (apart <= most && (!nearest || apart < nearest.apart)) nearest = { line, apart }
  }
  return nearest
}

const daysApart = (one: Day, other: Day): number => Math.abs(daysBetween(one, other) - 1)

type Of = Pick<Difference, 'userId' | 'policyId' | 'personId'>

const ofEntry = ({ userId, policyId }: StoredEntry): Of => ({ userId, policyId, personId: null })

/** What differs of the rows that name one policy or reference. */
function differencesOf(
  lines: readonly StatementLine[],
  pairs: Pairs,
  of: Of = { userId: null, policyId: null, personId: null },
): Difference[] {
  const seen = new Set<string>()
  return lines.flatMap((line) => {
    const entry = pairs.get(line)
    const facts = `${line.kind} ${line.paise} ${line.on}`
    const isRepeated = seen.has(facts)
    seen.add(facts)
    if (entry) return differencesOfPair(line, entry)
    return [{ kind: isRepeated ? 'doubled' : 'missing_here', row: line.row, column: null, ...of }]
  })
}

function differencesOfPair(line: StatementLine, entry: StoredEntry): Difference[] {
  const { row, columns } = line
  const differs = (kind: Difference['kind'], column: string): Difference => ({
    kind,
    row,
    column,
    ...ofEntry(entry),
    entryId: entry.id,
  })
  const isOtherKind = (line.kind ?? entry.kind) !== entry.kind
  return [
    ...(isSameKind(line, entry) ? [] : [differs('kind', isOtherKind ? 'kind' : columns.sign)]),
    ...(isSameAmount(line, entry) ? [] : [differs('amount', columns.amount)]),
    ...(isSameDay(line, entry) ? [] : [differs('day', columns.day)]),
  ]
}
