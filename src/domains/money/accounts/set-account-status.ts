import { StatusInput } from '../../../kernel/http/schemas.ts'
import { changedPart, operation, unchanged } from '../../../record/index.ts'
import { changeAccount } from './change-account.ts'
import { AccountPath, AccountStatusRecord, presentStatus, tags, versionOf } from './records.ts'
import { ACCOUNT_STATUSES } from './states.ts'
import { accountInPath, accountTypeConflict } from './store.ts'

export const setAccountStatus = operation('PUT /users/:user_id/accounts/:account_id/status', {
  access: 'setAccountStatus',
  tags,
  summary: 'Set the status of an account',
  description:
    'Transitions: ACTIVE to INACTIVE and back, PENDING to INACTIVE. Only the account provider can turn PENDING ' +
    'into ACTIVE.',
  params: AccountPath,
  body: StatusInput(ACCOUNT_STATUSES, 'INACTIVE'),
  versioned: true,
  response: { 200: AccountStatusRecord },
  problems: ['not_found', 'conflict', 'invalid_state', 'precondition_failed'],
  target: accountInPath,
  version: ({ account }) => versionOf(account),
  serializeBy: ({ params }) => params.account_id,
  change: ({ target, deps, body: { status, reason } }, author) => {
    const { account } = target
    if (account.status === status) return unchanged(target)
    const change = changeAccount(account, { to: status, reason }, author)
    return { ...change, conflicts: accountTypeConflict(deps.db, account) }
  },
  present: (result, { request }) => changedPart(versionOf(result.account), presentStatus(result, request.caller.kind)),
})
