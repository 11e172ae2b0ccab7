import { Type } from 'typebox'
import { findConsentProblem } from '../../../access/consent-rules.ts'
import { type Actor, actorFrom } from '../../../access/caller.ts'
import { Formed, OneOf, record, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { applyWithRetry, type Decision, type Deps, operation, responding, unchanged } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { restartProvisioning } from './change-wallet.ts'
import { tags } from './records.ts'
import { findWallet, listFailed } from './store.ts'

const WALLETS_MAX = 100

const OUTCOMES = ['RETRIED', 'NOT_FAILED', 'NO_WALLET', 'CONSENT_MISSING'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Outer white space is dropped, as from an id in a path. */
const NamedUser = Formed({
  pattern: '^\\s*[0-9]{12}\\s*$',
  words: 'A user id is 12 digits, such as 012345678901.',
  description: '12 digits; leading zeros are significant',
  examples: ['012345678901'],
})

const RetriedWallets = record(
  'RetriedWallets',
  {
    data: Type.Array(
      Type.Object({ user_id: UserIdText(), outcome: OneOf(OUTCOMES, { description: 'What became of the wallet' }) }),
    ),
    has_more: Type.Boolean({ description: 'True when more wallets may be FAILED: send the request again' }),
  },
  {
    description: 'What became of each wallet',
    examples: [{ data: [{ user_id: '012345678901', outcome: 'RETRIED' }], has_more: false }],
  },
)

export const retryWallets = operation('POST /wallets/retry', {
  access: 'retryWallets',
  tags,
  summary: 'Provision many wallets again',
  description:
    'Sets FAILED wallets back to PENDING, each as `POST /v1/users/{user_id}/wallet/retry` does: those of `user_ids`, those of a ' +
    'platform, or those of all, the longest FAILED first. At most 100 at once; the others stay as they are.',
  body: Type.Object(
    {
      user_ids: Type.Optional(
        Type.Array(NamedUser, { minItems: 1, maxItems: WALLETS_MAX, description: 'The users of the wallets' }),
      ),
      platform_id: Type.Optional(Text({ description: 'FAILED wallets of this platform only' })),
    },
    { examples: [{ platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2' }] },
  ),
  response: { 200: RetriedWallets },
  validate: ({ body }) => bothErrors((body ?? {}) as Record<string, unknown>),
  // Each wallet is a write of its own, so that one that changes at the same time does not stop the others.
  prepare: async ({ deps, request, body: { user_ids: named, platform_id: platformId } }) => {
    const users =
      named?.map((userId) => userId.trim()) ??
      (await listFailed(deps.db, { platformId: platformId ?? null, limit: WALLETS_MAX }))
    const author = actorFrom(request)
    const data = await Promise.all([...new Set(users)].map((userId) => retryOne(deps, author, userId)))
    return { data, has_more: named === undefined && users.length === WALLETS_MAX }
  },
  change: ({ prepared }) => unchanged(prepared),
  present: (retried) => responding(retried),
})

async function retryOne(deps: Deps, author: Actor, userId: string): Promise<{ user_id: string; outcome: Outcome }> {
  const outcome = await applyWithRetry<Outcome>(
    deps,
    author,
    async (now): Promise<Decision<Outcome>> => {
      const wallet = await findWallet(deps.db, userId)
      if (wallet?.status !== 'FAILED') return unchanged(wallet ? 'NOT_FAILED' : 'NO_WALLET')
      const isMissing = await findConsentProblem(deps, 'retryWallets', { ...wallet, at: now.at })
      return isMissing ? unchanged('CONSENT_MISSING') : { ...restartProvisioning(wallet, now), result: 'RETRIED' }
    },
    { serializeBy: userId },
  )
  return { user_id: userId, outcome }
}

function bothErrors({ user_ids: users, platform_id: platform }: Record<string, unknown>): FieldError[] {
  const isBoth = users !== undefined && platform !== undefined
  return isBoth ? [{ pointer: '/platform_id', code: 'not_allowed', detail: 'Must not be sent with `user_ids`.' }] : []
}
