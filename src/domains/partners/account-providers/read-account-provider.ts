import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { AccountProviderPath, AccountProviderRecord, tags, versionOf } from './records.ts'
import { providerInPath } from './store.ts'

export const readAccountProvider = operation('GET /account_providers/:account_provider_id', {
  access: 'readAccountProvider',
  tags,
  summary: 'Read an account provider',
  description: READ_AGAIN,
  params: AccountProviderPath,
  versioned: true,
  response: { 200: AccountProviderRecord },
  problems: ['not_found'],
  target: providerInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
