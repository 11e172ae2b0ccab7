import { isOwn } from '../../../access/scope.ts'
import type { Day } from '../../../kernel/date.ts'
import { type ChangePosition, type ChangesValues, sinceValues } from '../../../kernel/db/changes-text.ts'
import { type Database, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import {
  COLUMNS,
  type DatedFilter,
  datedTexts,
  datedValues,
  DUE,
  furtherParameter,
  isAsked,
  LIMIT,
  ofProvider,
  type Part,
  partText,
  rightsRequestsText,
  UNDATED_DAYS,
  type Variant,
} from './dated-store.ts'
import type { WaitedFor } from './states.ts'
import { decodeSubject, subjectText, SUBJECTS } from './subject-store.ts'
import { restsOn } from './withdrawal-store.ts'

const [AFTER_TIME, AFTER_TIME_ID] = [0, 1].map(furtherParameter) as [string, string]

/** What waits without a clock, longest first. */
const undatedText = (part: Part & { since: string; who: WaitedFor }, variant: Variant): string =>
  partText(
    {
      ...part,
      where: `${part.where} and ${isAsked(part.who)} and ${DUE}::date = 'infinity'
         and (${part.since}, ${part.id}) > (${AFTER_TIME}::timestamptz, ${AFTER_TIME_ID})`,
    },
    { by: part.since, place: `${part.since} + interval '${UNDATED_DAYS} days'` },
    variant,
  )

const consultationsText = (variant: Variant): string =>
  undatedText(
    {
      subject: SUBJECTS.consultation,
      from: 'consultations s',
      alias: 's',
      id: 's.consultation_id',
      since: 'greatest(s.last_modified_at, s.last_message_at)',
      who: 'benefit_provider',
      where: `${ofProvider('s', variant)} and s.status = 'OPEN' and s.awaits_provider and ${isAsked('consultation')}`,
    },
    variant,
  )

const WALLET = {
  subject: SUBJECTS.wallet,
  from: 'wallets w',
  alias: 'w',
  id: 'w.partner_wallet_id',
  since: 'w.last_modified_at',
}
const OF_PEOPLE: readonly (Part & { since: string; who: WaitedFor })[] = [
  {
    subject: SUBJECTS.account,
    from: 'accounts a',
    alias: 'a',
    id: 'a.account_id',
    since: 'a.created_at',
    who: 'operator',
    where: `a.status = 'PENDING'`,
  },
  { ...WALLET, who: 'operator', where: `w.wallet_status in ('PENDING', 'IN_PROGRESS', 'RETRYING')` },
  { ...WALLET, who: 'operator', where: `w.wallet_status = 'FAILED'` },
  { ...WALLET, who: 'operator', where: `w.wallet_status = 'COMPLETED' and w.wallet_status_partner = 'BLOCKED'` },
  { ...WALLET, who: 'user', where: `w.wallet_status = 'CREATED'` },
  {
    subject: SUBJECTS.ofAge,
    from: 'came_of_age g',
    alias: 'g',
    id: 'g.person_id',
    since: 'g.waits_since',
    who: 'platform',
    where: 'g.waits_since is not null',
  },
  {
    subject: SUBJECTS.withdrawal,
    from: 'consents c',
    alias: 'c',
    id: 'c.consent_id',
    since: 'c.waits_since',
    who: 'platform',
    where: `c.waits_since is not null and ${restsOn('c.user_id')}`,
  },
]

/** A benefit provider has nothing to do with accounts, wallets and consents. */
function listText(variant: Variant): string {
  const parts = [
    ...datedTexts(variant),
    consultationsText(variant),
    ...(variant.isOfProvider
      ? []
      : [rightsRequestsText(variant), ...OF_PEOPLE.map((part) => undatedText(part, variant))]),
  ]
  return `select ${COLUMNS}, (extract(epoch from x.place) * 1000000)::bigint as changed_at_us
    from (${parts.join('\n     union all ')}) x
   order by x.place, x.id
   limit ${LIMIT}`
}

/** Planned again, because the days and who is waited for decide the plan. */
const listOf = (name: string, variant: Variant) =>
  statement(`next_actions_${name}`, listText(variant), { replans: true })
const LISTS = {
  all: listOf('list', { isOfProvider: false, isLimited: true }),
  ofProvider: listOf('list_of_provider', { isOfProvider: true, isLimited: true }),
}
const LISTS_ON_SHARDS = {
  all: listOf('list_on_shards', { isOfProvider: false, isLimited: false }),
  ofProvider: listOf('list_of_provider_on_shards', { isOfProvider: true, isLimited: false }),
}

/** Sponsors are on no shard: they are read by themselves, and put between the others. */
const SPONSORS = statement(
  'next_actions_list_sponsors',
  `select s.platform_id, ${subjectText({ kind: "'sponsor'", id: 's.sponsor_id', state: 's.status' })},
          (extract(epoch from s.last_modified_at + interval '${UNDATED_DAYS} days') * 1000000)::bigint as changed_at_us
     from sponsors s
    where s.status = 'PENDING' and ${isOwn('$1', 's.platform_id')}
      and (s.last_modified_at, s.sponsor_id) > ($2::timestamptz, $3)
    order by s.last_modified_at, s.sponsor_id
    limit $4`,
)

/** Neither are deposits, which a reversal can leave below zero; the record is known by its sponsor and benefit provider. */
const DEPOSITS = statement(
  'next_actions_list_deposits',
  `select s.platform_id, ${subjectText({ kind: "'deposit'", id: 'd.sponsor_id', benefit_provider_id: 'd.benefit_provider_id', state: "'BELOW_ZERO'" })},
          (extract(epoch from d.last_modified_at + interval '${UNDATED_DAYS} days') * 1000000)::bigint as changed_at_us
     from deposits d
     join sponsors s on s.sponsor_id = d.sponsor_id
    where d.balance_paise < 0 and ${isOwn('$1', 's.platform_id')} and ${isOwn('$5', 'd.benefit_provider_id')}
      and (d.last_modified_at, d.sponsor_id) > ($2::timestamptz, $3)
    order by d.last_modified_at, d.sponsor_id
    limit $4`,
)

export type ListFilter = Omit<DatedFilter, 'after'> & Pick<ChangesValues, 'after'>

/** Returns what waits of all users in scope: the earliest due day first, then what has none, longest first. */
export async function listWaiting(db: Database, filter: ListFilter) {
  const { all, ofProvider: own } = db.batching ? LISTS : LISTS_ON_SHARDS
  const { platformId, providerId } = filter.scope
  const isUndated = filter.dueBefore === undefined
  const hasSponsors = isUndated && filter.who.includes('operator') && providerId === null
  const hasDeposits = isUndated && filter.who.includes('benefit_provider')
  const undated = [platformId, ...timeAfter(filter), filter.limit]
  const [rows, sponsors, deposits] = await Promise.all([
    db.query<object>(providerId === null ? all : own, [
      ...datedValues({ ...filter, after: dayAfter(filter) }),
      ...timeAfter(filter),
    ]),
    hasSponsors ? db.query<object>(SPONSORS, undated) : [],
    hasDeposits ? db.query<object>(DEPOSITS, [...undated, providerId]) : [],
  ])
  const found = [...rows, ...sponsors, ...deposits].map((row) => ({ ...decodeSubject(row), ...CHANGED.decode(row) }))
  return found.toSorted(byPlace).slice(0, filter.limit)
}

const byPlace = (one: ChangePosition, other: ChangePosition): number =>
  one.changedAt - other.changedAt || (one.id < other.id ? -1 : 1)

const US_PER_DAY = 86_400_000_000

/** The position in what has no clock: the time since when the last one waits. */
function timeAfter({ after, limit }: Pick<ListFilter, 'after' | 'limit'>): [unknown, unknown] {
  const since = after && { id: after.id, changedAt: after.changedAt - UNDATED_DAYS * US_PER_DAY }
  const [, , time, id] = sinceValues({ states: undefined, changedAfter: undefined, after: since, limit })
  return [time, id]
}

/** The position in what has a due day. A time within a day comes after all that is due on it. */
function dayAfter({ after }: Pick<ListFilter, 'after'>): { day: Day; id: string } {
  if (!after) return { day: '-infinity', id: '' }
  const day = new Date(Math.ceil(after.changedAt / US_PER_DAY) * (US_PER_DAY / 1_000)).toISOString().slice(0, 10)
  return { day, id: after.changedAt % US_PER_DAY === 0 ? after.id : '' }
}
