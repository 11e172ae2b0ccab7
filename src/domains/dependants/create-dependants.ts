import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import { findUser } from '../users/index.ts'
import { type DependantForm, IDENTITY } from './schemas.ts'
import { type Dependant, INSERT_DEPENDANTS, known, registeredAlready, rowOfDependant } from './store.ts'

/**
 * Registers all of them or none, in order (contract 4.5). Throws 404, 409 `conflict` when one is registered already.
 */
export async function createDependants(
  { db, vault }: { db: Queryable; vault: Vault },
  { userId, forms }: { userId: string; forms: DependantForm[] },
  by: By,
): Promise<Change<Dependant[]>> {
  const user = await findUser(db, vault, scopeOnUser(by.caller, userId))
  const dependants = forms.map((form) => newVersion({ userId: user.id, previousVersionId: null, profile: form }, by))
  const identified = dependants.map((dependant) => ({ dependant, identity: identityOf(vault, dependant) }))
  const rows = identified.map(({ dependant, identity }) =>
    rowOfDependant(dependant, { key: user.key, identity, at: by.at }),
  )
  const identities = identified.map(({ identity }) => identity)
  const data = { user_id: user.id, dependant_ids: dependants.map(({ id }) => id) }
  return {
    result: dependants,
    write: INSERT_DEPENDANTS,
    values: [user.id],
    rows: { into_dependants: rows },
    events: [newEvent('dependants.created', { platformId: user.platformId, data })],
    conflicts: registeredAlready(db, user.id, identities),
  }
}

/** A new version, the current one from now on. */
export const newVersion = (
  { profile, ...of }: Pick<Dependant, 'userId' | 'previousVersionId' | 'profile'>,
  { at }: By,
): Dependant => ({
  ...of,
  id: newId('dep'),
  profile: known(profile),
  supersededAt: null,
  ...firstVersion(at),
})

/** A keyed digest of what tells two dependants of a user apart. */
export const identityOf = (vault: Vault, { userId, profile }: Pick<Dependant, 'userId' | 'profile'>): Buffer =>
  vault.digest(`dependant:${userId}`, Object.fromEntries(IDENTITY.map((name) => [name, profile[name]])))
