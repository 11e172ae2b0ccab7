import type { Queryable } from '../../kernel/db/database.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { type By, type Decision, unchanged } from '../../record/index.ts'
import { versionOf } from './present.ts'
import { type AccountProvider, findAccountProvider, RENAME_ACCOUNT_PROVIDER } from './store.ts'

type NameInput = { providerId: string; name: string; ifMatch: string | undefined }

/** Gives an account provider another name (contract 4.17). Throws 404, 412. */
export async function renameAccountProvider(
  db: Queryable,
  { providerId, name, ifMatch }: NameInput,
  by: By,
): Promise<Decision<AccountProvider>> {
  const provider = await findAccountProvider(db, providerId)
  checkFresh(ifMatch, () => versionOf(provider))
  if (provider.name === name) return unchanged(provider)
  return {
    result: { ...nextVersion(provider, by.at), name },
    write: RENAME_ACCOUNT_PROVIDER,
    values: [provider.id, provider.revision, name, by.at],
  }
}
