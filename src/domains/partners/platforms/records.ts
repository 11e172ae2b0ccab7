import { Type } from 'typebox'
import type { PlatformOrigins } from '../../../access/web-origins.ts'
import type { SetForPlatform } from '../../../access/platform-setting.ts'
import { forEachWord } from '../../../kernel/for-each-word.ts'
import { LIMIT_NAMES, type WalletLimits } from '../../../access/wallet-limits.ts'
import { type RecordOf, text } from '../../../kernel/db/columns.ts'
import { DayText, Nullable, OrNull, PaiseAmount, PathId, record } from '../../../kernel/http/schemas.ts'
import { choice, entity, field } from '../../../record/index.ts'
import { ACCOUNT_TYPES, PLATFORM_STATUSES } from './states.ts'

export const PLATFORMS = entity(
  'platforms p',
  'Platform',
  {
    id: field(text('platform_id'), Type.String(), 'plt_06bnv3kq0r3cj8m3w0h2d8y6xg'),
    name: field(text('name'), Type.String(), 'Acme Benefits'),
    status: choice('status', PLATFORM_STATUSES, 'ACTIVE'),
    defaultAccountType: choice('default_account_type', ACCOUNT_TYPES, 'SAVINGS', {
      description: 'Type of the account opened by onboarding',
    }),
  },
  { description: 'A partner company that uses the API' },
)
export type Platform = RecordOf<typeof PLATFORMS>
export const { schema: PlatformRecord, versionOf, present: presentPlatform } = PLATFORMS

export const originExamples = [{ web_origins: ['https://app.example.com', 'http://localhost:5173'] }]

export const WebOriginsRecord = record(
  'WebOrigins',
  { web_origins: Type.Array(Type.String()) },
  { description: 'The origins of the web apps of a platform', examples: originExamples },
)

/** The list is its own version: it has no other state. */
export const versionOfOrigins = ({ webOrigins }: PlatformOrigins) => ({
  record: { web_origins: [...webOrigins] },
  revision: 0,
})

export const limitExamples = [
  {
    wallet_limits: [
      {
        from_day: '2026-04-01',
        balance: 20_000_000,
        credits_a_month: 1_000_000,
        credits_a_year: 12_000_000,
        debits_a_month: null,
        debits_a_year: null,
      },
    ],
  },
]

const Limit = () => PaiseAmount({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const FROM_DAY = {
  from_day: DayText({ description: 'The first day (India) on which these limits hold, instead of the former ones' }),
}

/** The limits of a day in a request. */
export const WalletLimitsItem = Type.Object({ ...FROM_DAY, ...forEachWord(LIMIT_NAMES, () => OrNull(Limit())) })

export const WalletLimitsRecord = record(
  'WalletLimits',
  { wallet_limits: Type.Array(Type.Object({ ...FROM_DAY, ...forEachWord(LIMIT_NAMES, () => Nullable(Limit())) })) },
  { description: 'What the wallets of a platform may hold and book', examples: limitExamples },
)

const NOTHING_LIMITED = forEachWord(LIMIT_NAMES, () => null)

/** The list is its own version: it has no other state. */
export const versionOfLimits = ({ value }: SetForPlatform<readonly WalletLimits[]>) => ({
  record: { wallet_limits: value.map((limits) => ({ ...NOTHING_LIMITED, ...limits })) },
  revision: 0,
})

export const tags = ['Platforms']
export const PlatformPath = Type.Object({ platform_id: PathId('The platform') })
