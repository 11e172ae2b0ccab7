import { createAccount } from './create-account.ts'
import { listAllAccounts } from './list-all-accounts.ts'
import { listAccounts } from './list-accounts.ts'
import { readAccount } from './read-account.ts'
import { readAccountStatus } from './read-account-status.ts'
import { setAccountStatus } from './set-account-status.ts'

export { newAccount } from './create-account.ts'
export { createAccountProviderClient } from './adapters/http-account-provider.ts'
export type { AccountProviderClient } from './account-provider-client.ts'
export { ACCOUNT_METRICS, type AccountContext, accountJobs, requeuePendingAccounts, takenReporter } from './jobs.ts'
export { fillNumbers } from './numbers-store.ts'
export { AccountRecord as AccountSchema, presentAccount } from './records.ts'
export { LINKED_ACCOUNT, ERASE_ACCOUNTS, findAccounts as listAccounts } from './store.ts'
export { ACCOUNT_MACHINE, ACCOUNT_STATUSES } from './states.ts'

export const accountOperations = [
  createAccount,
  listAccounts,
  listAllAccounts,
  readAccount,
  readAccountStatus,
  setAccountStatus,
]
