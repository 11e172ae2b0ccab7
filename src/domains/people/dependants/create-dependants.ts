import type { Limits } from '../../../access/limits.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { type PerKey, underEachKey, type Vault } from '../../../kernel/crypto/vault.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import { type DependantInput, IDENTITY_FIELDS } from './schemas.ts'
import {
  type Dependant,
  DEPENDANTS_PART,
  findFamily,
  type HashedIdentity,
  INSERT_DEPENDANTS,
  knownFields,
  identityConflict,
  refuseRegistered,
  rowOfDependant,
} from './store.ts'

/**
 * Decides to register dependants, all or none, in order (contract 4.5). Throws 404, 409 `conflict` when one is already
 * registered or the user's limit would be exceeded.
 */
export async function createDependants(
  { db, vault, limits }: { db: Database; vault: Vault; limits: Limits },
  { userId, inputs }: { userId: string; inputs: DependantInput[] },
  by: By,
): Promise<Change<Dependant[]>> {
  const scope = scopeOnUser(by.caller, userId)
  const family = await findFamily({ db, vault }, scope)
  if (family.dependants + inputs.length > limits.dependants) {
    throw limitReached(`A user can have at most ${limits.dependants} dependants; ${family.dependants} are registered.`)
  }
  const dependants = inputs.map((input) =>
    newVersion({ userId: scope.userId, previousVersionId: null, profile: input }, by),
  )
  const identities = dependants.map((dependant) => identitiesOf(vault, dependant))
  await refuseRegistered(db, { userId: scope.userId, identities: identities.flatMap(([_newest, ...older]) => older) })
  const rows = dependants.map((dependant, index) =>
    rowOfDependant(dependant, { key: family.key, identity: identities[index]?.[0] as HashedIdentity, by }),
  )
  const data = { user_id: scope.userId, dependant_ids: dependants.map(({ id }) => id) }
  return {
    result: dependants,
    ...INSERT_DEPENDANTS.with({ user_id: scope.userId, cover_revision: family.coverRevision }),
    rows: DEPENDANTS_PART.rows(rows),
    events: [newEvent('dependants.created', { platformId: family.platformId, data })],
    conflicts: identityConflict(db, scope.userId, identities.flat()),
  }
}

/** Returns a new, current version of a dependant. */
export const newVersion = (
  { profile, ...ids }: Pick<Dependant, 'userId' | 'previousVersionId' | 'profile'>,
  { at }: By,
): Dependant => ({
  ...ids,
  id: newId('dep'),
  profile: knownFields(profile),
  supersededAt: null,
  ...firstVersion(at),
})

/** Returns the keyed digest of the fields that identify a dependant of a user. */
export const identityOf = (
  vault: Pick<Vault, 'digest'>,
  { userId, profile }: Pick<Dependant, 'userId' | 'profile'>,
): Buffer => vault.digest(`dependant:${userId}`, identityIn(profile))

/** Returns the same under each hash key. */
export const identitiesOf = (vault: Vault, dependant: Pick<Dependant, 'userId' | 'profile'>): PerKey<HashedIdentity> =>
  underEachKey(vault, (hasher) => ({ hash: identityOf(hasher, dependant), hashKey: hasher.hashKey }))

function identityIn(profile: DependantInput): Partial<DependantInput> {
  const identity: Partial<DependantInput> = {}
  for (const name of IDENTITY_FIELDS) identity[name] = profile[name]
  return identity
}
