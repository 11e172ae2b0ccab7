import { operation } from '../../../record/index.ts'
import { presentReference, tags, UserPath, UserReferenceRecord } from './records.ts'
import { unsealReference } from './reference-store.ts'
import { userInPath } from './store.ts'

export const readReference = operation('GET /users/:user_id/reference', {
  access: 'readUserReference',
  tags,
  summary: 'Read the employee number of a user',
  description: 'The number that the platform has set; `null` when there is none.',
  params: UserPath,
  response: { 200: UserReferenceRecord },
  target: userInPath,
  read: ({ target: user }) => presentReference({ id: user.id, employeeNumber: unsealReference(user) }),
})
