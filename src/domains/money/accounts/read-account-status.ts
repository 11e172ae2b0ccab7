import { responsePart } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { AccountPath, AccountStatusRecord, presentStatus, tags, versionOf } from './records.ts'
import { accountInPath } from './store.ts'

export const readAccountStatus = operation('GET /users/:user_id/accounts/:account_id/status', {
  access: 'readAccountStatus',
  tags,
  summary: 'Read the status of an account',
  description: 'Returns the current status and the transitions this caller may make. The ETag is the account’s.',
  params: AccountPath,
  versioned: true,
  response: { 200: AccountStatusRecord },
  target: accountInPath,
  read: (call) =>
    responsePart(call, versionOf(call.target.account), presentStatus(call.target, call.request.caller.kind)),
})
