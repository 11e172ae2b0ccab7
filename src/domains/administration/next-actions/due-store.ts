import { columns, day, integer, text } from '../../../kernel/db/columns.ts'
import { type Database, statement } from '../../../kernel/db/database.ts'
import { addDays } from '../../../kernel/date.ts'
import { recordedWrite } from '../../../record/index.ts'
import { STAYS_THERE } from '../../people/users/index.ts'
import {
  COLUMNS,
  type DatedFilter,
  datedTexts,
  datedValues,
  furtherParameter,
  LIMIT,
  rightsRequestsText,
  type Variant,
} from './dated-store.ts'
import { WAITED_FOR } from './states.ts'
import { decodeSubject, type Listed } from './subject-store.ts'

const WITHOUT = furtherParameter(0)

function dueText(isLimited: boolean): string {
  const variant: Variant = {
    isOfProvider: false,
    isLimited,
    only: ({ alias, id, dueOn }) => ({
      columns: `${alias}.revision`,
      where: `${alias}.announced_due_on is distinct from ${dueOn} and ${id} <> all (${WITHOUT}::text[])`,
    }),
  }
  return `select ${COLUMNS}, x.revision
    from (${[...datedTexts(variant), rightsRequestsText(variant)].join('\n     union all ')}) x
   order by x.place, x.id
   limit ${LIMIT}`
}

const DUE = statement('next_actions_due', dueText(true), { replans: true })
const DUE_ON_SHARDS = statement('next_actions_due_on_shards', dueText(false), { replans: true })
const REVISION = columns('x', { revision: integer('revision') })

/** What waits, and the revision of its record. */
export type Due = Listed & { revision: number }

type DueFilter = Pick<DatedFilter, 'today' | 'deadlines' | 'correctionDays' | 'limit'> & { without: string[] }

/** Returns what is due today or tomorrow and has not been announced, except the given ids. */
export async function listDue(db: Database, { without, ...filter }: DueFilter): Promise<Due[]> {
  const scope = { platformId: null, providerId: null }
  const days = { after: { day: filter.today, id: '' }, dueBefore: addDays(filter.today, 2) }
  const values = datedValues({ ...filter, ...days, scope, who: WAITED_FOR, seesConsultations: false })
  const rows = await db.query<object>(db.batching ? DUE : DUE_ON_SHARDS, [...values, without])
  return rows.map((row) => ({ ...decodeSubject(row), ...REVISION.decode(row) }))
}

const ANNOUNCED = {
  userId: text('user_id'),
  revision: integer('revision'),
  dueOn: day('due_on'),
}

/**
 * Stores which day was announced. Guarded by the revision, which it leaves alone, because the record is the same for its readers, and by the day itself,
 * so that of two workers one sends the event.
 */
const announcement = (name: string, alias: string, key: string, also = '') =>
  recordedWrite({
    name: `${name}_announce`,
    values: { ...ANNOUNCED, id: text('id') },
    update: `${name} ${alias}`,
    set: 'announced_due_on = :due_on',
    key: `${alias}.user_id = :user_id and ${alias}.${key} = :id`,
    guard: `${alias}.revision = :revision and ${alias}.announced_due_on is distinct from :due_on${also}`,
    audited: false,
  })

export const ANNOUNCE = {
  insurance_policy: announcement('insurance_policies', 'p', 'policy_id'),
  endorsement: announcement('policy_endorsements', 'e', 'endorsement_id'),
  rights_request: announcement('rights_requests', 'q', 'request_id', ` and ${STAYS_THERE}`),
}
