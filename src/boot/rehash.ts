import { rehashDependants } from '../domains/people/dependants/index.ts'
import { rehashCards } from '../domains/cover/documents/index.ts'
import { onboardingDigests } from '../domains/money/onboarding/index.ts'
import { rehashPhones } from '../domains/people/users/index.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'

/** Moves what is found by a hash to the newest hash key, where the value itself is stored. */
export async function rehashAll(
  context: { db: Queryable; vault: Vault },
  onProgress: (done: number, what: string) => void,
): Promise<void> {
  await rehashCards(context, (done) => onProgress(done, 'health cards'))
  await rehashDependants(context, (done) => onProgress(done, 'dependants'))
  await rehashPhones({ ...context, onboardingDigests }, (done) => onProgress(done, 'phones'))
}
