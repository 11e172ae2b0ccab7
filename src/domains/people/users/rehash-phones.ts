import type { Hasher, Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { phoneHashOf } from './identity-of.ts'
import { deleteOlderIdProofs, type Holder, listOlderPhones, rehashPhone } from './rehash-store.ts'
import type { Profile } from './records.ts'
import { PROFILE } from './store.ts'

type Context = {
  db: Queryable
  vault: Vault
  /** Injected, because onboarding depends on users: the digests that the onboarding of a profile can have. */
  onboardingDigests: (hasher: Hasher, userId: string, profile: Profile) => Buffer[]
}

/**
 * Moves phones to the newest hash key, in batches, while the service keeps writing: a user that is locked, or whose phone
 * has changed since it was read, is left for the next call. Also deletes older rows of id proofs that have a newer one.
 */
export async function rehashPhones(context: Context, onProgress: (done: number) => void): Promise<void> {
  const { db, vault } = context
  let done = 0
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const { holders, last } = await listOlderPhones(db, { after, hashKey: vault.hashKey })
    if (!last) break
    for (const holder of holders) done += await rehash(context, holder)
    onProgress(done)
    after = last
  }
  await deleteOlderIdProofs(db, vault.hashKey)
}

async function rehash({ db, vault, onboardingDigests }: Context, holder: Holder): Promise<number> {
  const { id: userId, platformId, onboardingDigest } = holder
  const profile = PROFILE.unsealOr(() => vault.unwrap(holder.dataKey as string), holder, holder.sealed, undefined)
  if (!profile) return 0 // keeps the older key needed, as `keys status` says
  const text = profile.phone_country_code + profile.phone_number
  const to = phoneHashOf(vault, { platformId, phone: text })
  return rehashPhone(db, { ...holder, to, hashKey: vault.hashKey, onboardingDigestTo: newDigest(profile) })

  /** Null when it stays as it is: it is of this key already, or of a profile that is no more. */
  function newDigest(profile: Profile): Buffer | null {
    if (!onboardingDigest) return null
    const [newest, ...older] = vault.hashers
    const candidates = onboardingDigests(newest, userId, profile)
    const index = older.flatMap((hasher) =>
      onboardingDigests(hasher, userId, profile).flatMap((digest, position) =>
        digest.equals(onboardingDigest) ? [position] : [],
      ),
    )[0]
    return index === undefined ? null : (candidates[index] ?? null)
  }
}
