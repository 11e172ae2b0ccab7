const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** After the first attempt, after the second and so on (completion 7); after the tenth there is none. */
export const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]

/** Up to so much of a pause comes on top, so that what failed together does not come back together. */
const JITTER = 0.2

/** When a delivery is tried again that has failed so many times; null when it was tried often enough. */
export function nextAttempt(tries: number, at: Date, random = Math.random()): Date | null {
  const pause_ms = PAUSES_MS[tries - 1]
  return pause_ms === undefined ? null : new Date(at.getTime() + pause_ms * (1 + JITTER * random))
}
