import { createAccountProvider } from './create-account-provider.ts'
import { listAccountProviders } from './list-account-providers.ts'
import { readAccountProvider } from './read-account-provider.ts'
import { renameAccountProvider } from './rename-account-provider.ts'
import { setAccountProviderStatus } from './set-account-provider-status.ts'

export { ACTIVE_PROVIDER, NO_ACTIVE_PROVIDER } from './store.ts'
export { ACCOUNT_PROVIDER_MACHINE, ACCOUNT_PROVIDER_STATUSES } from './states.ts'

export const accountProviderOperations = [
  createAccountProvider,
  listAccountProviders,
  readAccountProvider,
  renameAccountProvider,
  setAccountProviderStatus,
]
