import { text } from 'node:stream/consumers'
import { addDays, type Day } from '../../../kernel/date.ts'
import type { Revocation } from '../../../access/revocations.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'

/** The place of the newest file, and the day of the first: a storage has no list of its files. */
type State = { begun_on: string; day: string; part: number }

type FileStore = Pick<Storage, 'get' | 'put'>

const STATE = 'state'
const PART_DIGITS = 4

const keyOf = ({ day, part }: { day: string; part: number }) => `${day}/${String(part).padStart(PART_DIGITS, '0')}`

/** A revocation on the list; of a user who was erased, with the last day of the hold. */
export type ListedRevocation = Revocation & { heldUntil: Day | undefined }

/** A revocation as a line of the list: ids, keyed hashes, the time and the day. */
export const toLine = ({ subject, firstEpoch, at, heldUntil }: ListedRevocation): string =>
  JSON.stringify({ revoked: subject, first_epoch: firstEpoch, at, held_until: heldUntil })

async function readFile(storage: FileStore, key: string): Promise<string | undefined> {
  const stream = await storage.get(key)
  return stream && (await text(stream))
}

export async function readState(storage: FileStore): Promise<State | undefined> {
  const content = await readFile(storage, STATE)
  return content === undefined ? undefined : (JSON.parse(content) as State)
}

type Part = { day: string; part: number; lines: string[] }

/** Passes on each file of these days, in order. */
export async function* partsFrom(storage: FileStore, { from, to }: { from: string; to: string }): AsyncGenerator<Part> {
  for (let day = from; day <= to; day = addDays(day, 1))
    for (let part = 1; ; part++) {
      const content = await readFile(storage, keyOf({ day, part }))
      if (content === undefined) break
      yield { day, part, lines: content.split('\n').filter((line) => line !== '') }
    }
}

const put = (storage: FileStore, key: string, content: string) =>
  storage.put(
    key,
    (async function* () {
      yield Buffer.from(content)
    })(),
  )

export const putPart = (storage: FileStore, { day, part, lines }: Part): Promise<void> =>
  put(storage, keyOf({ day, part }), `${lines.join('\n')}\n`)

/** Stores which file is the newest; only once it is there. */
export const putState = (storage: FileStore, state: State): Promise<void> => put(storage, STATE, JSON.stringify(state))

/** Returns the whole list as text; undefined where there is none. */
export async function readRestoreList(storage: FileStore, today: string): Promise<string | undefined> {
  const state = await readState(storage)
  if (state === undefined) return undefined
  const all: string[] = []
  const to = today > state.day ? today : state.day
  for await (const { lines } of partsFrom(storage, { from: state.begun_on, to })) all.push(...lines)
  return all.join('\n')
}
