import { isOwn, type Scope } from '../../../access/scope.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import type { Deadlines } from '../../../settings/read-deadlines.ts'
import { joinUserText } from '../../people/users/index.ts'
import type { WaitedFor } from './states.ts'
import { REQUESTED_ON, SINCE_ON, SUBJECT, SUBJECTS } from './subject-store.ts'

/**
 * What waits without a clock comes after all that has one: a hundred years after it began to wait, which no due day is.
 */
export const UNDATED_DAYS = 36_524
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

/** The spans as a table `t`. */
const SPANS = 'unnest($6::text[], $7::date[], $8::date[], $9::int[]) as t (clock, since, before, days)'
const [PLATFORM, PROVIDER, AFTER_DAY, AFTER_ID, DUE, SOON, WHO_ASKED, LIMIT] = [
  '$1',
  '$2',
  '$3',
  '$4',
  '$5',
  '$10',
  '$11',
  '$12',
] as const
export { DUE, LIMIT }

/** Statements of more have theirs after `datedValues`. */
export const furtherParameter = (index: number): string => `$${13 + index}`

export type Variant = {
  /** The benefit provider leads the index of policies. */
  isOfProvider: boolean
  /** A cluster runs each limited part as a statement of its own, so that nothing is limited there but the whole. */
  isLimited: boolean
  /** Columns and a condition on the rows of a table, given its alias, its id, and the day on which each row is due. */
  only?: (row: { alias: string; id: string; dueOn: string }) => { columns: string; where: string }
}

export type Part = {
  subject: string
  from: string
  /** The alias of its table. */
  alias: string
  id: string
  where: string
}

/** SQL: the columns of what waits. */
export const COLUMNS = `x.platform_id, ${SUBJECT.list}`

/** A part of a list: the rows of one kind in their order, from an index. `more` follows the columns. */
export function partText(
  { subject, from, alias, id, where }: Part,
  order: { by: string; place: string },
  variant: Variant,
  more = '',
) {
  const limit = variant.isLimited ? `\n       order by ${order.by}, ${id} limit ${LIMIT}` : ''
  return `(select u.platform_id, ${subject}, ${order.place} as place${more}
        from ${from} ${joinUserText(alias)}
       where ${where} and ${isOwn(PLATFORM, 'u.platform_id')}${limit})`
}

export const isAsked = (who: WaitedFor | 'consultation'): string => `'${who}' = any (${WHO_ASKED}::text[])`
export const ofProvider = (alias: string, { isOfProvider }: Variant): string =>
  isOfProvider ? `${alias}.benefit_provider_id = ${PROVIDER}` : `${PROVIDER}::text is null`

/** A part of what has a due day, which is `by` and some days. */
function duePart(part: Part, { by, days = '' }: { by: string; days?: string }, variant: Variant): string {
  const dueOn = `(${by}${days})`
  const only = variant.only?.({ ...part, dueOn })
  const where = only ? `${part.where} and ${only.where}` : part.where
  const order = { by, place: `${dueOn}::timestamp at time zone 'UTC'` }
  return partText({ ...part, where }, order, variant, only && `, ${only.columns}`)
}

/** Policies by their clock, where that ends no later than the policy itself. */
function countedText(variant: Variant): string {
  const part = duePart(
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
    { by: COUNTED_FROM, days: ' + t.days' },
    variant,
  )
  const more = variant.only ? ', x.revision' : ''
  return variant.isLimited ? `(select ${COLUMNS}, x.place${more} from ${SPANS} cross join lateral ${part} x)` : part
}

/** Policies that end before their clock does: those whose next day in the calendar is near. */
const endingText = (variant: Variant): string =>
  duePart(
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
    { by: LAST_DAY },
    variant,
  )

const endorsementsText = (variant: Variant): string =>
  duePart(
    {
      subject: SUBJECTS.endorsement,
      from: 'policy_endorsements e',
      alias: 'e',
      id: 'e.endorsement_id',
      where: `${ofProvider('e', variant)} and e.state = 'REQUESTED' and ${isAsked('benefit_provider')}
         and e.due_on < ${DUE}::date and (e.due_on, e.endorsement_id) > (${AFTER_DAY}::date, ${AFTER_ID})`,
    },
    { by: 'e.due_on' },
    variant,
  )

/** What people ask for by law concerns the platform alone. */
export const rightsRequestsText = (variant: Variant): string =>
  duePart(
    {
      subject: SUBJECTS.rightsRequest,
      from: 'rights_requests q',
      alias: 'q',
      id: 'q.request_id',
      where: `q.state in ('RECEIVED', 'IN_PROGRESS') and ${isAsked('platform')}
         and q.due_on < ${DUE}::date and (q.due_on, q.request_id) > (${AFTER_DAY}::date, ${AFTER_ID})`,
    },
    { by: 'q.due_on' },
    variant,
  )

/** SQL: the parts of a list of what has a due day. */
export const datedTexts = (variant: Variant): string[] => [
  countedText(variant),
  endingText(variant),
  endorsementsText(variant),
]

export type DatedFilter = {
  scope: Scope
  /** Only what comes after this record of a day. */
  after: { day: Day; id: string }
  dueBefore: Day | undefined
  who: readonly WaitedFor[]
  /** Whether the caller may know of consultations. */
  seesConsultations: boolean
  today: Day
  deadlines: Deadlines
  correctionDays: number
  limit: number
}

/** The values of the parameters above. */
export function datedValues({
  scope,
  after,
  dueBefore,
  who,
  seesConsultations,
  today,
  deadlines,
  correctionDays,
  limit,
}: DatedFilter): unknown[] {
  const spans = listSpans(deadlines, correctionDays).filter(({ clock }) => who.includes(WHO[clock]))
  const longest = Math.max(correctionDays, ...deadlines.issue.map(({ days }) => days))
  return [
    scope.platformId,
    scope.providerId,
    after.day,
    after.id,
    dueBefore === undefined ? 'infinity' : dueBefore < LAST_DUE ? dueBefore : LAST_DUE,
    spans.map(({ clock }) => clock),
    spans.map(({ since }) => since ?? '-infinity'),
    spans.map(({ before }) => before ?? 'infinity'),
    spans.map(({ days }) => days),
    addDays(today, longest + 1),
    seesConsultations ? [...who, 'consultation'] : who,
    limit,
  ]
}
