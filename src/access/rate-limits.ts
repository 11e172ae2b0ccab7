import { type Queryable, statement } from '../kernel/db/database.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { type PeriodicTask } from '../kernel/jobs/periodic.ts'
import { rateLimited } from '../kernel/problem-error.ts'
import { actorOf, type Caller } from './caller.ts'
import type { Limits } from '../settings/read-limits.ts'
import { createQuota, type Quota, rateHeaders, type QuotaUse } from './quota.ts'

/** Two of these, and a statement between them, fit into the second within which processes share their counts. */
const SHARE_MS = 400
/** Uses per statement; the rest waits for the next one. */
const SHARE_BATCH_SIZE = 5_000
const RETENTION_SECONDS = 3_600
/** How much of a caller's limit what runs in the background may take. */
const BACKGROUND_SHARE = 1 / 2

/**
 * Adds the uses of this process to the shared total, by the database's clock, and reads how far each key is ahead of
 * it. As in memory, except that uses of some time are added at once, counted from the first of them.
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

/** The limits per IP address of requests without a credential. */
export type AddressLimit = keyof ReturnType<typeof createQuotas>['ofAddress']

export type CountedUse = QuotaUse & { name: string; headers: Record<string, string> }

export type RateLimits = ReturnType<typeof createRateLimits>

/**
 * Opens the callers' rate limits. Counts in memory, so that a request costs no round trip; frequent uses are shared
 * with other processes in one periodic statement. While the database is down, each process counts alone.
 */
export function createRateLimits(
  db: Queryable,
  limits: Limits,
  { now = () => performance.now(), processes = 1 }: { now?: () => number; processes?: number } = {},
) {
  const all: Quota[] = []
  /** Makes a limit whose uses are shared with the other processes. */
  function addQuota(name: string, times: number, seconds: number): Quota {
    const quota = createQuota({ name, times, seconds }, now, { processes })
    all.push(quota)
    return quota
  }
  const quotas = createQuotas(limits, addQuota)
  const { callers, ofAddress, failures, unknown, tokens, exports, idempotencyKeys, ...uncounted } = quotas
  uncounted satisfies Record<string, never> // a limit that nothing here counts would not limit

  /** Shares the uses counted here with the other processes, and reads their total. */
  async function share(): Promise<void> {
    const reports = new Map(
      all.flatMap((quota) => quota.reports(SHARE_BATCH_SIZE)).map((report) => [report.key, report]),
    )
    const batch = [...reports.values()].slice(0, SHARE_BATCH_SIZE)
    if (batch.length === 0) return
    const values = [batch.map(({ key }) => key), batch.map(({ cost_ms }) => cost_ms), batch.map(({ age_ms }) => age_ms)]
    type Row = { limit_key: string; ahead_ms: number }
    for (const row of await db.query<Row>(SHARE, values)) reports.get(row.limit_key)?.onShared(row.ahead_ms)
  }

  return {
    share,
    sharingTask: { name: 'share-rate-limits', every_ms: SHARE_MS, run: share } satisfies PeriodicTask,

    /** Counts a request of a caller as `cost` requests; undefined for callers without a limit. */
    countRequest(caller: Caller, cost: number): CountedUse | undefined {
      const limit = findLimit(caller, callers)
      return limit && count(limit.quota, limit.key, cost)
    },

    /** Counts more of a request that was counted when it began; together they cost at most the whole limit. */
    countMore(caller: Caller, cost: number): CountedUse | undefined {
      const limit = findLimit(caller, callers)
      return limit && count(limit.quota, limit.key, Math.min(cost, limit.quota.policy.times - 1))
    },

    /**
     * Counts a request that the program makes for a caller in the background. Returns for how many seconds it has to wait, uncounted:
     * half of the limit is left to what the caller sends itself.
     */
    countBackground(caller: Caller): number {
      const limit = findLimit(caller, callers)
      return limit === undefined ? 0 : limit.quota.take(limit.key, 1, BACKGROUND_SHARE).wait_s
    },

    countAnonymous: (limit: AddressLimit, address: string): CountedUse => count(ofAddress[limit], address),

    /** Counts an access token issued for a credential. Throws 429 when there are too many. */
    countToken: (credentialId: string): CountedUse => countOrThrow(tokens, credentialId),

    /** Counts an export of a user, by caller. Throws 429 when there are too many. */
    countExport: (caller: Caller, userId: string): CountedUse => countOrThrow(exports, `${actorOf(caller)} ${userId}`),

    /** Counts an idempotency key to be kept, by the user that its request is about. Throws 429 when there are too many. */
    countKey: (userId: string): CountedUse => countOrThrow(idempotencyKeys, userId),

    undoKey: (userId: string): void => idempotencyKeys.undo(userId),

    /** Counts an unknown credential, by IP address. Throws 429 when there are too many. */
    countUnknown: (address: string): CountedUse => countOrThrow(unknown, address),

    /** Reverts the count of a credential that is known after all. */
    undoUnknown: (address: string): void => unknown.undo(address),

    /**
     * Counts a wrong secret, by credential and IP address; a right one costs nothing. Throws 429 after too many
     * wrong ones, even for the right one, or the limit would not stop guessing.
     */
    countSecret({ credentialId, address, isRight }: { credentialId: string; address: string; isRight: boolean }): void {
      const key = `${credentialId} ${address}`
      countOrThrow(failures, key)
      if (isRight) failures.undo(key)
    },
  }
}

type QuotaOf = (name: string, times: number, seconds: number) => Quota

/** Makes every limit; tests compare their names with the handbook. */
export const createQuotas = (limits: Limits, addQuota: QuotaOf) => ({
  callers: {
    platform: addQuota('platform', limits.platformRate, 1),
    provider: addQuota('benefit_provider', limits.providerRate, 1),
    user: addQuota('user', limits.userRate, 1),
  },
  ofAddress: {
    signIns: addQuota('sign_ins_of_address', limits.signIns, 60),
    tokenRequests: addQuota('token_requests_of_address', limits.tokenRequests, 60),
    operatorEvents: addQuota('operator_events_of_address', limits.operatorEvents, 60),
    refreshes: addQuota('refreshes_of_address', limits.refreshes, 60),
    cardChecks: addQuota('card_checks_of_address', limits.cardChecks, 60),
    logins: addQuota('logins_of_address', limits.logins, 60),
    pages: addQuota('pages_of_address', limits.pages, 60),
    searches: addQuota('searches_of_address', limits.searches, 60),
  },
  failures: addQuota('token_failures', limits.tokenFailures, 60),
  unknown: addQuota('unknown_credentials', limits.unknownCredentials, 60),
  tokens: addQuota('tokens', limits.tokens, 60),
  exports: addQuota('exports_of_user', limits.exports, 3_600),
  idempotencyKeys: addQuota('idempotency_keys_of_user', limits.idempotencyKeys, 24 * 3_600),
})

type CallerQuotas = ReturnType<typeof createQuotas>['callers']

function findLimit(
  caller: Caller,
  { platform, provider, user }: CallerQuotas,
): { quota: Quota; key: string } | undefined {
  switch (caller.kind) {
    case 'platform':
      return { quota: platform, key: caller.platformId }
    case 'provider':
      return { quota: provider, key: caller.benefitProviderId }
    case 'user':
    case 'wallet_user':
      return { quota: user, key: caller.userId }
    case 'viewer':
    case 'operator':
    case 'owner':
    case 'admin_key':
    case 'anyone':
    case 'system':
      return undefined
  }
  return caller satisfies never
}

function countOrThrow(quota: Quota, key: string): CountedUse {
  const counted = count(quota, key)
  if (counted.wait_s > 0) throw rateLimited(counted)
  return counted
}

function count(quota: Quota, key: string, cost = 1): CountedUse {
  const use = quota.take(key, cost)
  return { ...use, name: quota.policy.name, headers: rateHeaders([{ ...quota.policy, ...use }]) }
}

export const deleteOldUses = createPurge({ table: 'rate_limit_uses', time: 'free_at', seconds: RETENTION_SECONDS })
