/** At most so many times within so many seconds; the name is what callers see. */
export type Policy = { name: string; times: number; seconds: number }

/** What a response says of policies after a use (structured fields of the IETF's draft): how much is left, and when all of it is back. */
export function rateHeaders(standings: readonly (Policy & Omit<Taken, 'wait_s'>)[]): Record<string, string> {
  const items = standings.map(({ name, left, fullIn_s }) => `"${name}";r=${left};t=${Math.max(1, Math.ceil(fullIn_s))}`)
  const policies = standings.map(({ name, times, seconds }) => `"${name}";q=${times};w=${seconds}`)
  return { 'ratelimit-policy': policies.join(', '), ratelimit: items.join(', ') }
}

/** What is left after a use, in how many seconds all of it is back, and how long to wait when the use was too much. */
export type Taken = { left: number; fullIn_s: number; wait_s: number }

/** `until`: when all is free again. `untold`: uses that other processes have not heard of, the first of them at `since`. */
type Use = { until: number; unreported: number; since: number }

/** Uses that others should hear of: what they cost in time, and since when they were. */
export type UsageReport = { key: string; cost_ms: number; age_ms: number; heard: (ahead_ms: number) => void }

/** So many keys are remembered, some 10 MB; of more, those are forgotten that came first. */
const KEYS_MAX = 50_000
/** Steps are fractions of a millisecond that do not add up to a window to the last digit. */
const ROUNDING_MS_MAX = 0.001
/**
 * A process tells the others when it has seen its part of this part of what is allowed; less, of a key that has rested since, is not
 * worth it. One use alone is only where so few are allowed.
 */
const SHARE_WORTH_REPORTING = 1 / 8
const USES_WORTH_REPORTING = 2

export type Quota = ReturnType<typeof openQuota>

/**
 * Counts uses by key in memory, by the generic cell rate algorithm: each use costs a step of time, and a key may be ahead of
 * the clock by the whole window. So a burst of all that is allowed is let in, then one use a step; nobody waits for a window
 * to end. `now` is in milliseconds and never goes back. `processes`: how many count beside each other.
 */
export function openQuota(policy: Policy, now: () => number, { keysMax = KEYS_MAX, processes = 1 } = {}) {
  const { name, times, seconds } = policy
  const window_ms = seconds * 1_000
  const step_ms = window_ms / times
  const rounding_ms = Math.min(ROUNDING_MS_MAX, step_ms / 2) // a wider one would give a step away at the highest rates
  const ofAll = times * SHARE_WORTH_REPORTING
  const worthReporting = Math.min(ofAll, Math.max(USES_WORTH_REPORTING, ofAll / processes))
  const uses = new Map<string, Use>()

  function useOf(key: string, at: number): Use {
    let use = uses.get(key)
    if (use) return use
    if (uses.size >= keysMax) uses.delete(uses.keys().next().value as string)
    uses.set(key, (use = { until: at, unreported: 0, since: at }))
    return use
  }

  return {
    policy,

    /** Uses a key once more; when that is too much nothing is used, and `wait_s` says how long it would be. */
    take(key: string): Taken {
      const at = now()
      const use = useOf(key, at)
      const until = Math.max(use.until, at) + step_ms
      const late_ms = until - at - window_ms
      if (late_ms > rounding_ms) return { left: 0, fullIn_s: (use.until - at) / 1_000, wait_s: late_ms / 1_000 }
      use.until = until
      if (use.unreported++ === 0) use.since = at
      return { left: Math.floor((rounding_ms - late_ms) / step_ms), fullIn_s: (until - at) / 1_000, wait_s: 0 }
    },

    /** Takes back a use that was let in and does not count after all. */
    giveBack(key: string): void {
      const use = uses.get(key)
      if (!use) return
      use.until -= step_ms
      use.unreported--
    },

    /** Returns at most so many uses that others should hear of, and forgets keys that have rested. */
    reports(max: number): UsageReport[] {
      const at = now()
      const reports: UsageReport[] = []
      for (const [key, use] of uses) {
        if (use.unreported >= worthReporting && reports.length < max) reports.push(usageReportOf(key, use, at))
        else if (use.until <= at && use.unreported < worthReporting) uses.delete(key)
      }
      return reports
    },

    /** How many keys are remembered. */
    size: () => uses.size,
  }

  function usageReportOf(key: string, use: Use, at: number): UsageReport {
    const told = use.unreported
    return {
      key: `${name}:${key}`,
      cost_ms: told * step_ms,
      age_ms: at - use.since,
      heard: (ahead_ms) => {
        use.unreported -= told
        use.since = at
        // Of all processes together; what was used here since is not among it.
        use.until = Math.max(use.until, now() + ahead_ms + use.unreported * step_ms)
      },
    }
  }
}
