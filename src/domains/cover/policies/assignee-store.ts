import { IN_SCOPE, isNotErased, isOwn, scopeValues, userScopeFrom } from '../../../access/scope.ts'
import { columns, nullable, text, time } from '../../../kernel/db/columns.ts'
import { foundRow, statement } from '../../../kernel/db/database.ts'
import { type Call, type Deps, recordedWrite } from '../../../record/index.ts'
import type { PolicyPath } from './records.ts'

const POLICY = columns('p', { policyId: text('policy_id'), benefitProviderId: text('benefit_provider_id') })

/** Who has taken up a policy, as a list joins it. */
export const ASSIGNED = columns('q', { assigneeId: nullable(text('administrator_id')) })
const SINCE = columns('q', { assignedAt: nullable(time('assigned_at')) })

/** SQL: joins the policy `p` with its assignee `q`, if it has one. */
export const JOIN_ASSIGNEE = 'left join policy_assignees q on q.user_id = p.user_id and q.policy_id = p.policy_id'

const FIND = statement(
  'policy_assignees_find',
  `select ${POLICY.list}, ${ASSIGNED.list}, ${SINCE.list}
     from users u
     join insurance_policies p on p.user_id = $1 and p.policy_id = $4 and ${isOwn('$3', 'p.benefit_provider_id')}
     left join policy_assignees q on q.user_id = $1 and q.policy_id = $4
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const OF_POLICY = { userId: text('user_id'), policyId: text('policy_id') }

/** Guarded by the assignee that was read, so that of two people who take up a policy at once one gets a conflict. */
export const SAVE_ASSIGNEE = recordedWrite({
  name: 'policy_assignees_save',
  values: {
    ...OF_POLICY,
    administratorId: text('administrator_id'),
    previous: nullable(text('previous')),
    at: time('at'),
  },
  single: `insert into policy_assignees as q (user_id, policy_id, administrator_id, assigned_at)
        select u.user_id, :policy_id, :administrator_id, :at from users u where u.user_id = :user_id and ${isNotErased('u')}
        on conflict (user_id, policy_id) do update
           set administrator_id = excluded.administrator_id, assigned_at = excluded.assigned_at
         where q.administrator_id = :previous
        returning 1 as n`,
  events: false,
})

export const DELETE_ASSIGNEE = recordedWrite({
  name: 'policy_assignees_delete',
  values: { ...OF_POLICY, administratorId: text('administrator_id') },
  single: `delete from policy_assignees q
         where q.user_id = :user_id and q.policy_id = :policy_id and q.administrator_id = :administrator_id
        returning 1 as n`,
  events: false,
})

/** Forgets who works on the policies of the erased user `$1`. */
export const ERASE_ASSIGNEES = statement('policy_assignees_erase', 'delete from policy_assignees where user_id = $1')

/** Returns who has taken up the policy in the path. Throws 404 `not_found` when it is not in the caller's scope. */
export async function assigneeInPath({
  deps,
  request,
  params,
}: Pick<Call<Deps, typeof PolicyPath>, 'deps' | 'request' | 'params'>) {
  const scope = userScopeFrom(request)
  const row = foundRow(await deps.db.query<object>(FIND, [...scopeValues(scope), params.insurance_policy_id]))
  return { scope, ...POLICY.decode(row), ...ASSIGNED.decode(row), ...SINCE.decode(row) }
}

export type FoundAssignee = Awaited<ReturnType<typeof assigneeInPath>>
