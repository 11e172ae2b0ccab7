import { decodeUserId } from '../../../access/user-id.ts'
import { IN_SCOPE, isOwn, scopeValues, type UserScope } from '../../../access/scope.ts'
import { columns, day, decoded, integer, nullable, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { addDays } from '../../../kernel/date.ts'
import { foundRow, statement } from '../../../kernel/db/database.ts'
import { CURRENCIES } from '../../../kernel/money.ts'
import type { Deps } from '../../../record/index.ts'
import { SNAPSHOT } from '../documents/index.ts'
import { coverDays, EXPIRY, expiryText, POLICY_STATUSES } from '../policies/index.ts'
import { listTerms } from './list-terms.ts'

const POLICY = columns('p', {
  id: text('policy_id'),
  userId: decoded('user_id', decodeUserId),
  status: oneOf('status', POLICY_STATUSES),
  startDate: day('start_date'),
  endDate: day('end_date'),
  coveredFrom: nullable(day('covered_from')),
  graceDays: integer('grace_days'),
  graceUntil: nullable(day('grace_until')),
  endsOn: nullable(day('ends_on')),
  currency: oneOf('currency', CURRENCIES),
  premiumAnnualPaise: integer('premium_annual_paise'),
  premiumDailyPaise: integer('premium_daily_paise'),
  premiumSponsorPaise: integer('premium_sponsor_paise'),
})
const ISSUE = columns('f', { issue: integer('issue'), sealed: text('sealed'), at: time('at') })
/** One row without an issue for a policy that has none. */
const LIST = statement(
  'policy_terms_list',
  `select u.data_key, ${POLICY.list}, ${ISSUE.list}, e.has_expired, ${EXPIRY.list}
     from users u
     join insurance_policies p on p.user_id = $1 and p.policy_id = $4 and ${isOwn('$3', 'p.benefit_provider_id')}
     left join policy_snapshots f on f.user_id = $1 and f.policy_id = $4 and f.issue > 0
    left join lateral (select true as has_expired, x.* from (${expiryText('$1')}) x) e on true
    where u.user_id = $1 and ${IN_SCOPE}
    order by f.issue`,
)

/** Returns the terms of a policy. Throws 404 `not_found` when it is not in the caller's scope. */
export async function findTerms({ db, vault }: Deps, scope: UserScope, policyId: string) {
  const rows = await db.query<{ data_key: string; issue: number | null; has_expired: true | null }>(LIST, [
    ...scopeValues(scope),
    policyId,
  ])
  const first = foundRow(rows)
  const policy = POLICY.decode(first)
  const { userId, id } = policy
  const key = vault.unwrap(first.data_key)
  const issues = rows
    .filter(({ issue }) => issue !== null)
    .map((row) => {
      const { issue, sealed, at } = ISSUE.decode(row)
      return { issue, at, snapshot: SNAPSHOT.unseal(key, { userId, id, issue }, sealed) }
    })
  const isEnding = policy.status === 'EXPIRED' || policy.endsOn !== null
  const covering = { ...policy, coveredFrom: policy.coveredFrom ?? policy.startDate }
  const { to } = coverDays(covering, first.has_expired ? EXPIRY.decode(first) : undefined)
  return listTerms({
    term: policy,
    coveredFrom: covering.coveredFrom,
    endedFrom: isEnding ? addDays(to, 1) : null,
    issues,
  })
}
