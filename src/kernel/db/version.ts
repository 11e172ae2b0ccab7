import { wireTime } from '../clock.ts'
import { integer, time } from './columns.ts'
import type { WireTime } from './database.ts'

/** The columns of what is changed in place. `revision` counts the changes: it guards the next one and is in the ETag. */
export const VERSION = {
  revision: integer('revision'),
  createdAt: time('created_at'),
  lastModifiedAt: time('last_modified_at'),
}

/** Returns what these columns say of a new record. */
export function firstVersion(at: Date) {
  const createdAt = wireTime(at)
  return { revision: 1, createdAt, lastModifiedAt: createdAt }
}

/** Returns the record as the next change leaves it, beside what changes. */
export const nextVersion = <R extends { revision: number; lastModifiedAt: WireTime }>(record: R, at: Date): R => ({
  ...record,
  revision: record.revision + 1,
  lastModifiedAt: wireTime(at),
})
