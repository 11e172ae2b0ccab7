import assert from 'node:assert/strict'
import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/refusal.ts'
import { openAccount } from '../accounts/index.ts'
import { emit } from '../events/index.ts'
import { findPlatform } from '../platforms/index.ts'
import { lockUser, saveOnboarding, type User } from '../users/index.ts'
import type { OnboardingForm } from './schemas.ts'

type Onboarding = { userId: string; form: OnboardingForm; by: Actor }
type Kit = Pick<Deps, 'vault' | 'queue' | 'tokens'>

/**
 * Finishes a user's profile and asks for their purpose-bound account (contract 4.4). The same body again gives the same
 * answer; equal calls at once wait for the first. 404, 409 when the body differs after completion.
 */
export async function completeOnboarding(
  tx: Tx,
  { vault, queue, tokens }: Kit,
  { userId, form: sent, by }: Onboarding,
): Promise<{ user: User; token: string }> {
  const user = await lockUser(tx, vault, scopeOnUser(by.caller, userId))
  const ifsc_code = sent.bank_details.ifsc_code.trim().toUpperCase()
  const form = { ...sent, bank_details: { ...sent.bank_details, ifsc_code } }
  const digest = vault.digest(`onboarding:${user.id}`, form)
  const token = tokenFor(tokens, user, by)
  if (user.isOnboarded) {
    if (!user.onboardingDigest?.equals(digest)) throw conflict('The user has finished onboarding with other data.')
    return { user, token }
  }
  const onboarded = await saveOnboarding(tx, vault, { user, profile: { ...user.profile, ...form }, digest })
  const { defaultAccountType: accountType } = await findPlatform(tx, user.platformId)
  await emit(tx, 'user.onboarded', { platformId: user.platformId, subject: user.id, data: { user_id: user.id } })
  await openAccount(tx, queue, { user: onboarded, accountType, by })
  return { user: onboarded, token }
}

/** The user's token hangs on the credential and the epoch of whoever completes the onboarding, as the one of 4.1 does. */
function tokenFor(tokens: Deps['tokens'], { id, platformId }: User, { caller }: Actor): string {
  assert(caller.kind === 'platform' || caller.kind === 'user', 'only these two are let in here')
  return tokens.issueToUser({ userId: id, platformId, epoch: caller.epoch, credentialId: caller.credentialId }).token
}
