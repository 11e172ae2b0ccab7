import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { AccountPath, AccountRecord, tags, versionOf } from './records.ts'
import { accountInPath } from './store.ts'

export const readAccount = operation('GET /users/:user_id/accounts/:account_id', {
  access: 'readAccount',
  tags,
  summary: 'Read an account',
  description: READ_AGAIN,
  params: AccountPath,
  versioned: true,
  response: { 200: AccountRecord },
  target: accountInPath,
  read: (call) => sendRecord(call, versionOf(call.target.account)),
})
