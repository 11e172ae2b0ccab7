import { text, time } from '../kernel/db/columns.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { rateLimited } from '../kernel/problem-error.ts'
import type { Limits } from '../settings/read-limits.ts'
import { type Policy, rateHeaders } from './quota.ts'

const HOUR_SECONDS = 3_600

export const toRules = ({ otpPauseSeconds, otpsOfPhone, otpsOfAddress, wrongOtps }: Limits) => ({
  phone: [
    { name: 'otp_pause', times: 1, seconds: otpPauseSeconds },
    { name: 'otps_of_phone', times: otpsOfPhone, seconds: HOUR_SECONDS },
  ],
  address: [{ name: 'otps_of_address', times: otpsOfAddress, seconds: HOUR_SECONDS }],
  wrongCodes: [{ name: 'wrong_otps', times: wrongOtps, seconds: HOUR_SECONDS }],
})

/** The times of limited uses; no rule looks back further than an hour. */
type Uses = { times: readonly number[]; rules: readonly Policy[] }

/** The accepted difference between clocks of nodes. Later times were written by a wrong clock and are ignored. */
const AHEAD_SECONDS_MAX = 60

/** A limit with the times it was used in the last hour. `revision` is 0 before the first use. */
export type Limit = { key: Buffer; times: number[]; revision: number }

/**
 * SQL: the stored times that still count, in Unix milliseconds as `now`, oldest first. The arguments are SQL
 * expressions.
 */
export const timesIn = ({ stored, now }: { stored: string; now: string }): string => `array(
    select least(at, ${now})
      from unnest(${stored}) as at
     where at > ${now} - ${HOUR_SECONDS * 1000} and at <= ${now} + ${AHEAD_SECONDS_MAX * 1000}
     order by 1)`

/** SQL: the columns of a limit `l`, or of a missing one. */
export const limitColumns = (now: string): string =>
  `${timesIn({ stored: 'l.sent_at_ms', now })} as times, coalesce(l.revision, 0) as revision`

export type LimitRow = { times: string[]; revision: number }

export const decodeLimit = (key: Buffer, { times, revision }: LimitRow): Limit => ({
  key,
  times: times.map(Number),
  revision,
})

type Used = { limits: Limit[]; headers: Record<string, string> }

/**
 * Returns the limits with one more use each, and the response headers. Throws 429 `rate_limited` when one is reached.
 * Pure.
 */
export function useLimits(all: readonly { limit: Limit; rules: readonly Policy[] }[], now: Date): Used {
  const uses = all.map(({ limit: { times }, rules }) => ({ times, rules }))
  checkLimits(uses, now)
  const withOneMore = uses.map(({ times, rules }) => ({ times: [...times, now.getTime()], rules }))
  const limits = all.map(({ limit }) => ({ ...limit, times: [...limit.times, now.getTime()] }))
  return { limits, headers: limitHeaders(withOneMore, now) }
}

/** Throws 429 `rate_limited` when one more use would exceed a limit. Pure. */
export function checkLimits(all: readonly Uses[], now: Date): void {
  for (const { times, rules } of all) {
    for (const { name, times: allowed, seconds } of rules) {
      const oldest = within(times, seconds, now).at(-allowed)
      if (oldest === undefined) continue
      const wait_s = seconds - (now.getTime() - oldest) / 1000
      throw rateLimited({ name, wait_s, headers: limitHeaders(all, now) })
    }
  }
}

export function limitHeaders(all: readonly Uses[], now: Date): Record<string, string> {
  return rateHeaders(
    all.flatMap(({ times, rules }) =>
      rules.map((rule) => {
        const uses = within(times, rule.seconds, now)
        const fullIn_s = rule.seconds - (now.getTime() - (uses.at(-1) ?? 0)) / 1000
        return { ...rule, left: Math.max(0, rule.times - uses.length), fullIn_s }
      }),
    ),
  )
}

const within = (times: readonly number[], seconds: number, now: Date) =>
  times.filter((at) => at > now.getTime() - seconds * 1000)

/**
 * SQL: CTEs that write the used limits, if none has changed since it was read; only then the last one, `admitted`, has a
 * row. Two concurrent first uses of a limit violate its key, which aborts the statement.
 */
export const USE_LIMITS = `used as (
       select limit_key, times, revision
         from json_to_recordset(:limits) as u (limit_key bytea, times bigint[], revision int)
     ), locked as (
       select u.limit_key
         from used u
         join otp_limits l on l.limit_key = u.limit_key and l.revision = u.revision
        order by u.limit_key
          for no key update of l
     ), admitted as (
       select 1 as one
        where (select count(*) from locked) = (select count(*) from used where revision > 0)
     ), counted as (
       update otp_limits l
          set sent_at_ms = u.times, seen_at = :at, revision = l.revision + 1
         from used u
        cross join admitted
        where l.limit_key = u.limit_key and u.revision > 0
     ), first_used as (
       insert into otp_limits (limit_key, sent_at_ms, seen_at, revision)
       select u.limit_key, u.times, :at, 1 from used u cross join admitted where u.revision = 0
     )`

export const LIMITS_VALUES = { limits: text('limits'), at: time('at') }

export const limitsValue = (limits: readonly Limit[]): string =>
  JSON.stringify(
    limits.map(({ key, times, revision }) => ({ limit_key: `\\x${key.toString('hex')}`, times, revision })),
  )

export const deleteOldLimits = createPurge({ table: 'otp_limits', time: 'seen_at', seconds: 2 * HOUR_SECONDS })
