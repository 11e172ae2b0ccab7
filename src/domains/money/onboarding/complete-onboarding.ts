import { scopeOnUser } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { underEachKey } from '../../../kernel/crypto/vault.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { type By, type Decision, newEvent, unchanged } from '../../../record/index.ts'
import { newAccount, rowsOfAccount } from '../accounts/index.ts'
import { followMember, type Followers, type User, USER_PROFILE } from '../../people/users/index.ts'
import type { OnboardingInput } from './schemas.ts'
import { digestOf } from './onboarding-digests.ts'
import { findOnboarding, type OnboardingStatements } from './store.ts'

type Context = Pick<Deps, 'db' | 'vault' | 'calendar'> & OnboardingStatements & Pick<Followers, 'follow'>

type Onboarding = { userId: string; input: OnboardingInput }

/**
 * Decides to complete a user's profile and open their purpose-bound account (contract 4.4), and how policies issued
 * before follow the member's data. Idempotent for an equal body. Throws 404, 409 `conflict` for a different body after
 * completion.
 */
export async function completeOnboarding(
  { write, follow, calendar, ...context }: Context,
  { userId, input: sent }: Onboarding,
  by: By,
): Promise<Decision<User>> {
  const { user, accountType, followers } = await findOnboarding(context, scopeOnUser(by.caller, userId))
  const ifsc_code = sent.bank_details.ifsc_code.trim().toUpperCase()
  const input = { ...sent, bank_details: { ...sent.bank_details, ifsc_code } }
  const [digest, ...older] = underEachKey(context.vault, (hasher) => digestOf(hasher, user.id, input))
  if (user.isOnboarded) {
    if ([digest, ...older].some((known) => user.onboardingDigest?.equals(known))) return unchanged(user)
    throw conflict('The user has already completed onboarding with different data.', { reason: 'different_content' })
  }
  const profile = { ...user.profile, ...input }
  const { account, history, events } = newAccount(user, accountType, by)
  const { id, platformId, key, revision, coverRevision } = user
  const followUp = followMember(follow, { user, followers, profile, calendar }, by)
  return {
    result: {
      ...nextVersion(user, by.at),
      profile,
      onboardingDigest: digest,
      isOnboarded: true,
      coverRevision: coverRevision + 1,
    },
    ...write.with({
      user_id: id,
      revision,
      cover_revision: coverRevision,
      seen: followUp.seen,
      sealed: USER_PROFILE.seal(key, { id }, profile),
      onboarding_digest: digest,
      at: by.at,
    }),
    rows: { ...rowsOfAccount(account, by.at), ...followUp.rows },
    history: [...history, ...followUp.history],
    events: [newEvent('user.onboarded', { platformId, data: { user_id: id } }), ...events, ...followUp.events],
  }
}
