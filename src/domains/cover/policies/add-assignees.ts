import { Type } from 'typebox'
import { ADMINISTRATORS, type PersonRole } from '../../../access/caller.ts'
import type { Scope } from '../../../access/scope.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import { Nullable, record, Timestamp } from '../../../kernel/http/schemas.ts'
import type { Deps } from '../../../record/index.ts'

/** Somebody who logs in: of a desk, or an administrator. */
export type Person = {
  id: string
  name: string | null
  role: PersonRole
  /** The partner of its person; null for administrators. */
  ownerId: string | null
  status: 'ACTIVE' | 'DISABLED'
}

/** Reads people by id; administration imports cover, so the app passes it. */
export type FindPersons = (deps: Pick<Deps, 'db' | 'vault'>, ids: readonly string[]) => Promise<readonly Person[]>

const ID = 'adm_06bnv3kq0r3cj8m3w0h2d8y6xg'

export const Assignee = Nullable(
  Type.Object(
    {
      id: Type.String({ description: 'The administrator, or the person of the benefit provider' }),
      name: Nullable(
        Type.String({
          description:
            'For administrators; for a benefit provider that of its own people; else, and where there is none, `null`',
        }),
      ),
    },
    { description: 'Who has taken it up; `null` while nobody has' },
  ),
)

export const InsurancePolicyAssigneeRecord = record(
  'InsurancePolicyAssignee',
  {
    insurance_policy_id: Type.String({ description: 'The policy' }),
    assignee: Assignee,
    assigned_at: Nullable(Timestamp('Since when; `null` while nobody has taken it up')),
  },
  {
    description: 'Who works on a policy. It is no part of the policy, whose version and time of change stay',
    examples: [
      {
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        assignee: { id: ID, name: 'Asha Example' },
        assigned_at: '2026-04-01T09:45:00',
      },
    ],
  },
)

export const assigneeExample = { id: ID, name: 'Asha Example' }

export const isAdministrator = ({ role }: Pick<Person, 'role'>): boolean => ADMINISTRATORS.some((one) => one === role)

/** Shows an assignee: administrators see every name, a benefit provider those of its people, others none. */
function presentAssignee(id: string | null, persons: readonly Person[], { platformId, providerId }: Scope) {
  if (id === null) return null
  const person = persons.find((one) => one.id === id)
  const isNamed = platformId === null && (providerId === null || providerId === person?.ownerId)
  return { id, name: (isNamed && person?.name) || null }
}

type Assignment = { policyId: string; assigneeId: string | null; assignedAt: WireTime | null }

export const presentAssignment = (
  { policyId, assigneeId, assignedAt }: Assignment,
  persons: readonly Person[],
  scope: Scope,
) => ({
  insurance_policy_id: policyId,
  assignee: presentAssignee(assigneeId, persons, scope),
  assigned_at: assignedAt,
})

/** Returns the rows with their assignees as the reader may see them, for one more read where there are any. */
export async function addAssignees<Row extends { assigneeId: string | null }>(
  rows: readonly Row[],
  { deps, scope, findPersons }: { deps: Deps; scope: Scope; findPersons: FindPersons },
) {
  const ids = [...new Set(rows.flatMap(({ assigneeId }) => assigneeId ?? []))]
  const persons = ids.length === 0 || scope.platformId !== null ? [] : await findPersons(deps, ids)
  return rows.map(({ assigneeId, ...row }) => ({ ...row, assignee: presentAssignee(assigneeId, persons, scope) }))
}
