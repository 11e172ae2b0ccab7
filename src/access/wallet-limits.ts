import type { Day } from '../kernel/date.ts'
import { json } from '../kernel/db/columns.ts'
import type { Queryable } from '../kernel/db/database.ts'
import type { Paise } from '../kernel/money.ts'
import { platformSetting } from './platform-setting.ts'

/** What of a wallet can be limited. Months and financial years are India's. */
export const LIMIT_NAMES = ['balance', 'credits_a_month', 'credits_a_year', 'debits_a_month', 'debits_a_year'] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** The limits that hold from a day; what is not there has none. */
export type WalletLimits = { from_day: Day } & { [Name in LimitName]?: Paise }

/** The limits of the wallets of each platform. */
export const WALLET_LIMITS = platformSetting(json<readonly WalletLimits[], 'wallet_limits'>('wallet_limits'), '[]')

/** Returns what holds on a day: the newest list that has begun; undefined when none has, or when it limits nothing. */
export function limitsOn(all: readonly WalletLimits[], day: Day): WalletLimits | undefined {
  const begun = all.filter(({ from_day }) => from_day <= day)
  const newest = begun.toSorted((a, b) => (a.from_day < b.from_day ? 1 : -1))[0]
  return newest && LIMIT_NAMES.some((name) => newest[name] !== undefined) ? newest : undefined
}

export type LimitsOfWallets = ReturnType<typeof createWalletLimits>

/** Keeps in memory which platforms limit their wallets. */
export function createWalletLimits(db: Queryable) {
  const { of, ...memory } = WALLET_LIMITS.createMemory(db)
  return {
    ...memory,
    /** The limits of a platform's wallets on a day; undefined where nothing is limited. */
    on: (platformId: string, day: Day): WalletLimits | undefined => limitsOn(of(platformId) ?? [], day),
  }
}
