import { isOwn, type Scope } from '../../../access/scope.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { type ChangePosition, type ChangesValues, sinceValues } from '../../../kernel/db/changes-text.ts'
import { type Database, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import type { Deadlines } from '../../../settings/read-deadlines.ts'
import { joinUserText } from '../../people/users/index.ts'
import type { WaitedFor } from './states.ts'
import { decodeSubject, REQUESTED_ON, SINCE_ON, SUBJECT, subjectText, SUBJECTS } from './subject-store.ts'

/**
 * What waits without a clock comes after all that has one: a hundred years after it began to wait, which no due day is.
 */
const UNDATED_DAYS = 36_524
const LAST_DUE: Day = '2100-01-01'

/** SQL: which clock runs of the policy `p`. The words of the index `insurance_policies_next_actions`, as those of `COUNTED_FROM` are. */
const CLOCK = `(case when p.status = 'REQUIRES_CUSTOMER_RENEWAL' then case when p.ends_on is null then 'renewal' end
          when p.status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' then 'grace'
          when p.status = 'PENDING' and p.is_sent_back then case when p.issue = 0 then 'sent_back' else 'sent_back_in_grace' end
          when p.issue = 0 and p.status <> 'APPROVED' then 'decision'
          when p.issue = 0 or p.begins_cover then 'issue'
          else 'correction' end)`

/** SQL: the day that it counts from, or that it ends on. */
const COUNTED_FROM = `(case when p.status = 'REQUIRES_CUSTOMER_RENEWAL' then p.end_date
          when p.status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' or p.status = 'PENDING' and p.is_sent_back and p.issue > 0 then least(p.grace_until, p.ends_on)
          when p.issue = 0 and p.status <> 'APPROVED' and not (p.status = 'PENDING' and p.is_sent_back)
            then ${REQUESTED_ON}
          else ${SINCE_ON} end)`

const WAITS = `p.status not in ('ISSUED', 'EXPIRED', 'REJECTED')`

/** SQL: the last day before the calendar ends it, of a policy that was issued. */
const LAST_DAY = 'least(p.grace_until, p.ends_on)'

const COUNTED = ['issue', 'correction'] as const
type Clock = 'decision' | (typeof COUNTED)[number] | 'renewal' | 'grace' | 'sent_back' | 'sent_back_in_grace'

/** Who is waited for while a clock of a policy runs. */
const WHO: Record<Clock, WaitedFor> = {
  decision: 'benefit_provider',
  issue: 'benefit_provider',
  correction: 'benefit_provider',
  renewal: 'sponsor',
  grace: 'sponsor',
  sent_back: 'platform',
  sent_back_in_grace: 'platform',
}

/** The days that a clock takes of what began in a time; null: without an end. */
type Span = { clock: Clock; since: Day | null; before: Day | null; days: number }

function listSpans({ decision, issue }: Deadlines, correctionDays: number): Span[] {
  const spansOf = (clock: Clock, deadline: Deadlines['decision']): Span[] =>
    deadline.map(({ from, days }, index) => ({ clock, since: from, before: deadline[index + 1]?.from ?? null, days }))
  const always = (clock: Clock, days: number): Span => ({ clock, since: null, before: null, days })
  return [
    ...spansOf('decision', decision),
    ...spansOf('issue', issue),
    always('correction', correctionDays),
    always('renewal', 0),
    always('grace', 0),
    always('sent_back_in_grace', 0),
    always('sent_back', UNDATED_DAYS),
  ]
}

/** The spans as a table `t`; the parameters that the statements have. */
const SPANS = `unnest($8::text[], $9::date[], $10::date[], $11::int[]) as t (clock, since, before, days)`
const [PLATFORM, PROVIDER, AFTER_DAY, AFTER_ID, AFTER_TIME, AFTER_TIME_ID, DUE, SOON, WHO_ASKED, LIMIT] = [
  '$1',
  '$2',
  '$3',
  '$4',
  '$5',
  '$6',
  '$7',
  '$12',
  '$13',
  '$14',
] as const

/** SQL: the columns of the list. */
const COLUMNS = `x.platform_id, ${SUBJECT.list}`

type Variant = {
  /** The benefit provider leads the index of policies, and has nothing to do with accounts and wallets. */
  isOfProvider: boolean
  /** A cluster runs each limited part as a statement of its own, so that nothing is limited there but the whole. */
  isLimited: boolean
}

type Part = {
  subject: string
  from: string
  /** The alias of its table. */
  alias: string
  id: string
  where: string
  /** The platform of a record that belongs to no user. */
  platformId?: string
}

/** A part of the list: the rows of one kind in their order, from an index. */
function partText(
  { subject, from, alias, id, where, platformId }: Part,
  order: { by: string; place: string },
  limited: boolean,
) {
  const isOfUser = platformId === undefined
  return `(select ${platformId ?? 'u.platform_id'}, ${subject}, ${order.place} as place
        from ${from}${isOfUser ? ` ${joinUserText(alias)}` : ''}
       where ${where} and ${isOwn(PLATFORM, platformId ?? 'u.platform_id')}${limited ? `\n       order by ${order.by}, ${id} limit ${LIMIT}` : ''})`
}

const atDay = (day: string) => `(${day})::timestamp at time zone 'UTC'`
const isAsked = (who: WaitedFor) => `'${who}' = any (${WHO_ASKED}::text[])`
const ofProvider = (alias: string, { isOfProvider }: Variant) =>
  isOfProvider ? `${alias}.benefit_provider_id = ${PROVIDER}` : `${PROVIDER}::text is null`

/** Policies by their clock, where that ends no later than the policy itself. */
function countedText(variant: Variant): string {
  const part = partText(
    {
      subject: SUBJECTS.policy,
      from: variant.isLimited ? 'insurance_policies p' : `${SPANS} join insurance_policies p on ${CLOCK} = t.clock`,
      alias: 'p',
      id: 'p.policy_id',
      where: `${ofProvider('p', variant)} and ${WAITS} and ${CLOCK} = t.clock
         and ${COUNTED_FROM} >= t.since and ${COUNTED_FROM} < t.before and ${COUNTED_FROM} < ${DUE}::date - t.days
         and (${COUNTED_FROM}, p.policy_id) > (${AFTER_DAY}::date - t.days, ${AFTER_ID})
         and (${LAST_DAY} is null or ${COUNTED_FROM} + t.days <= ${LAST_DAY})`,
    },
    { by: COUNTED_FROM, place: atDay(`${COUNTED_FROM} + t.days`) },
    variant.isLimited,
  )
  return variant.isLimited ? `(select ${COLUMNS}, x.place from ${SPANS} cross join lateral ${part} x)` : part
}

/** Policies that end before their clock does: those whose next day in the calendar is near. */
const endingText = (variant: Variant): string =>
  partText(
    {
      subject: SUBJECTS.policy,
      from: `insurance_policies p join ${SPANS} on ${CLOCK} = t.clock`,
      alias: 'p',
      id: 'p.policy_id',
      where: `${ofProvider('p', variant)} and p.status in ('PENDING', 'VERIFICATION', 'APPROVED', 'REQUIRES_POLICY_REISSUANCE')
         and p.next_move_on <= ${SOON}::date and t.clock in ('issue', 'correction')
         and ${COUNTED_FROM} >= t.since and ${COUNTED_FROM} < t.before and ${LAST_DAY} < ${COUNTED_FROM} + t.days
         and ${LAST_DAY} < ${DUE}::date and (${LAST_DAY}, p.policy_id) > (${AFTER_DAY}::date, ${AFTER_ID})`,
    },
    { by: LAST_DAY, place: atDay(LAST_DAY) },
    variant.isLimited,
  )

const endorsementsText = (variant: Variant): string =>
  partText(
    {
      subject: SUBJECTS.endorsement,
      from: 'policy_endorsements e',
      alias: 'e',
      id: 'e.endorsement_id',
      where: `${ofProvider('e', variant)} and e.state = 'REQUESTED' and ${isAsked('benefit_provider')}
         and e.due_on < ${DUE}::date and (e.due_on, e.endorsement_id) > (${AFTER_DAY}::date, ${AFTER_ID})`,
    },
    { by: 'e.due_on', place: atDay('e.due_on') },
    variant.isLimited,
  )

/** What waits without a clock, longest first. */
const undatedText = (part: Part & { since: string; who: WaitedFor }, limited: boolean): string =>
  partText(
    {
      ...part,
      where: `${part.where} and ${isAsked(part.who)} and ${DUE}::date = 'infinity'
         and (${part.since}, ${part.id}) > (${AFTER_TIME}::timestamptz, ${AFTER_TIME_ID})`,
    },
    { by: part.since, place: `${part.since} + interval '${UNDATED_DAYS} days'` },
    limited,
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
      where: `${ofProvider('s', variant)} and s.status = 'OPEN' and s.awaits_provider`,
    },
    variant.isLimited,
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
]

function listText(variant: Variant): string {
  const parts = [
    countedText(variant),
    endingText(variant),
    endorsementsText(variant),
    consultationsText(variant),
    ...(variant.isOfProvider ? [] : OF_PEOPLE.map((part) => undatedText(part, variant.isLimited))),
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

export type ListFilter = Pick<ChangesValues, 'after' | 'limit'> & {
  scope: Scope
  who: readonly WaitedFor[]
  dueBefore: Day | undefined
  today: Day
  deadlines: Deadlines
  correctionDays: number
}

/** Returns what waits of all users in scope: the earliest due day first, then what has none, longest first. */
export async function listWaiting(db: Database, filter: ListFilter) {
  const { all, ofProvider: own } = db.batching ? LISTS : LISTS_ON_SHARDS
  const { platformId, providerId } = filter.scope
  const hasSponsors = filter.who.includes('operator') && providerId === null && filter.dueBefore === undefined
  const [rows, sponsors] = await Promise.all([
    db.query<object>(providerId === null ? all : own, listValues(filter)),
    hasSponsors ? db.query<object>(SPONSORS, [platformId, ...timeAfter(filter), filter.limit]) : [],
  ])
  const found = [...rows, ...sponsors].map((row) => ({ ...decodeSubject(row), ...CHANGED.decode(row) }))
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
function dayAfter({ after }: Pick<ListFilter, 'after'>): [Day, string] {
  if (!after) return ['-infinity', '']
  const day = new Date(Math.ceil(after.changedAt / US_PER_DAY) * (US_PER_DAY / 1_000)).toISOString().slice(0, 10)
  return after.changedAt % US_PER_DAY === 0 ? [day, after.id] : [day, '']
}

function listValues(filter: ListFilter): unknown[] {
  const { scope, who, dueBefore, today, deadlines, correctionDays, limit } = filter
  const spans = listSpans(deadlines, correctionDays).filter(({ clock }) => who.includes(WHO[clock]))
  const longest = Math.max(correctionDays, ...deadlines.issue.map(({ days }) => days))
  return [
    scope.platformId,
    scope.providerId,
    ...dayAfter(filter),
    ...timeAfter(filter),
    dueBefore === undefined ? 'infinity' : dueBefore < LAST_DUE ? dueBefore : LAST_DUE,
    spans.map(({ clock }) => clock),
    spans.map(({ since }) => since ?? '-infinity'),
    spans.map(({ before }) => before ?? 'infinity'),
    spans.map(({ days }) => days),
    addDays(today, longest + 1),
    who,
    limit,
  ]
}
