import assert from 'node:assert/strict'
import type { Caller } from '../../../access/caller.ts'
import { requireConsent } from '../../../access/consent-rules.ts'
import { scopeOnUser, userScopeFrom } from '../../../access/scope.ts'
import { underEachKey } from '../../../kernel/crypto/vault.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Decision,
  type Deps,
  newEvent,
  operation,
  responding,
  unchanged,
} from '../../../record/index.ts'
import { LINKED_TO_USER } from '../../cover/policy-propagation/index.ts'
import {
  ensureUserInPath,
  findSessionEpoch,
  propagateMember,
  presentUser,
  type User,
  USER_PROFILE,
  UserPath,
} from '../../people/users/index.ts'
import { LINKED_ACCOUNT, newAccount } from '../accounts/index.ts'
import { digestInput } from './onboarding-digests.ts'
import { OnboardedUser, OnboardingInput } from './records.ts'
import { COMPLETE_ONBOARDING, findOnboarding } from './store.ts'

export const completeOnboarding = operation('POST /users/:user_id/complete_onboarding', {
  access: 'completeOnboarding',
  tags: ['Users'],
  summary: 'Complete onboarding',
  description:
    'Completes the profile and requests the purpose-bound account, which starts PENDING. Sending the same body ' +
    'again returns the same user with a new token; a different body after completion is a conflict. A token returned ' +
    'to the user ends with the one they sent.',
  params: UserPath,
  body: OnboardingInput,
  response: { 200: OnboardedUser },
  problems: ['conflict'],
  checkTargetFirst: ensureUserInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ deps, params, body }, author) => decideOnboarding(deps, { userId: params.user_id, input: body }, author),
  present: (user, call) => responding({ access_token: createToken(call, user.sessionEpoch), user: presentUser(user) }),
  replay: async (body, call) => {
    const epoch = await findSessionEpoch(call.deps.db, userScopeFrom(call.request))
    return { ...body, access_token: createToken(call, epoch) }
  },
})

type TokenCall = { deps: Pick<Deps, 'tokens'>; request: { caller: Caller }; params: { user_id: string } }

/**
 * As at the issue of a token, it depends on the credential and epoch of the caller who asks. A user who asks for their own stays in the
 * epoch of the token that they sent: what ends that one ends both.
 */
function createToken({ deps, request: { caller }, params }: TokenCall, epoch: number): string {
  assert(caller.kind === 'platform' || caller.kind === 'user', 'the access matrix admits only these two')
  const sessionEpoch = caller.kind === 'user' ? caller.sessionEpoch : epoch
  return deps.tokens.issueToUser({ ...caller, userId: params.user_id, sessionEpoch }).token
}

/** Decides the complete profile and the account, and how policies issued before follow the member's data. */
async function decideOnboarding(
  deps: Deps,
  { userId, input: sent }: { userId: string; input: OnboardingInput },
  author: Author,
): Promise<Decision<User>> {
  const { user, accountType, linked } = await findOnboarding(deps, scopeOnUser(author.caller, userId))
  const ifsc_code = sent.bank_details.ifsc_code.trim().toUpperCase()
  const input = { ...sent, bank_details: { ...sent.bank_details, ifsc_code } }
  const [digest, ...older] = underEachKey(deps.vault, (hasher) => digestInput(hasher, user.id, input))
  if (user.isOnboarded) {
    if ([digest, ...older].some((known) => user.onboardingDigest?.equals(known))) return unchanged(user)
    throw conflict('The user has already completed onboarding with different data.', { reason: 'different_content' })
  }
  await requireConsent(deps, 'completeOnboarding', { userId: user.id, platformId: user.platformId, at: author.at })
  const profile = { ...user.profile, ...input }
  const { row: account, history, events } = newAccount(user, accountType, author)
  const { id, platformId, key, revision, coverRevision } = user
  const propagation = propagateMember(
    LINKED_TO_USER.propagate,
    { user, linked, profile, calendar: deps.calendar, limits: deps.limits },
    author,
  )
  return {
    result: {
      ...nextVersion(user, author.at),
      profile,
      onboardingDigest: digest,
      isOnboarded: true,
      coverRevision: coverRevision + 1,
    },
    ...COMPLETE_ONBOARDING.with({
      user_id: id,
      revision,
      cover_revision: coverRevision,
      seen: propagation.seen,
      sealed: USER_PROFILE.seal(key, { id }, profile),
      onboarding_digest: digest,
      at: author.at,
    }),
    rows: { ...LINKED_ACCOUNT.rows([account]), ...propagation.rows },
    history: [...history, ...propagation.history],
    events: [newEvent('user.onboarded', { platformId, data: { user_id: id } }), ...events, ...propagation.events],
  }
}
