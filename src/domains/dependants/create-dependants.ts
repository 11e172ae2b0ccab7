import type { Limits } from '../../access/limits.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Database } from '../../kernel/db/database.ts'
import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { limitReached } from '../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../record/index.ts'
import { type DependantInput, IDENTITY } from './schemas.ts'
import { type Dependant, findFamily, INSERT_DEPENDANTS, known, registeredAlready, rowOfDependant } from './store.ts'

/**
 * Registers all of them or none, in order (contract 4.5). Throws 404, 409 `conflict` when one is registered already or there
 * would be more than a user may have.
 */
export async function createDependants(
  { db, vault, limits }: { db: Database; vault: Vault; limits: Limits },
  { userId, forms }: { userId: string; forms: DependantInput[] },
  by: By,
): Promise<Change<Dependant[]>> {
  const scope = scopeOnUser(by.caller, userId)
  const family = await findFamily({ db, vault }, scope)
  if (family.dependants + forms.length > limits.dependants) {
    throw limitReached(`A user has at most ${limits.dependants} dependants; ${family.dependants} are registered.`)
  }
  const dependants = forms.map((input) =>
    newVersion({ userId: scope.userId, previousVersionId: null, profile: input }, by),
  )
  const identities = dependants.map((dependant) => identityOf(vault, dependant))
  const rows = dependants.map((dependant, index) =>
    rowOfDependant(dependant, { key: family.key, identity: identities[index] as Buffer, at: by.at }),
  )
  const data = { user_id: scope.userId, dependant_ids: dependants.map(({ id }) => id) }
  return {
    result: dependants,
    write: INSERT_DEPENDANTS,
    values: [scope.userId, family.coverRevision],
    rows: { into_dependants: rows },
    events: [newEvent('dependants.created', { platformId: family.platformId, data })],
    conflicts: registeredAlready(db, scope.userId, identities),
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
