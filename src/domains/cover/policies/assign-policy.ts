import { type Static, Type } from 'typebox'
import { type Caller, findSession } from '../../../access/caller.ts'
import { OrNull, Text } from '../../../kernel/http/schemas.ts'
import { conflict, type FieldError, invalid } from '../../../kernel/problem-error.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { type Author, type Decision, operation, responding, unchanged } from '../../../record/index.ts'
import {
  type FindPersons,
  InsurancePolicyAssigneeRecord,
  isAdministrator,
  type Person,
  presentAssignment,
} from './add-assignees.ts'
import { assigneeInPath, type FoundAssignee, SAVE_ASSIGNEE } from './assignee-store.ts'
import { PolicyPath, tags } from './records.ts'

const AssigneeInput = Type.Object(
  {
    administrator_id: OrNull(Text({ maxLength: 100, description: 'Who is to work on it; without it, you yourself' })),
    take_over: OrNull(Type.Boolean({ description: '`true` also takes it from who works on it now' })),
  },
  { examples: [{}] },
)
type AssigneeInput = Static<typeof AssigneeInput>

export const assignPolicy = (findPersons: FindPersons) =>
  operation('PUT /users/:user_id/insurance_policies/:insurance_policy_id/assignee', {
    access: 'assignInsurancePolicy',
    tags,
    summary: 'Assign an insurance policy',
    description:
      'Says who works on a policy: you yourself, who have logged in, or the person in `administrator_id`. A benefit provider assigns to its ' +
      'own people, an administrator to these and to administrators. What somebody else has taken up is a 409 without `take_over`. It is no part of the ' +
      'policy, whose version stays, and no event; the audit has it.',
    params: PolicyPath,
    body: AssigneeInput,
    response: { 200: InsurancePolicyAssigneeRecord },
    problems: ['conflict'],
    target: assigneeInPath,
    serializeBy: ({ params }) => params.insurance_policy_id,
    change: async ({ deps, request: { caller }, body, target }, author) => {
      const input = (body as AssigneeInput | undefined) ?? {} // a request without a body is for the caller
      const [person] = await findPersons(deps, [chooseId(input, caller)])
      return decideAssignment(target, { person, input, author })
    },
    present: ({ person, ...assigned }) => responding(presentAssignment(assigned, [person], assigned.scope)),
  })

const wrong = (code: FieldError['code'], detail: string) => invalid([{ pointer: '/administrator_id', code, detail }])

/** Returns the person named, else the caller. Throws 422 where the token is of no person. */
function chooseId({ administrator_id: named }: AssigneeInput, caller: Caller): string {
  const id = named ?? findSession(caller)?.subject
  if (id === undefined) throw wrong('required', 'Required with a token of nobody who has logged in.')
  return id
}

type Assigned = FoundAssignee & { person: Person }
type Assignment = { person: Person | undefined; input: AssigneeInput; author: Author }

/** Decides who works on a policy. Pure. Throws 422 for somebody who cannot, 409 `assigned` when somebody else does. */
export function decideAssignment(found: FoundAssignee, { person, input, author }: Assignment): Decision<Assigned> {
  const { assigneeId, policyId, scope } = found
  if (!person || !canWorkOn(found, person))
    throw wrong('unknown_reference', 'Must be an active person of the benefit provider, or an administrator.')
  if (assigneeId === person.id) return unchanged({ ...found, person })
  if (assigneeId !== null && input.take_over !== true)
    throw conflict('Somebody else works on it. To take it from them, send `take_over`.', { reason: 'assigned' })
  return {
    result: { ...found, assigneeId: person.id, assignedAt: wireTime(author.at), person },
    ...SAVE_ASSIGNEE.with({
      user_id: scope.userId,
      policy_id: policyId,
      administrator_id: person.id,
      previous: assigneeId,
      at: author.at,
    }),
  }
}

/** True for active people of the policy's benefit provider; for administrators only where one of them assigns. */
function canWorkOn({ scope, benefitProviderId }: FoundAssignee, person: Person): boolean {
  if (person.status !== 'ACTIVE') return false
  return isAdministrator(person)
    ? scope.providerId === null
    : person.role === 'provider' && person.ownerId === benefitProviderId
}
