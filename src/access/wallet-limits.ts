import type { Day } from '../kernel/date.ts'
import { columns, json, text } from '../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../kernel/db/database.ts'
import type { PeriodicTask } from '../kernel/jobs/periodic.ts'
import type { Paise } from '../kernel/money.ts'
import { READ_INTERVAL_MS } from './web-origins.ts'

/** What of a wallet can be limited. Months and financial years are India's. */
export const LIMIT_NAMES = ['balance', 'credits_a_month', 'credits_a_year', 'debits_a_month', 'debits_a_year'] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** The limits that hold from a day; what is not there has none. */
export type WalletLimits = { from_day: Day } & { [Name in LimitName]?: Paise }

const STORED = columns('a', { id: text('platform_id'), walletLimits: json<WalletLimits[]>('wallet_limits') })

/** The limits of the wallets of a platform. */
export type PlatformLimits = { id: string; walletLimits: readonly WalletLimits[] }

const FIND = statement('wallet_limits_find', `select ${STORED.list} from platform_access a where a.platform_id = $1`)

const READ = statement(
  'wallet_limits_read',
  `select ${STORED.list} from platform_access a where a.wallet_limits <> '[]'`,
)

/** Replaces the list that was read, both as JSON; the list itself is its version. */
export const WALLET_LIMITS_UPDATE = {
  values: {
    platformId: text('platform_id'),
    former: text('former'),
    walletLimits: text('wallet_limits'),
  },
  update: 'platform_access a',
  key: 'a.platform_id = :platform_id',
  guard: 'a.wallet_limits = (:former)::jsonb',
  set: 'wallet_limits = (:wallet_limits)::jsonb',
} as const

/** Returns the limits of a platform's wallets. Throws 404 `not_found` when there is no platform with this id. */
export const findWalletLimits = async (db: Queryable, platformId: string): Promise<PlatformLimits> =>
  STORED.decode(foundRow(await db.query<object>(FIND, [platformId])))

/** Returns what holds on a day: the newest list that has begun; undefined when none has, or when it limits nothing. */
export function limitsOn(all: readonly WalletLimits[], day: Day): WalletLimits | undefined {
  const begun = all.filter(({ from_day }) => from_day <= day)
  const newest = begun.toSorted((a, b) => (a.from_day < b.from_day ? 1 : -1))[0]
  return newest && LIMIT_NAMES.some((name) => newest[name] !== undefined) ? newest : undefined
}

export type LimitsOfWallets = ReturnType<typeof createWalletLimits>

/** Keeps in memory which platforms limit their wallets, so that bookings of the others cost no query. */
export function createWalletLimits(db: Queryable) {
  let byPlatform: ReadonlyMap<string, readonly WalletLimits[]> = new Map()

  async function read(): Promise<void> {
    const rows = (await db.query<object>(READ)).map(STORED.decode)
    byPlatform = new Map(rows.map(({ id, walletLimits }) => [id, walletLimits]))
  }

  return {
    read,
    readingTask: { name: 'read-wallet-limits', every_ms: READ_INTERVAL_MS, run: read } satisfies PeriodicTask,
    /** The limits of a platform's wallets on a day; undefined where nothing is limited. */
    on: (platformId: string, day: Day): WalletLimits | undefined => limitsOn(byPlatform.get(platformId) ?? [], day),
  }
}
