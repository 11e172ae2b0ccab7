import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { beginning, type By, type Change } from '../../record/index.ts'
import { ACCOUNT_PROVIDER_MACHINE, subjectOf } from './states.ts'
import { type AccountProvider, INSERT_ACCOUNT_PROVIDER } from './store.ts'

/** Decides a new active account provider. */
export function createAccountProvider({ name }: { name: string }, by: By): Change<AccountProvider> {
  const provider: AccountProvider = { id: newId('apr'), name, status: 'active', ...firstVersion(by.at) }
  return {
    result: provider,
    write: INSERT_ACCOUNT_PROVIDER,
    values: [provider.id, name, provider.status, by.at],
    ...beginning(ACCOUNT_PROVIDER_MACHINE, subjectOf(provider)),
  }
}
