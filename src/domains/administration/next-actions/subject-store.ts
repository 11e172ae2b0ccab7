import { IN_SCOPE, scopeValues, type UserScope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import {
  columns,
  day,
  decoded,
  flag,
  integer,
  nullable,
  oneOf,
  type RecordOf,
  text,
} from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { POLICY_STATUSES } from '../../cover/policies/index.ts'
import { ACTIONS_IN } from './states.ts'
import { SUBJECT_KINDS } from './decide-action.ts'
import { restsOn } from './withdrawal-store.ts'

/** A record in which somebody may be waited for, whatever its kind; nothing that is sealed. */
export const SUBJECT = columns('x', {
  kind: oneOf('kind', SUBJECT_KINDS),
  id: text('id'),
  userId: nullable(decoded('user_id', decodeUserId)),
  benefitProviderId: nullable(text('benefit_provider_id')),
  policyId: nullable(text('policy_id')),
  state: text('state'),
  operatorState: nullable(text('operator_state')),
  requestedOn: nullable(day('requested_on')),
  sinceOn: nullable(day('since_on')),
  lastOn: nullable(day('last_on')),
  endsOn: nullable(day('ends_on')),
  issue: nullable(integer('issue')),
  issuedOn: nullable(day('issued_on')),
  isSentBack: nullable(flag('is_sent_back')),
  beginsCover: nullable(flag('begins_cover')),
  awaitsProvider: nullable(flag('awaits_provider')),
})
const OWNER = columns('u', { platformId: text('platform_id') })

export type Listed = RecordOf<typeof SUBJECT> & RecordOf<typeof OWNER>

export const decodeSubject = (row: object): Listed => ({ ...SUBJECT.decode(row), ...OWNER.decode(row) })

const TYPES: Record<string, string> = { integer: 'int', boolean: 'boolean' }
const typeOf = (type: string) => TYPES[type] ?? type

/** SQL: the columns of `SUBJECT`, from these expressions; the others are null. */
export const subjectText = (expressions: Record<string, string>): string =>
  Object.values(SUBJECT.fields)
    .map(
      ({ column, type }) =>
        `${expressions[column] ?? `null::${typeOf(type === 'bigint' ? 'integer' : type)}`} as ${column}`,
    )
    .join(', ')

/** SQL: the day in India of a time. */
const dayOf = (time: string) => `(${time} at time zone 'Asia/Kolkata')::date`

/** SQL: the words of a list of states. */
export const wordsOf = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ')

const statesWith = (table: Readonly<Record<string, readonly string[]>>) =>
  wordsOf(Object.keys(table).filter((state) => (table[state]?.length ?? 0) > 0))

/** Since when a policy is in its state; until a worker has filled it in, since its enrolment. */
export const SINCE_ON = dayOf('coalesce(p.status_since, p.created_at)')
export const REQUESTED_ON = dayOf('p.created_at')

const POLICY = {
  kind: "'insurance_policy'",
  id: 'p.policy_id',
  user_id: 'p.user_id',
  benefit_provider_id: 'p.benefit_provider_id',
  policy_id: 'p.policy_id',
  state: 'p.status',
  requested_on: REQUESTED_ON,
  since_on: SINCE_ON,
  last_on: `case when p.status = 'REQUIRES_CUSTOMER_RENEWAL' then p.end_date else p.grace_until end`,
  ends_on: 'p.ends_on',
  issue: 'p.issue',
  is_sent_back: 'p.is_sent_back',
  begins_cover: 'p.begins_cover',
}
const WITHDRAWAL = { kind: "'consent'", id: 'c.consent_id', user_id: 'c.user_id', state: "'WITHDRAWN'" }
export const SUBJECTS = {
  policy: subjectText(POLICY),
  issuedPolicy: subjectText({ ...POLICY, issued_on: dayOf('i.at') }),
  endorsement: subjectText({
    kind: "'endorsement'",
    id: 'e.endorsement_id',
    user_id: 'e.user_id',
    benefit_provider_id: 'e.benefit_provider_id',
    policy_id: 'e.policy_id',
    state: 'e.state',
    last_on: 'e.due_on',
  }),
  account: subjectText({ kind: "'account'", id: 'a.account_id', user_id: 'a.user_id', state: 'a.status' }),
  wallet: subjectText({
    kind: "'wallet'",
    id: 'w.partner_wallet_id',
    user_id: 'w.user_id',
    state: 'w.wallet_status',
    operator_state: 'w.wallet_status_partner',
  }),
  consultation: subjectText({
    kind: "'consultation'",
    id: 's.consultation_id',
    user_id: 's.user_id',
    benefit_provider_id: 's.benefit_provider_id',
    state: 's.status',
    awaits_provider: 's.awaits_provider',
  }),
  rightsRequest: subjectText({
    kind: "'rights_request'",
    id: 'q.request_id',
    user_id: 'q.user_id',
    state: 'q.state',
    last_on: 'q.due_on',
  }),
  ofAge: subjectText({
    kind: "case when g.first_id = g.user_id then 'user' else 'dependant' end",
    id: 'g.person_id',
    user_id: 'g.user_id',
    state: `case when g.waits_since is null then 'SETTLED' else 'CAME_OF_AGE' end`,
  }),
  withdrawal: subjectText(WITHDRAWAL),
  withdrawalOfUser: subjectText({
    ...WITHDRAWAL,
    state: `case when c.waits_since is not null and ${restsOn('$1')} then 'WITHDRAWN' else 'SETTLED' end`,
  }),
  erasure: subjectText({
    kind: "'user'",
    id: 'r.user_id',
    user_id: 'r.user_id',
    state: "'SCHEDULED'",
    last_on: dayOf('r.next_at'),
  }),
}

const OPEN_POLICIES = wordsOf(POLICY_STATUSES.filter((status) => ACTIONS_IN.insurance_policy[status].length > 0))

/** One row without a kind for a user who has nothing that waits. The first issue of a policy is that of its snapshot. */
const LIST_OF_USER = statement(
  'next_actions_of_user',
  `select u.platform_id, ${SUBJECT.list}
     from users u
     left join lateral (
       select ${SUBJECTS.issuedPolicy}
         from insurance_policies p
         left join policy_snapshots i
           on i.user_id = $1 and i.policy_id = p.policy_id and i.issue = 1 and p.status = 'ISSUED'
        where p.user_id = $1 and p.status in (${OPEN_POLICIES})
       union all
       select ${SUBJECTS.endorsement}
         from policy_endorsements e where e.user_id = $1 and e.state in (${statesWith(ACTIONS_IN.endorsement)})
       union all
       select ${SUBJECTS.account}
         from accounts a where a.user_id = $1 and a.status in (${statesWith(ACTIONS_IN.account)})
       union all
       select ${SUBJECTS.wallet}
         from wallets w where w.user_id = $1
       union all
       select ${SUBJECTS.consultation}
         from consultations s where s.user_id = $1 and s.status in (${statesWith(ACTIONS_IN.consultation)})
       union all
       select ${SUBJECTS.rightsRequest}
         from rights_requests q where q.user_id = $1 and q.state in (${statesWith(ACTIONS_IN.rights_request)})
       union all
       select ${SUBJECTS.ofAge}
         from came_of_age g where g.user_id = $1
       union all
       select ${SUBJECTS.withdrawalOfUser}
         from consents c where c.user_id = $1 and c.withdrawn_at is not null
       union all
       select ${SUBJECTS.erasure}
         from erasures r where r.user_id = $1 and r.erased_at is null) x on true
    where u.user_id = $1 and ${IN_SCOPE}`,
)

/** Returns what may have a next action of a user. Throws 404 `not_found` when the user is not in scope. */
export async function listSubjects(db: Queryable, scope: UserScope): Promise<Listed[]> {
  const rows = await db.query<{ kind: string | null }>(LIST_OF_USER, scopeValues(scope))
  foundRow(rows)
  return rows.filter(({ kind }) => kind !== null).map(decodeSubject)
}
