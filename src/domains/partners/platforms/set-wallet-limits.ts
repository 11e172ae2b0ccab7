import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import { WALLET_LIMITS, type WalletLimits } from '../../../access/wallet-limits.ts'
import { refuseOlderPrograms } from '../../../kernel/db/refuse-older-programs.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changed, operation, unchanged } from '../../../record/index.ts'
import { limitExamples, PlatformPath, tags, versionOfLimits, WalletLimitsItem, WalletLimitsRecord } from './records.ts'
import { limitsInPath, SET_WALLET_LIMITS } from './store.ts'

const DAYS_MAX = 20

const WalletLimitsInput = Type.Object(
  { wallet_limits: Type.Array(WalletLimitsItem, { maxItems: DAYS_MAX }) },
  { examples: limitExamples },
)

export const setWalletLimits = operation('PUT /platforms/:platform_id/wallet_limits', {
  access: 'setWalletLimits',
  tags,
  summary: 'Replace the limits of a platform’s wallets',
  description:
    'Limits, in paise, what a wallet may hold, and what may be credited to it and debited from it in a month and in a financial year ' +
    '(from 1 April) of India. Each entry holds from its day until that of the next; what it leaves out is not limited. A booking above a limit is ' +
    '409 `conflict` `limit_reached`. Refunds (`refund_of`) are not limited and do not count. An empty list limits nothing. A change holds within ' +
    'five seconds, one for a later day from that day’s first second.',
  params: PlatformPath,
  body: WalletLimitsInput,
  versioned: true,
  response: { 200: WalletLimitsRecord },
  problems: ['not_found', 'precondition_failed'],
  validate: ({ body }) => dayErrors(body),
  target: limitsInPath,
  version: versionOfLimits,
  serializeBy: ({ params }) => params.platform_id,
  prepare: ({ deps }) => refuseOlderPrograms(deps.db, 'limits of wallets'),
  change: ({ target: former, body }) => {
    const value = body.wallet_limits.map(withoutNulls).toSorted(byDay)
    if (isDeepStrictEqual(value, former.value)) return unchanged(former)
    return { result: { ...former, value }, ...SET_WALLET_LIMITS.with(WALLET_LIMITS.toValues(former, value)) }
  },
  present: (limits) => changed(versionOfLimits(limits)),
})

const withoutNulls = (item: Static<typeof WalletLimitsItem>) =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as WalletLimits

const byDay = (a: WalletLimits, b: WalletLimits) => (a.from_day < b.from_day ? -1 : 1)

/** Returns which days are there twice. */
function dayErrors(body: unknown): FieldError[] {
  const { wallet_limits: items } = (body ?? {}) as { wallet_limits?: unknown }
  const days = (Array.isArray(items) ? items.slice(0, DAYS_MAX) : []).map(
    (item: unknown) => (item as { from_day?: unknown } | null)?.from_day,
  )
  return days.flatMap((day, index) =>
    typeof day === 'string' && days.indexOf(day) < index
      ? {
          pointer: `/wallet_limits/${index}/from_day`,
          code: 'duplicate' as const,
          detail: 'Repeats the day of an earlier entry. Send each day once.',
        }
      : [],
  )
}
