import { type PerKey, underEachKey, type Vault } from '../../../kernel/crypto/vault.ts'
import { type Dependant, type DependantInput, IDENTITY_FIELDS } from './records.ts'

/** The digest of what identifies a dependant, and the hash key that it was made with. */
export type HashedIdentity = { hash: Buffer; hashKey: string }

type Identified = Pick<Dependant, 'userId' | 'profile'>

/** Returns the keyed digest of the fields that identify a dependant of a user. */
export const hashIdentity = (vault: Pick<Vault, 'digest'>, { userId, profile }: Identified): Buffer =>
  vault.digest(`dependant:${userId}`, identityIn(profile))

/** Returns the same under each hash key. */
export const hashIdentities = (vault: Vault, dependant: Identified): PerKey<HashedIdentity> =>
  underEachKey(vault, (hasher) => ({ hash: hashIdentity(hasher, dependant), hashKey: hasher.hashKey }))

function identityIn(profile: DependantInput): Partial<DependantInput> {
  const identity: Partial<DependantInput> = {}
  for (const name of IDENTITY_FIELDS) identity[name] = profile[name]
  return identity
}
