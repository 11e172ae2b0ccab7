const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The delays after each failed attempt; after the tenth attempt there is none. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]

/** The maximum share added to a delay, so that deliveries that failed together do not retry together. */
const JITTER = 0.2

/** Returns the time of the next attempt after this many failures; null when there is none. */
export function nextAttempt(tries: number, at: Date, random = Math.random()): Date | null {
  const delay_ms = RETRY_DELAYS_MS[tries - 1]
  return delay_ms === undefined ? null : new Date(at.getTime() + delay_ms * (1 + JITTER * random))
}
