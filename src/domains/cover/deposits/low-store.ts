import { columns, instant, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'

const CROSSED = columns('d', {
  sponsorId: text('sponsor_id'),
  benefitProviderId: text('benefit_provider_id'),
  crossedAt: instant('crossed_at'),
})
const OWNER = columns('s', { platformId: text('platform_id') })
const BATCH = 200

/** A deposit that has fallen below its level, and when. */
export type Crossed = RecordOf<typeof CROSSED> & RecordOf<typeof OWNER>

const LIST = statement(
  'deposits_list_crossed',
  `select ${CROSSED.list}, ${OWNER.list}
     from deposits d
     join sponsors s on s.sponsor_id = d.sponsor_id
    where d.crossed_at is not null
    order by d.crossed_at
    limit ${BATCH}`,
)

/** Returns deposits that have fallen below their level since the last event, the earliest first. */
export const listCrossed = async (db: Queryable): Promise<Crossed[]> =>
  (await db.query<object>(LIST, [])).map((row) => ({ ...CROSSED.decode(row), ...OWNER.decode(row) }))

/** Stores that the event was sent. Guarded by the crossing, so that of two workers one sends it; the deposit is the same for its readers. */
export const ANNOUNCE_LOW = recordedWrite({
  name: 'deposits_announce_low',
  values: {
    sponsorId: text('sponsor_id'),
    benefitProviderId: text('benefit_provider_id'),
    crossedAt: time('crossed_at'),
  },
  update: 'deposits d',
  set: 'crossed_at = null',
  key: 'd.sponsor_id = :sponsor_id and d.benefit_provider_id = :benefit_provider_id',
  guard: 'd.crossed_at = :crossed_at',
  audited: false,
})
