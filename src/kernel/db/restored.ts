import type pg from 'pg'
import { type Queryable, statement } from './database.ts'
import { StartError } from '../start-error.ts'

/** Stands among the migrations while nobody has said what was shut since the backup. */
const RESTORED = 'restored'

const FIND = statement('migrations_find_restored', 'select name from migrations where name = $1')

type Client = Pick<pg.Client, 'query'>

/** Leaves the mark of a restore. Migrations are the one table that a database of any version has. */
export async function markRestored(client: Client): Promise<void> {
  await client.query('insert into migrations (name, checksum) values ($1, $2) on conflict do nothing', [RESTORED, ''])
}

/** Takes the mark away; as the owner of the database, because the role of the program cannot. */
export async function unmarkRestored(client: Client): Promise<void> {
  await client.query('delete from migrations where name = $1', [RESTORED])
}

export const isMarkedRestored = async (db: Queryable): Promise<boolean> => (await db.query(FIND, [RESTORED])).length > 0

/** Throws `StartError` when the database was restored, and nobody has said since what to shut again. */
export async function checkNotRestored(db: Queryable): Promise<void> {
  if (await isMarkedRestored(db))
    throw new StartError(
      'The database was restored, so what was shut since the backup is open in it: run `erasures apply <list>`, or `erasures apply --nothing-since` where nothing was.',
    )
}
