import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { type IdentityProvider, ProviderAway } from './identity-provider.ts'
import { findAdministrator, openIdToken, type Session } from './store.ts'

type Ended = { session: Session; returnUrl: string }

/** Returns where the browser logs out of the identity provider as well; null when that cannot be asked, or has no such place. */
export async function endSessionUrl(
  { db, vault }: { db: Queryable; vault: Vault },
  provider: IdentityProvider,
  { session, returnUrl }: Ended,
): Promise<string | null> {
  const administrator = await findAdministrator(db, vault, session.administratorId)
  return provider.logOutUrl(openIdToken(administrator, session), returnUrl).catch((error: unknown) => {
    if (error instanceof ProviderAway) return null
    throw error
  })
}
