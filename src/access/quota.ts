/** A limit of uses within a window; callers see the name. */
export type Policy = { name: string; times: number; seconds: number }

/**
 * Returns the rate limit headers (structured fields of the IETF draft): the remaining uses, and when all are available
 * again.
 */
export function rateHeaders(uses: readonly (Policy & Omit<QuotaUse, 'wait_s'>)[]): Record<string, string> {
  const items = uses.map(({ name, left, fullIn_s }) => `"${name}";r=${left};t=${Math.max(1, Math.ceil(fullIn_s))}`)
  const policies = uses.map(({ name, times, seconds }) => `"${name}";q=${times};w=${seconds}`)
  return { 'ratelimit-policy': policies.join(', '), ratelimit: items.join(', ') }
}

/** The remaining uses, the seconds until all are available again, and how long to wait when the use was rejected. */
export type QuotaUse = { left: number; fullIn_s: number; wait_s: number }

/**
 * `until`: when all uses are available again. `unreported`: uses not yet shared with other processes, the first of them
 * at `since`.
 */
type Use = { until: number; unreported: number; since: number }

/** Uses to share with other processes: their cost in time and age. `onShared` takes the total of all processes. */
type UsageReport = { key: string; cost_ms: number; age_ms: number; onShared: (ahead_ms: number) => void }

/** Maximum number of keys in memory, some 10 MB; beyond it, the oldest are dropped. */
const KEYS_MAX = 50_000
/** Steps are fractions of a millisecond whose sum does not equal the window exactly. */
const ROUNDING_MS_MAX = 0.001
/** The share of a limit that all processes together must see of a key before it is reported to the others. */
const REPORTED_SHARE = 1 / 8
/** A single use is not reported, unless so few are allowed. */
const REPORTED_USES_MIN = 2

export type Quota = ReturnType<typeof createQuota>

/**
 * Counts uses by key in memory, by the generic cell rate algorithm: each use costs a step of time, and a key may be
 * ahead of the clock by the whole window. So a full burst is accepted, then one use per step; nobody waits for a window
 * to end. `now` is in milliseconds and monotonic. `processes` is the number of processes that count.
 */
export function createQuota(policy: Policy, now: () => number, { keysMax = KEYS_MAX, processes = 1 } = {}) {
  const { name, times, seconds } = policy
  const window_ms = seconds * 1_000
  const step_ms = window_ms / times
  const rounding_ms = Math.min(ROUNDING_MS_MAX, step_ms / 2) // a larger one would lose a step at the highest rates
  const reportedByAll = times * REPORTED_SHARE
  const reportedMin = Math.min(reportedByAll, Math.max(REPORTED_USES_MIN, reportedByAll / processes))
  const uses = new Map<string, Use>()

  function findUse(key: string, at: number): Use {
    let use = uses.get(key)
    if (use) return use
    if (uses.size >= keysMax) uses.delete(uses.keys().next().value as string)
    uses.set(key, (use = { until: at, unreported: 0, since: at }))
    return use
  }

  const remaining = (ahead_ms: number) => ({
    left: Math.max(0, Math.floor((window_ms - ahead_ms + rounding_ms) / step_ms)), // all processes together can exceed it
    fullIn_s: ahead_ms / 1_000,
  })

  return {
    policy,

    /**
     * Counts `cost` uses of a key, at most as many as are allowed; a rejected use costs nothing, and `wait_s` says how long
     * to wait. `share` is how much of the window this use may see taken: the rest is for others.
     */
    take(key: string, cost = 1, share = 1): QuotaUse {
      const at = now()
      const use = findUse(key, at)
      const counted = Math.min(cost, times)
      const from = Math.max(use.until, at)
      const until = from + counted * step_ms
      const late_ms = until - at - Math.max(window_ms * share, counted * step_ms)
      if (late_ms > rounding_ms) return { ...remaining(from - at), wait_s: late_ms / 1_000 }
      use.until = until
      if (use.unreported === 0) use.since = at
      use.unreported += counted
      return { ...remaining(until - at), wait_s: 0 }
    },

    /** Reverts an accepted use that does not count after all. */
    undo(key: string): void {
      const use = uses.get(key)
      if (!use) return
      use.until -= step_ms
      use.unreported--
    },

    /** Returns up to `max` uses to share with other processes, and drops idle keys. */
    reports(max: number): UsageReport[] {
      const at = now()
      const reports: UsageReport[] = []
      for (const [key, use] of uses) {
        if (use.unreported >= reportedMin && reports.length < max) reports.push(toUsageReport(key, use, at))
        else if (use.until <= at && use.unreported < reportedMin) uses.delete(key)
      }
      return reports
    },

    size: () => uses.size,
  }

  function toUsageReport(key: string, use: Use, at: number): UsageReport {
    const reported = use.unreported
    return {
      key: `${name}:${key}`,
      cost_ms: reported * step_ms,
      age_ms: at - use.since,
      onShared: (ahead_ms) => {
        use.unreported -= reported
        use.since = at
        // The total of all processes does not include uses counted here since.
        use.until = Math.max(use.until, now() + ahead_ms + use.unreported * step_ms)
      },
    }
  }
}
