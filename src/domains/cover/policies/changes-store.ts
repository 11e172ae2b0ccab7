import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import type { Day } from '../../../kernel/date.ts'
import { changesText, type ChangesValues, changesValues, ownParameter } from '../../../kernel/db/changes-text.ts'
import { columns, day, decoded, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserOf } from '../../people/users/index.ts'
import { POLICY_STATUSES, type PolicyStatus } from './states.ts'

/** What a list of all users' policies shows of each: nothing that is sealed. */
const LISTED = columns('p', {
  id: text('policy_id'),
  userId: decoded('user_id', decodeUserId),
  benefitId: text('benefit_id'),
  benefitProviderId: text('benefit_provider_id'),
  planCode: text('plan_code'),
  status: oneOf('status', POLICY_STATUSES),
  startDate: day('start_date'),
  endDate: day('end_date'),
  nextMoveOn: nullable(day('next_move_on')),
  createdAt: time('created_at'),
  lastModifiedAt: time('last_modified_at'),
})
const OWNER = columns('u', { platformId: text('platform_id') })

export type ListedPolicy = RecordOf<typeof LISTED> & RecordOf<typeof OWNER>

const decode = (row: object) => ({ ...LISTED.decode(row), ...OWNER.decode(row), ...CHANGED.decode(row) })

const listText = (where: string) =>
  changesText({
    columns: LISTED.list,
    joined: OWNER.list,
    from: 'insurance_policies p',
    join: joinUserOf('p'),
    changedAt: 'p.last_modified_at',
    id: 'p.policy_id',
    state: 'p.status',
    states: POLICY_STATUSES,
    where,
  })

const [BENEFITS, PROVIDERS, PLATFORM, PROVIDER, DUE, LED_BY] = [0, 1, 2, 3, 4, 5].map(ownParameter) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

const FILTERS = `(${BENEFITS}::text[] is null or p.benefit_id = any (${BENEFITS}))
         and (${PROVIDERS}::text[] is null or p.benefit_provider_id = any (${PROVIDERS}))
         and ${isOwn(PLATFORM, 'p.platform_id')} and ${isOwn(PROVIDER, 'p.benefit_provider_id')}
         and (${DUE}::date is null or p.next_move_on < ${DUE})`

/** One statement for each index, because one plan could not serve all. */
const listOf = (name: string, led: string) => statement(`insurance_policies_changed${name}`, listText(led + FILTERS))

const ALL = listOf('', '')
const OF_BENEFIT = listOf('_of_benefit', `p.benefit_id = ${LED_BY} and `)
const OF_PROVIDER = listOf('_of_provider', `p.benefit_provider_id = ${LED_BY} and `)
const OF_PLATFORM = listOf('_of_platform', `p.platform_id = ${LED_BY} and `)

export type PolicyFilter = ChangesValues & {
  states: PolicyStatus[] | undefined
  scope: Scope
  benefitIds: string[] | undefined
  providerIds: string[] | undefined
  dueBefore: Day | undefined
}

/** Returns the statement that reads the fewest rows beside those listed, and the value that its index begins with. */
function statementFor({ scope, benefitIds, providerIds }: PolicyFilter): { list: Statement; led: string[] } {
  if (benefitIds?.length === 1) return { list: OF_BENEFIT, led: benefitIds }
  if (scope.providerId !== null) return { list: OF_PROVIDER, led: [scope.providerId] }
  if (providerIds?.length === 1) return { list: OF_PROVIDER, led: providerIds }
  return scope.platformId === null ? { list: ALL, led: [] } : { list: OF_PLATFORM, led: [scope.platformId] }
}

/** Returns policies of all users in scope, last change first. */
export async function listChangedPolicies(db: Queryable, filter: PolicyFilter) {
  const { list, led } = statementFor(filter)
  const { scope, benefitIds, providerIds, dueBefore } = filter
  const own = [benefitIds ?? null, providerIds ?? null, scope.platformId, scope.providerId, dueBefore ?? null, ...led]
  return (await db.query<object>(list, [...changesValues(filter), ...own])).map(decode)
}

const NUMBERS = ['external_policy_id', 'master_policy_number'] as const
export type PolicyNumber = (typeof NUMBERS)[number]

const FIND_BY_NUMBER = Object.fromEntries(
  NUMBERS.map((number) => [
    number,
    statement(
      `insurance_policies_find_by_${number}`,
      `select ${LISTED.list}, ${OWNER.list}, (extract(epoch from p.last_modified_at) * 1000000)::bigint as changed_at_us
         from insurance_policies p
         ${joinUserOf('p')}
        where p.${number} = $1 and ${isOwn('$2', 'u.platform_id')} and ${isOwn('$3', 'p.benefit_provider_id')}
          and (p.last_modified_at, p.policy_id) < ($4::timestamptz, $5)
        order by p.last_modified_at desc, p.policy_id desc
        limit $6`,
    ),
  ]),
) as Record<PolicyNumber, Statement>

type Search = Pick<ChangesValues, 'after' | 'limit'> & { scope: Scope; number: PolicyNumber; value: string }

/** Returns the policies in scope with this number, last change first. */
export async function listPoliciesWithNumber(db: Queryable, { number, value, scope, ...page }: Search) {
  const [, , changedAt, id, limit] = changesValues({ states: undefined, changedAfter: undefined, ...page })
  const values = [value, scope.platformId, scope.providerId, changedAt, id, limit]
  return (await db.query<object>(FIND_BY_NUMBER[number], values)).map(decode)
}
