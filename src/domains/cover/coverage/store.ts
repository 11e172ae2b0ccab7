import { IN_SCOPE, isOwn, scopeValues, type UserScope } from '../../../access/scope.ts'
import { columns, day, integer, json, nullable, oneOf, type RecordOf, text, texts } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { GRACE_COVERS } from '../../partners/benefits/index.ts'
import { EXPIRY, expiryText, type MemberDays, POLICY_STATUSES } from '../policies/index.ts'

const POLICY = columns('p', {
  id: text('policy_id'),
  benefitProviderId: text('benefit_provider_id'),
  status: oneOf('status', POLICY_STATUSES),
  dependantIds: texts('dependant_ids'),
  memberDays: nullable(json<MemberDays[], 'member_days'>('member_days')),
  coveredFrom: nullable(day('covered_from')),
  startDate: day('start_date'),
  endDate: day('end_date'),
  graceDays: integer('grace_days'),
  graceCover: oneOf('grace_cover', GRACE_COVERS),
  graceUntil: nullable(day('grace_until')),
  endsOn: nullable(day('ends_on')),
  issue: integer('issue'),
})
const ENROLLED = columns('p', { enrolledOn: day('enrolled_on') })

type Policy = RecordOf<typeof POLICY> & RecordOf<typeof ENROLLED> & { expiry: RecordOf<typeof EXPIRY> | undefined }

/** A version of a dependant, and the one that it corrects. */
export type Version = { id: string; previous: string | null }

/** The policies of a person's benefit providers in scope, and every version of the dependants; nothing sealed. */
export type Family = { policies: Policy[]; versions: Version[] }

/** One row without a policy for a user who has none. */
const LIST = statement(
  'coverage_list',
  `select (select json_agg(json_build_object('id', d.dependant_id, 'previous', d.previous_version_id) order by d.dependant_id)
             from dependants d
            where d.user_id = $1) as versions,
          p.*, e.has_expired, ${EXPIRY.list}
     from users u
     left join lateral (
       select ${POLICY.list}, (p.created_at at time zone 'Asia/Kolkata')::date as enrolled_on
         from insurance_policies p
        where p.user_id = $1 and ${isOwn('$3', 'p.benefit_provider_id')}) p on true
     left join lateral (select true as has_expired, x.* from (${expiryText('$1')}) x) e on true
    where u.user_id = $1 and ${IN_SCOPE}
    order by p.policy_id desc`,
)

type Row = { versions: Version[] | null; policy_id: string | null; has_expired: true | null }

/** Returns the policies of a user, newest first, with what their days depend on. Throws 404 `not_found` when the user is not in scope. */
export async function findFamily(db: Queryable, scope: UserScope): Promise<Family> {
  const rows = await db.query<Row>(LIST, scopeValues(scope))
  const policies = rows
    .filter(({ policy_id }) => policy_id !== null)
    .map((row) => ({
      ...POLICY.decode(row),
      ...ENROLLED.decode(row),
      expiry: row.has_expired ? EXPIRY.decode(row) : undefined,
    }))
  return { policies, versions: foundRow(rows).versions ?? [] }
}
