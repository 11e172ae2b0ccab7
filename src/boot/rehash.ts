import { rehashDependants } from '../domains/people/dependants/index.ts'
import { rehashCards } from '../domains/cover/documents/index.ts'
import { onboardingDigests } from '../domains/money/onboarding/index.ts'
import { rehashPhones, rehashReferences } from '../domains/people/users/index.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'

/** Moves what is found by a hash to the newest hash key, where the value itself is stored. */
export async function rehashAll(
  context: { db: Queryable; vault: Vault },
  onProgress: (done: number) => void,
): Promise<void> {
  const rehashes: ((count: (done: number) => void) => Promise<void>)[] = [
    (count) => rehashCards(context, count),
    (count) => rehashDependants(context, count),
    (count) => rehashReferences(context, count),
    (count) => rehashPhones({ ...context, onboardingDigests }, count),
  ]
  let before = 0
  for (const rehash of rehashes) {
    let rehashed = 0
    await rehash((done) => onProgress(before + (rehashed = done)))
    before += rehashed
  }
}
