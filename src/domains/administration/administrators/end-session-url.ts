import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { type IdentityProvider, ProviderUnavailable } from './identity-provider.ts'
import { findAdministrator, openIdToken, type Session } from './store.ts'

type EndedSession = { session: Session; returnUrl: string }

/**
 * Returns the URL at which the browser logs out of the identity provider too; null when the provider is unavailable or
 * has none.
 */
export async function endSessionUrl(
  { db, vault }: { db: Queryable; vault: Vault },
  provider: IdentityProvider,
  { session, returnUrl }: EndedSession,
): Promise<string | null> {
  const administrator = await findAdministrator(db, vault, session.administratorId)
  return provider.logOutUrl(openIdToken(administrator, session), returnUrl).catch((error: unknown) => {
    if (error instanceof ProviderUnavailable) return null
    throw error
  })
}
