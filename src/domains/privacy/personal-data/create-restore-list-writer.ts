import { listRevocations } from '../../../access/revocations.ts'
import { type Clock, utcDay } from '../../../kernel/clock.ts'
import { addDays } from '../../../kernel/date.ts'
import type { Database } from '../../../kernel/db/database.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { listErasures } from './apply-erasures.ts'
import { listHoldDays } from './hold-store.ts'
import { partsFrom, putPart, putState, readState, toLine } from './read-restore-list.ts'

/** A file has 300 KB and is written again whenever something is added. */
const LINES_MAX = 2_000

type Context = { db: Database; clock: Clock; storage: Pick<Storage, 'get' | 'put'> }

/** What this process knows of the list: its newest file, and the lines of two days, by day. */
type Place = { begunOn: string; day: string; part: number; lines: string[]; known: Map<string, Set<string>> }

/** Adds to the list what was revoked, ended, erased, disabled, withdrawn or moved since. One process at a time. */
export function createRestoreListWriter({ db, clock, storage }: Context, linesMax = LINES_MAX) {
  let place: Place | undefined
  let readAt_s = 0
  const today = () => utcDay(clock.now())

  async function open(): Promise<Place> {
    const state = await readState(storage)
    const day = today()
    if (state === undefined) return begin(day)
    const opened: Place = { begunOn: state.begun_on, day: state.day, part: state.part, lines: [], known: new Map() }
    const to = day > state.day ? day : state.day
    for await (const { lines, ...at } of partsFrom(storage, { from: addDays(state.day, -1), to })) {
      Object.assign(opened, at, { lines })
      remember(opened.known, at.day, lines)
    }
    return opened
  }

  /** The first list has everybody who was erased before: a backup of any day can be restored with it. */
  async function begin(day: string): Promise<Place> {
    const begun: Place = { begunOn: day, day, part: 1, lines: [], known: new Map() }
    const erased: string[] = []
    await listErasures({ db }, (tombstone) => erased.push(JSON.stringify(tombstone)))
    await append(begun, erased)
    return begun
  }

  async function append(to: Place, added: readonly string[]): Promise<void> {
    for (let rest = added; rest.length > 0; ) {
      const day = today()
      if (day > to.day) {
        Object.assign(to, { day, part: 1, lines: [] })
        for (const old of to.known.keys()) if (old < addDays(day, -2)) to.known.delete(old)
      } else if (to.lines.length >= linesMax) Object.assign(to, { part: to.part + 1, lines: [] })
      const some = rest.slice(0, linesMax - to.lines.length)
      to.lines = [...to.lines, ...some]
      await putPart(storage, to)
      remember(to.known, to.day, some)
      rest = rest.slice(some.length)
    }
    await putState(storage, { begun_on: to.begunOn, day: to.day, part: to.part })
  }

  return {
    async write(): Promise<void> {
      place ??= await open()
      const { known } = place
      const isKnown = (line: string) => [...known.values()].some((lines) => lines.has(line))
      const { read_at_s, rows } = await listRevocations(db, readAt_s)
      const days = await listHoldDays(
        db,
        rows.flatMap(({ subject }) => userIn(subject) ?? []),
      )
      const heldUntil = (subject: string) => days.get(userIn(subject) ?? '')
      const lines = rows
        .map((row) => toLine({ ...row, heldUntil: heldUntil(row.subject) }))
        .filter((line) => !isKnown(line))
      if (lines.length > 0) await append(place, lines)
      readAt_s = read_at_s
    },
    /** Another process may have written since. */
    reset: () => {
      place = undefined
      readAt_s = 0
    },
  }
}

/** Returns the erased user of a revocation. */
const userIn = (subject: string): string | undefined => /^user:(\d{12})$/.exec(subject)?.[1]

function remember(known: Place['known'], day: string, lines: readonly string[]): void {
  const ofDay = known.get(day) ?? new Set()
  for (const line of lines) ofDay.add(line)
  known.set(day, ofDay)
}
