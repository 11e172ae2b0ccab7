import { type Queryable, statement } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { type Periodic } from '../kernel/jobs/periodic.ts'
import { rateLimited, type ProblemError } from '../kernel/problem-error.ts'
import type { Caller } from './caller.ts'
import type { Limits } from './limits.ts'
import { openQuota, type Quota, rateHeaders, type Taken } from './quota.ts'

/** Two of these, and a statement between them, fit into the second within which processes know of each other. */
const SHARE_MS = 400
/** In one statement; what is more waits for the next. */
const SHARED_AT_ONCE = 5_000
const RETENTION_SECONDS = 3_600

/**
 * Adds what this process has seen to what all have, by the database's clock, and reads how far each key is ahead of it now. As in
 * memory, only that uses of some time are added at once: they count from when the first of them was.
 */
const SHARE = statement(
  'rate_limit_uses_share',
  `insert into rate_limit_uses as u (limit_key, free_at, added)
   select t.limit_key, now() + (t.cost_ms - t.age_ms) * interval '1 millisecond', t.cost_ms * interval '1 millisecond'
     from unnest($1::text[], $2::float8[], $3::float8[]) as t (limit_key, cost_ms, age_ms)
    order by t.limit_key
   on conflict (limit_key) do update
      set free_at = greatest(u.free_at + excluded.added, excluded.free_at), added = excluded.added
   returning u.limit_key, extract(epoch from u.free_at - now())::float8 * 1000 as ahead_ms`,
)

const DELETE_OLD = statement(
  'rate_limit_uses_forget',
  purgeText({ table: 'rate_limit_uses', key: 'limit_key', condition: `free_at < now() - $1 * interval '1 second'` }),
)

/** A use of a quota, and what a response says of it. */
export type Counted = Taken & { headers: Record<string, string> }

export type RateLimits = ReturnType<typeof openRateLimits>

/**
 * The limits that hold for callers. They are counted in memory, so that a request pays no round trip; what is used much is
 * told to the other processes in one statement, now and then. While the database is away each process goes on by itself.
 */
export function openRateLimits(
  db: Queryable,
  limits: Limits,
  { now = () => performance.now(), processes = 1 }: { now?: () => number; processes?: number } = {},
) {
  const quotaOf = (name: string, times: number, seconds: number) =>
    openQuota({ name, times, seconds }, now, { processes })
  const platform = quotaOf('platform', limits.platformRate, 1)
  const provider = quotaOf('benefit_provider', limits.providerRate, 1)
  const user = quotaOf('user', limits.userRate, 1)
  const failures = quotaOf('token_failures', limits.tokenFailures, 60)
  const unknown = quotaOf('unknown_credentials', limits.unknownCredentials, 60)
  const tokens = quotaOf('tokens', limits.tokens, 60)
  const all = [platform, provider, user, failures, unknown, tokens]

  /** Tells the other processes what was used here, and hears of them. */
  async function share(): Promise<void> {
    const reports = new Map(all.flatMap((quota) => quota.reports(SHARED_AT_ONCE)).map((tale) => [tale.key, tale]))
    const told = [...reports.values()].slice(0, SHARED_AT_ONCE)
    if (told.length === 0) return
    const values = [told.map(({ key }) => key), told.map(({ cost_ms }) => cost_ms), told.map(({ age_ms }) => age_ms)]
    type Row = { limit_key: string; ahead_ms: number }
    for (const row of await db.query<Row>(SHARE, values)) reports.get(row.limit_key)?.heard(row.ahead_ms)
  }

  return {
    share,
    sharing: { name: 'share-rate-limits', every_ms: SHARE_MS, run: share } satisfies Periodic,

    /** Counts a request of a caller; undefined for those without a limit. */
    countRequest(caller: Caller): Counted | undefined {
      switch (caller.kind) {
        case 'platform':
          return count(platform, caller.platformId)
        case 'provider':
          return count(provider, caller.benefitProviderId)
        case 'user':
        case 'wallet_user':
          return count(user, caller.userId)
        case 'viewer':
        case 'operator':
        case 'owner':
        case 'admin_key':
        case 'anyone':
        case 'system':
          return undefined
      }
      return caller satisfies never
    },

    /** Counts an access token for a credential. Throws 429. */
    countToken: (credentialId: string): Counted => countOrThrow(tokens, credentialId),

    /** Counts a credential that nobody has, by the network address it was shown from. Throws 429. */
    countUnknown: (address: string): Counted => countOrThrow(unknown, address),

    /**
     * Counts a secret that is wrong, by the credential it was shown for and the network address; a right one costs nothing.
     * Throws 429 when too many were wrong, for the right one too, or the limit would be none for who guesses.
     */
    countSecret({ credentialId, address, isRight }: { credentialId: string; address: string; isRight: boolean }): void {
      const key = `${credentialId} ${address}`
      countOrThrow(failures, key)
      if (isRight) failures.giveBack(key)
    },
  }
}

function countOrThrow(quota: Quota, key: string): Counted {
  const counted = count(quota, key)
  if (counted.wait_s > 0) throw tooMany(counted)
  return counted
}

function count(quota: Quota, key: string): Counted {
  const taken = quota.take(key)
  return { ...taken, headers: rateHeaders([{ ...quota.policy, ...taken }]) }
}

/** The refusal of a use that was too much. */
export const tooMany = ({ wait_s, headers }: Counted): ProblemError => rateLimited(wait_s, headers)

/** Drops what no limit looks at any more. */
export const deleteOldUses = (db: Queryable): Promise<void> => purge(db, DELETE_OLD, [RETENTION_SECONDS])
