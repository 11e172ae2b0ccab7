import { isNotErased, isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import type { Day } from '../../../kernel/date.ts'
import {
  changesText,
  type ChangesValues,
  changesValues,
  dayValues,
  ownParameter,
  sinceValues,
} from '../../../kernel/db/changes-text.ts'
import { columns, day, decoded, flag, integer, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { type Database, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { CURRENCIES } from '../../../kernel/money.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserText } from '../../people/users/index.ts'
import { ASSIGNED, JOIN_ASSIGNEE } from './assignee-store.ts'
import { REFERENCE_LENGTH, referenceIn } from './policy-number.ts'
import { CALENDAR_STEPS, POLICY_STATUSES, type PolicyStatus, WAITING_STATUSES } from './states.ts'

/** What a list of all users' policies shows of each, with the names of its record: nothing that is sealed. */
const LISTED = columns('p', {
  id: text('policy_id'),
  user_id: decoded('user_id', decodeUserId),
  benefit_id: text('benefit_id'),
  benefit_provider_id: text('benefit_provider_id'),
  plan_code: text('plan_code'),
  status: oneOf('status', POLICY_STATUSES),
  start_date: day('start_date'),
  end_date: day('end_date'),
  status_since: nullable(time('status_since')),
  isSentBack: flag('is_sent_back'),
  next_move_on: nullable(day('next_move_on')),
  created_at: time('created_at'),
  last_modified_at: time('last_modified_at'),
})
const END = columns('p', { endsOn: nullable(day('ends_on')), endsFrom: nullable(day('ends_from')) })
const OWNER = columns('u', { platform_id: text('platform_id') })

function decode(row: object) {
  const { isSentBack, ...policy } = LISTED.decode(row)
  const { endsOn, endsFrom } = END.decode(row)
  // One that a node of the version before has taken up keeps its mark.
  const is_sent_back = isSentBack && policy.status === 'PENDING'
  const days = { start_date: endsFrom ?? policy.start_date, end_date: endsOn ?? policy.end_date }
  return { ...policy, ...days, is_sent_back, ...OWNER.decode(row), ...ASSIGNED.decode(row), ...CHANGED.decode(row) }
}

const LIST = {
  columns: `${LISTED.list}, ${END.list}, ${ASSIGNED.list}`,
  joined: OWNER.list,
  from: `insurance_policies p ${JOIN_ASSIGNEE}`,
  alias: 'p',
  join: joinUserText('p'),
  changedAt: 'p.last_modified_at',
  id: 'p.policy_id',
  state: 'p.status',
} as const

/** When a policy began to wait; until a worker has filled it in, its enrolment. */
const SINCE = 'coalesce(p.status_since, p.created_at)'

/** The states in which a policy has a next day. */
const DUE_STATES = POLICY_STATUSES.filter((status) => CALENDAR_STEPS.some(({ from }) => from === status))

const [BENEFITS, PROVIDERS, PLATFORM, PROVIDER, UNASSIGNED] = [0, 1, 2, 3, 4].map(ownParameter) as [
  string,
  string,
  string,
  string,
  string,
]
/** What an index begins with comes after these; in a list by day, after the day. */
const LED_AT = 5

const FILTERS = `(${BENEFITS}::text[] is null or p.benefit_id = any (${BENEFITS}))
         and (${PROVIDERS}::text[] is null or p.benefit_provider_id = any (${PROVIDERS}))
         and ${isOwn(PLATFORM, 'p.platform_id')} and ${isOwn(PROVIDER, 'p.benefit_provider_id')}
         and (not ${UNASSIGNED}::boolean or q.administrator_id is null)`

/** The column that an index begins with, alongside the state. One statement for each index, because one plan could not serve all. */
type Led = '' | 'p.benefit_id' | 'p.benefit_provider_id' | 'p.platform_id' | typeof OF_ASSIGNEE

/** One PostgreSQL keeps a plan for any values, which limits each state; a cluster plans for the values, in one statement a shard. */
type Variant = { suffix: string; limits: { limitsEach?: true }; planned: { replans?: true } }

/** The work of one person: few rows, found by the index of who works on what, and the policies by these. */
const OF_ASSIGNEE = 'q.administrator_id'

const SENT_BACK = { states: ['PENDING'], where: `p.is_sent_back and ${FILTERS}` } as const
const WAITING = { states: WAITING_STATUSES, where: FILTERS }

/** Makes the statements of one form, of each order. */
function createLists({ suffix, limits, planned }: Variant) {
  /** The rows of each of `count` values of `led` are read from its index and merged. */
  const changesList = (name: string, led: Led, count = 1) =>
    statement(
      `insurance_policies_changed${name}${suffix}`,
      changesText({
        ...LIST,
        ...limits,
        states: POLICY_STATUSES,
        where: FILTERS,
        ...(led && {
          anyOf: Array.from({ length: count }, (_, index) => `${led} = ${ownParameter(LED_AT + index)}`),
        }),
      }),
      led === OF_ASSIGNEE ? { replans: true } : planned,
    )

  /** Planned again, because how many policies are due before a day decides the plan: without the day, it would sort them all. */
  const dueList = (name: string, led: Led) => {
    const where = `p.next_move_on < ${ownParameter(LED_AT)}::date and ${FILTERS}`
    const text = changesText({
      ...LIST,
      ...limits,
      day: 'p.next_move_on',
      states: DUE_STATES,
      where: led ? `${led} = ${ownParameter(LED_AT + 1)} and ${where}` : where,
    })
    return statement(`insurance_policies_listed_due${name}${suffix}`, text, { replans: true })
  }

  /** Those that wait longest first. */
  const waitingList = (name: string, led: Led, more: { states: readonly PolicyStatus[]; where: string }) =>
    statement(
      `insurance_policies_${name}${suffix}`,
      changesText({
        ...LIST,
        ...limits,
        ...more,
        since: SINCE,
        ...(led && { anyOf: [`${led} = ${ownParameter(LED_AT)}`] }),
      }),
      led === OF_ASSIGNEE ? { replans: true } : planned,
    )

  return { changesList, dueList, waitingList }
}

type Lists = {
  all: Statement
  ofBenefits: readonly { count: number; list: Statement }[]
  ofAssignee: Statement
  /** Where an index begins with it. */
  ofProvider?: Statement
  ofPlatform?: Statement
}

function listsIn(variant: Variant): Record<'waiting' | 'sentBack' | 'changed' | 'due', Lists> {
  const { changesList, dueList, waitingList } = createLists(variant)
  return {
    waiting: {
      all: waitingList('waiting', '', WAITING),
      ofBenefits: [],
      ofProvider: waitingList('waiting_of_provider', 'p.benefit_provider_id', WAITING),
      ofAssignee: waitingList('waiting_of_assignee', OF_ASSIGNEE, WAITING),
    },
    sentBack: {
      all: waitingList('sent_back', '', SENT_BACK),
      ofBenefits: [],
      ofAssignee: waitingList('sent_back_of_assignee', OF_ASSIGNEE, SENT_BACK),
    },
    changed: {
      all: changesList('', ''),
      ofBenefits: [1, 2, 4, 8].map((count) => ({
        count,
        list: changesList(`_of_benefit${count === 1 ? '' : `s_${count}`}`, 'p.benefit_id', count),
      })),
      ofProvider: changesList('_of_provider', 'p.benefit_provider_id'),
      ofPlatform: changesList('_of_platform', 'p.platform_id'),
      ofAssignee: changesList('_of_assignee', OF_ASSIGNEE),
    },
    due: {
      all: dueList('', ''),
      ofBenefits: [], // no index begins with the benefit here: a page of one is read among those of its provider
      ofProvider: dueList('_of_provider', 'p.benefit_provider_id'),
      ofPlatform: dueList('_of_platform', 'p.platform_id'),
      ofAssignee: dueList('_of_assignee', OF_ASSIGNEE),
    },
  }
}

const LISTS = listsIn({ suffix: '', limits: { limitsEach: true }, planned: {} })
const LISTS_ON_SHARDS = listsIn({ suffix: '_on_shards', limits: {}, planned: { replans: true } })

type PolicyFilter = ChangesValues & {
  scope: Scope
  benefitIds: string[] | undefined
  providerIds: string[] | undefined
  dueBefore: Day | undefined
  isOldestFirst: boolean
  /** Lists those that were sent back, which wait longest first, too. */
  isSentBack: boolean
  /** Only those on which nobody works. */
  isUnassigned: boolean
  /** Only those on which this person works. */
  assigneeId: string | undefined
}

type Chosen = { list: Statement; led: (string | null)[] }

/** Returns the statement whose index usually has the fewest rows alongside those listed, and the values that the index begins with. */
function statementFor(db: Database, { scope, benefitIds, providerIds, ...filter }: PolicyFilter): Chosen {
  const { changed, due, waiting, sentBack } = db.batching ? LISTS : LISTS_ON_SHARDS
  const provider = scope.providerId ?? (providerIds?.length === 1 ? (providerIds[0] ?? null) : null)
  const lists = filter.isSentBack ? sentBack : filter.isOldestFirst ? waiting : filter.dueBefore ? due : changed
  const { all, ofBenefits, ofProvider, ofPlatform, ofAssignee } = lists
  if (filter.assigneeId !== undefined) return { list: ofAssignee, led: [filter.assigneeId] }
  const benefits = [...new Set(benefitIds)]
  const merging = benefits.length > 0 && ofBenefits.find(({ count }) => count >= benefits.length)
  if (merging)
    return { list: merging.list, led: Array.from({ length: merging.count }, (_, index) => benefits[index] ?? null) }
  if (provider !== null && ofProvider) return { list: ofProvider, led: [provider] }
  if (scope.platformId !== null && ofPlatform) return { list: ofPlatform, led: [scope.platformId] }
  return { list: all, led: [] }
}

/**
 * Returns policies of all users in scope: last change first, those with the earliest next day first, or those that wait
 * longest first.
 */
export async function listChangedPolicies(db: Database, filter: PolicyFilter) {
  const { list, led } = statementFor(db, filter)
  const { scope, benefitIds, providerIds, dueBefore, isOldestFirst, isSentBack, isUnassigned } = filter
  const filterValues = [benefitIds ?? null, providerIds ?? null, scope.platformId, scope.providerId, isUnassigned]
  const values =
    isOldestFirst || isSentBack
      ? [...sinceValues(filter), ...filterValues]
      : dueBefore === undefined
        ? [...changesValues(filter), ...filterValues]
        : [...dayValues(filter), ...filterValues, dueBefore]
  return (await db.query<object>(list, [...values, ...led])).map(decode)
}

/** What is kept of a policy for the term of `RETAIN_POLICY_NUMBERS` when its user is erased, besides what a list shows. */
const RETAINED = columns('p', {
  externalPolicyId: nullable(text('external_policy_id')),
  masterPolicyNumber: nullable(text('master_policy_number')),
  currency: oneOf('currency', CURRENCIES),
  premiumAnnualPaise: integer('premium_annual_paise'),
  premiumDailyPaise: integer('premium_daily_paise'),
  premiumSponsorPaise: integer('premium_sponsor_paise'),
})
const RETENTION = columns('e', { until: nullable(day('policies_until')) })

/** With the policies of erased users while they are retained, on the day `$7`, for who would have found them before. */
const findBy = (number: string, where: string) =>
  statement(
    `insurance_policies_find_by_${number}`,
    `select ${LIST.columns}, ${OWNER.list}, ${RETAINED.list}, ${RETENTION.list},
            (extract(epoch from p.last_modified_at) * 1000000)::bigint as changed_at_us
         from ${LIST.from}
         join users u on u.user_id = p.user_id
         left join erasures e on e.user_id = p.user_id and not (${isNotErased('u')})
        where ${where} and ${isOwn('$2', 'u.platform_id')} and ${isOwn('$3', 'p.benefit_provider_id')}
          and (${isNotErased('u')} or e.policies_until >= $7::date)
          and (p.last_modified_at, p.policy_id) < ($4::timestamptz, $5)
        order by p.last_modified_at desc, p.policy_id desc
        limit $6`,
  )

const FIND_BY_NUMBER = {
  external_policy_id: findBy('external_policy_id', 'p.external_policy_id = $1'),
  master_policy_number: findBy('master_policy_number', 'p.master_policy_number = $1'),
  /** The printed number: the insurer’s, or our reference, which is the end of the id. */
  policy_number: findBy('policy_number', `(p.external_policy_id = $1 or right(p.policy_id, ${REFERENCE_LENGTH}) = $8)`),
}
export type PolicyNumber = keyof typeof FIND_BY_NUMBER
type Search = Pick<ChangesValues, 'after' | 'limit'> & {
  scope: Scope
  number: PolicyNumber
  value: string
  today: Day
}

/** Returns the policies in scope with this number, last change first. */
export async function listPoliciesWithNumber(db: Queryable, { number, value, scope, today, ...page }: Search) {
  const [, , changedAt, id, limit] = changesValues({ states: undefined, changedAfter: undefined, ...page })
  const reference = number === 'policy_number' ? [referenceIn(value) ?? null] : []
  const values = [value, scope.platformId, scope.providerId, changedAt, id, limit, today, ...reference]
  const rows = await db.query<object>(FIND_BY_NUMBER[number], values)
  return rows.map((row) => ({ ...decode(row), retained: { ...RETAINED.decode(row), ...RETENTION.decode(row) } }))
}
