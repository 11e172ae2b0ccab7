import type pg from 'pg'

const INTERNAL_ERROR = 'XX000'

/**
 * Citus copies several rows to a shard; what the shard refuses of them comes back as an internal error with its message. So does a
 * node that goes away.
 */
const OF_MESSAGES: [RegExp, string][] = [
  [/^duplicate key value violates unique constraint/, '23505'],
  [/^deadlock detected/, '40P01'],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement due to/, '57014'],
  [/^terminating connection|^the database system is/, '57P01'],
  [/^cannot execute .+ (in a read-only transaction|during recovery)$/, '25006'],
  [/^failure on connection marked as essential/, '08006'],
]

/** Returns the SQLSTATE of an error; that of the shard where Citus hides it. */
export const readSqlstate = ({ code = '', message }: pg.DatabaseError): string =>
  code === INTERNAL_ERROR ? (OF_MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? code) : code

/**
 * What PostgreSQL says when the same request can succeed a little later: a 503. Any other code is a defect of the program, its rights or
 * the data, which no retry fixes, and a 500: a right that was revoked (42501), a statement beyond a limit (54), damage (XX001, XX002).
 */
const NOT_NOW: readonly (readonly [pattern: RegExp, because: string])[] = [
  [/^08/, 'the connection failed'],
  [/^25006$/, 'the database is read-only: a standby, or set so'],
  [/^25P0[34]$/, 'a transaction lasted too long, and the server ended the session'],
  [/^40003$/, 'it is unknown whether the statement was executed'],
  [/^53/, 'a disk is full, or memory or connections ran out'],
  [/^55P03$/, 'a lock was not free in time'],
  [/^57/, 'cancelled or timed out, or the server stops or starts'],
  [/^58/, 'the machine of the server fails, such as its disk'],
]

export const isNotNow = (code: string): boolean => NOT_NOW.some(([pattern]) => pattern.test(code))

/** Two statements collided: one is sent again at once, and is a 503 only if that does not help. */
export const isCollision = (code: string): boolean => /^(40001|40P01)$/.test(code)

/** The session is over. */
export const hasEndedSession = (code: string): boolean => /^(08|25P0[34]|57P)/.test(code)

/** The statement may have been executed all the same: the session ended while it committed, or its response was lost. */
export const mayBeDone = (code: string): boolean => /^(08|40003|57P)/.test(code)
