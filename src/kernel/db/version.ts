import { wireTime } from '../clock.ts'
import { integer, time } from './columns.ts'
import type { WireTime } from './database.ts'

/**
 * The version columns of records that are updated in place. `revision` counts the changes: it guards the next one and
 * is part of the ETag.
 */
export const VERSION = {
  revision: integer('revision'),
  createdAt: time('created_at'),
  lastModifiedAt: time('last_modified_at'),
}

export function firstVersion(at: Date) {
  const createdAt = wireTime(at)
  return { revision: 1, createdAt, lastModifiedAt: createdAt }
}

export const nextVersion = <R extends { revision: number; lastModifiedAt: WireTime }>(record: R, at: Date): R => ({
  ...record,
  revision: record.revision + 1,
  lastModifiedAt: wireTime(at),
})
