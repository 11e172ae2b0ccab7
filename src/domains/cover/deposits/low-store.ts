import { columns, instant, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'
import { DEPOSIT_KEY } from './records.ts'

const CROSSED = columns('d', { ...DEPOSIT_KEY, crossedAt: instant('crossed_at') })
const OWNER = columns('s', { platformId: text('platform_id') })

/** A deposit that has fallen below its level, and when; its id is of both that it is known by. */
export type Crossed = RecordOf<typeof CROSSED> & RecordOf<typeof OWNER> & { id: string }

const ID = `d.sponsor_id || ':' || d.benefit_provider_id`

const LIST = statement(
  'deposits_list_crossed',
  `select ${CROSSED.list}, ${OWNER.list}, ${ID} as id
     from deposits d
     join sponsors s on s.sponsor_id = d.sponsor_id
    where d.crossed_at is not null and ${ID} <> all ($1)
    order by d.crossed_at
    limit $2`,
)

type Batch = { without: string[]; limit: number }

/** Returns deposits that have fallen below their level since the last event, except the given ids, the earliest first. */
export async function listCrossed(db: Queryable, { without, limit }: Batch): Promise<Crossed[]> {
  const rows = await db.query<{ id: string }>(LIST, [without, limit])
  return rows.map((row) => ({ ...CROSSED.decode(row), ...OWNER.decode(row), id: row.id }))
}

/** Stores that the event was sent. Guarded by the crossing, so that of two workers one sends it; the deposit is the same for its readers. */
export const ANNOUNCE_LOW = recordedWrite({
  name: 'deposits_announce_low',
  values: { ...DEPOSIT_KEY, crossedAt: time('crossed_at') },
  update: 'deposits d',
  set: 'crossed_at = null',
  key: 'd.sponsor_id = :sponsor_id and d.benefit_provider_id = :benefit_provider_id',
  guard: 'd.crossed_at = :crossed_at',
  audited: false,
})
