import { columns, day, flag, integer, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import type { Day } from '../../../kernel/date.ts'
import { onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'
import { OVER, POLICY_STATUSES } from './states.ts'

const NOTICED = columns('p', {
  id: text('policy_id'),
  userId: text('user_id'),
  benefitProviderId: text('benefit_provider_id'),
  status: oneOf('status', POLICY_STATUSES),
  startDate: day('start_date'),
  endDate: day('end_date'),
  coveredFrom: nullable(day('covered_from')),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  graceUntil: nullable(day('grace_until')),
  issue: integer('issue'),
  endsOn: nullable(day('ends_on')),
  beginsCover: flag('begins_cover'),
  noticesFrom: nullable(day('notices_from')),
  revision: integer('revision'),
})
const OWNER = columns('u', { platformId: text('platform_id') })

/** A policy with notices that may be due; none of its sealed data is read. */
export type DueNotices = RecordOf<typeof NOTICED> & RecordOf<typeof OWNER>

/** From when on the policy `p` has notices; those of a term of which none was sent begin with it. */
const FROM = 'coalesce(p.notices_from, p.start_date)'

/** SQL: the policy `p` can have a notice in its term, as `decideNotices` says. The words of the index `insurance_policies_notices`. */
const HAS_NOTICES = `${FROM} <= p.end_date
      and (p.status = 'REQUIRES_CUSTOMER_RENEWAL' and p.ends_on is null
           or p.notices_from <= p.start_date and p.start_date > p.covered_from and not p.begins_cover
              and (p.ends_on is null or p.ends_on >= p.start_date) and p.status not in (${OVER}))`

/** Reads the minimum from the index, as the calendar does. */
const HAS_DUE = statement(
  'insurance_policies_has_notices',
  `select coalesce(min(${FROM}) <= $1, false) as has_due from insurance_policies p where ${HAS_NOTICES}`,
)

const LIST_DUE = statement(
  'insurance_policies_list_notices',
  `select ${NOTICED.list}, ${OWNER.list}
     from insurance_policies p
     join users u on u.user_id = p.user_id
    where ${HAS_NOTICES} and ${FROM} <= $1 and p.policy_id <> all ($2)
    order by ${FROM}
    limit $3`,
)

export const hasDueNotices = async (db: Queryable, today: Day): Promise<boolean> =>
  onlyRow(await db.query<{ has_due: boolean }>(HAS_DUE, [today])).has_due

/** Returns policies with due notices except the given ids, most overdue first. */
export const listDueNotices = async (
  db: Queryable,
  { today, without, limit }: { today: Day; without: string[]; limit: number },
): Promise<DueNotices[]> =>
  (await db.query<object>(LIST_DUE, [today, without, limit])).map((row) => ({
    ...NOTICED.decode(row),
    ...OWNER.decode(row),
  }))

/**
 * Stores that notices were sent. Guarded by the revision, which it leaves alone, because the policy is the same for its readers, and by what was sent
 * before, so that of two workers one sends them.
 */
export const SEND_NOTICES = recordedWrite({
  name: 'insurance_policies_send_notices',
  values: {
    userId: text('user_id'),
    id: text('policy_id'),
    revision: integer('revision'),
    sentFrom: nullable(day('sent_from')),
    noticesFrom: day('notices_from'),
  },
  update: 'insurance_policies p',
  set: 'notices_from = :notices_from',
  key: 'p.user_id = :user_id and p.policy_id = :policy_id',
  guard: 'p.revision = :revision and p.notices_from is not distinct from :sent_from::date',
  audited: false,
})
