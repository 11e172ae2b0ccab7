import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { tags, UserPath, UserRecord, versionOf } from './records.ts'
import { userInPath } from './store.ts'

export const readUser = operation('GET /users/:user_id', {
  access: 'readUser',
  tags,
  summary: 'Read a user',
  description: READ_AGAIN,
  params: UserPath,
  versioned: true,
  response: { 200: UserRecord },
  target: userInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
