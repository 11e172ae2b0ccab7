import { type Queryable, statement } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { rateLimited } from '../kernel/problem-error.ts'
import type { Limits } from './limits.ts'

const HOUR_SECONDS = 3_600

/** At most so many times within so many seconds, an hour at the longest. */
type Rule = { times: number; seconds: number }

/** How often a code may be asked for, by phone and by network address, and how many wrong ones may come from an address. */
export const rulesOf = ({ otpPauseSeconds, otpsOfPhone, otpsOfAddress, wrongOtps }: Limits) => ({
  phone: [
    { times: 1, seconds: otpPauseSeconds },
    { times: otpsOfPhone, seconds: HOUR_SECONDS },
  ],
  address: [{ times: otpsOfAddress, seconds: HOUR_SECONDS }],
  wrongCodes: [{ times: wrongOtps, seconds: HOUR_SECONDS }],
})

/** Clocks of nodes may differ by this much. What is later still was written by a clock that was wrong, and counts for nothing. */
const AHEAD_SECONDS_MAX = 60

/** A limit with the times of the last hour at which it was used. `revision` is 0 when it never was. */
export type Limit = { key: Buffer; times: number[]; revision: number }

/** SQL: the times that count of those that are stored, in Unix milliseconds as `now`, oldest first. Arguments are SQL expressions. */
export const timesIn = ({ stored, now }: { stored: string; now: string }): string => `array(
    select least(at, ${now})
      from unnest(${stored}) as at
     where at > ${now} - ${HOUR_SECONDS * 1000} and at <= ${now} + ${AHEAD_SECONDS_MAX * 1000}
     order by 1)`

/** SQL: the columns of a limit `l`, or of one that is not there. */
export const limitColumns = (now: string): string =>
  `${timesIn({ stored: 'l.sent_at_ms', now })} as times, coalesce(l.revision, 0) as revision`

export type LimitRow = { times: string[]; revision: number }

export const decodeLimit = (key: Buffer, { times, revision }: LimitRow): Limit => ({
  key,
  times: times.map(Number),
  revision,
})

/** Returns the limit with one more use. Throws 429 `rate_limited` when it is reached. Pure. */
export function useLimit(limit: Limit, rules: Rule[], now: Date): Limit {
  checkLimit(limit.times, rules, now)
  return { ...limit, times: [...limit.times, now.getTime()] }
}

/** Throws 429 `rate_limited` when one more use is too much. Pure. */
export function checkLimit(times: readonly number[], rules: Rule[], now: Date): void {
  for (const { times: allowed, seconds } of rules) {
    const within = times.filter((at) => at > later(now, -seconds).getTime())
    const oldest = within.at(-allowed)
    if (oldest !== undefined) throw rateLimited(seconds - (now.getTime() - oldest) / 1000)
  }
}

/**
 * SQL: CTEs that write used limits, `$1` as JSON and `$2` the time, if each is still as it was read; they end in `let_in`, which has a
 * row only then. A limit that two begin at once aborts the statement by its key.
 */
export const USE_LIMITS = `used as (
       select limit_key, times, revision
         from json_to_recordset($1) as u (limit_key bytea, times bigint[], revision int)
     ), held as (
       select u.limit_key
         from used u
         join otp_limits l on l.limit_key = u.limit_key and l.revision = u.revision
        order by u.limit_key
          for no key update of l
     ), let_in as (
       select 1 as one
        where (select count(*) from held) = (select count(*) from used where revision > 0)
     ), counted as (
       update otp_limits l
          set sent_at_ms = u.times, seen_at = $2, revision = l.revision + 1
         from used u
        cross join let_in
        where l.limit_key = u.limit_key and u.revision > 0
     ), begun as (
       insert into otp_limits (limit_key, sent_at_ms, seen_at, revision)
       select u.limit_key, u.times, $2, 1 from used u cross join let_in where u.revision = 0
     )`

/** The first value of a write with `USE_LIMITS`. */
export const limitsValue = (limits: readonly Limit[]): string =>
  JSON.stringify(
    limits.map(({ key, times, revision }) => ({ limit_key: `\\x${key.toString('hex')}`, times, revision })),
  )

const DELETE_OLD = statement(
  'otp_limits_forget',
  purgeText({ table: 'otp_limits', key: 'limit_key', condition: 'seen_at < $1' }),
)

/** Drops limits that no rule looks at any more. */
export const deleteOldLimits = (db: Queryable, now: Date): Promise<void> =>
  purge(db, DELETE_OLD, [later(now, -2 * HOUR_SECONDS)])

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
