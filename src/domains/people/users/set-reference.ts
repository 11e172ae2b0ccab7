import { Type } from 'typebox'
import { Name, Removable } from '../../../kernel/http/schemas.ts'
import { type Decision, type Deps, operation, responding, unchanged } from '../../../record/index.ts'
import { presentReference, tags, type User, UserPath, UserReferenceRecord } from './records.ts'
import { REFERENCE, referenceConflict, SET_REFERENCE, toReferenceRows, unsealReference } from './reference-store.ts'
import { userInPath } from './store.ts'

const UserReferenceInput = Type.Object(
  { employee_number: Removable(Name()) },
  { examples: [{ employee_number: 'EMP-004711' }] },
)

export const setReference = operation('PUT /users/:user_id/reference', {
  access: 'setUserReference',
  tags,
  summary: 'Set the employee number of a user',
  description:
    'The platform’s own number of the person, unique within the platform whatever its case and outer white space; `null` ' +
    'clears it. It is a criterion of `POST /users/search` and a column of the CSV of users. It is shown as it was sent.',
  params: UserPath,
  body: UserReferenceInput,
  response: { 200: UserReferenceRecord },
  problems: ['not_found', 'conflict'],
  target: userInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ target: user, deps, body }) => decideReference(deps, user, body.employee_number),
  present: (reference) => responding(presentReference(reference)),
})

function decideReference(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  user: User,
  to: string | null,
): Decision<{ id: string; employeeNumber: string | null }> {
  const from = unsealReference(user)
  const result = { id: user.id, employeeNumber: to }
  if (from === to) return unchanged(result)
  return {
    result,
    ...SET_REFERENCE.with({
      user_id: user.id,
      cover_revision: user.coverRevision,
      reference_sealed: to === null ? null : REFERENCE.seal(user.key, user, to),
    }),
    rows: toReferenceRows(vault, user, { from, to }),
    ...(to !== null && { conflicts: referenceConflict(db, vault, { user, to }) }),
  }
}
