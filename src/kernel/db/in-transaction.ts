import type pg from 'pg'

/**
 * Runs work between `begin` and `commit`; rolls back and rethrows its error. For clients that one command holds alone. If the connection
 * is lost, PostgreSQL rolls back itself.
 */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
