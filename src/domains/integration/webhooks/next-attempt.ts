import type { PostOutcome } from '../../../kernel/outbound/post-outside.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The delays after each failed attempt; after the tenth attempt there is none. */
const RETRY_DELAYS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]
/** The maximum share added to a delay, so that deliveries that failed together do not retry together. */
const JITTER = 0.2
/** The statuses whose `Retry-After` is heeded, and for how long: a wrong one must not hold events back. */
const ASKING_TO_WAIT = [429, 503]
const RETRY_AFTER_MS_MAX = HOUR_MS

type Failed = Pick<PostOutcome, 'status' | 'retryAfter'>

/** Returns the time of the next attempt after this many failures, never before that of the receiver; null when there is none. */
export function nextAttempt(
  tries: number,
  { status, retryAfter }: Failed,
  { at, random = Math.random() }: { at: Date; random?: number },
): Date | null {
  const delay_ms = RETRY_DELAYS_MS[tries - 1]
  if (delay_ms === undefined) return null
  const asked_ms = status !== null && ASKING_TO_WAIT.includes(status) ? askedDelay_ms(retryAfter, at) : 0
  return new Date(at.getTime() + Math.max(delay_ms, Math.min(asked_ms, RETRY_AFTER_MS_MAX)) * (1 + JITTER * random))
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3); 0 when it is neither, or has passed. */
function askedDelay_ms(text: string | null, at: Date): number {
  if (text === null) return 0
  const delay_ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - at.getTime()
  return delay_ms > 0 ? delay_ms : 0
}
