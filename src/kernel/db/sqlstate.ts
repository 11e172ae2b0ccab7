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
  [/^failure on connection marked as essential/, '08006'],
]

/** Returns the SQLSTATE of an error; that of the shard where Citus hides it. */
export const sqlstateOf = ({ code = '', message }: pg.DatabaseError): string =>
  code === INTERNAL_ERROR ? (OF_MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? code) : code
