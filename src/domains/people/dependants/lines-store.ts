import { columns, instant, text, texts } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'

const LINE = columns('x', {
  firstId: text('first_id'),
  registeredAt: instant('registered_at'),
  versions: texts('versions'),
  id: text('id'),
  sealed: text('sealed'),
})

/** Every dependant of the user `$1`: the first version, all of them, and the current one. */
const LIST = statement(
  'dependants_list_lines',
  `with recursive line as (
     select dependant_id as first_id, created_at as registered_at, dependant_id, superseded_at, sealed
       from dependants
      where user_id = $1 and previous_version_id is null
      union all
     select l.first_id, l.registered_at, d.dependant_id, d.superseded_at, d.sealed
       from line l
       join dependants d on d.user_id = $1 and d.previous_version_id = l.dependant_id
   )
   select ${LINE.list}
     from (select first_id, registered_at, array_agg(dependant_id) as versions,
                  max(dependant_id) filter (where superseded_at is null) as id,
                  max(sealed) filter (where superseded_at is null) as sealed
             from line group by first_id, registered_at) x
    where x.id is not null`,
)

/** A dependant with the ids of all versions; the current one is sealed. */
export type Line = { firstId: string; registeredAt: Date; versions: string[]; id: string; sealed: string }

/** Returns every dependant of a user. */
export async function listLines(db: Queryable, userId: string): Promise<Line[]> {
  return (await db.query<object>(LIST, [userId])).map(LINE.decode)
}
