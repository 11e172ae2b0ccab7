import type { Vault } from '../kernel/crypto/vault.ts'
import { onlyRow, type Queryable, statement, violates } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { newId } from '../kernel/id.ts'
import { rateLimited, Refusal } from '../kernel/refusal.ts'
import { BEGUN_FAMILY, beginningText, type Family, type RefreshFamilies, type TokenPair } from './refresh-families.ts'

const CODE_DIGITS = 6
const CODE_SECONDS = 5 * 60
const RESEND_SECONDS = 30
const WRONG_CODES_MAX = 5
const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** At most so many times within so many seconds, an hour at the longest. */
type Rule = { times: number; seconds: number }
const PHONE_RULES: Rule[] = [
  { times: 1, seconds: RESEND_SECONDS },
  { times: 5, seconds: HOUR_SECONDS },
]
/** Carriers put thousands of phones behind one address. */
const ADDRESS_RULES: Rule[] = [{ times: 300, seconds: HOUR_SECONDS }]
const WRONG_CODES_OF_ADDRESS_MAX = 30
const WRONG_CODE_RULES: Rule[] = [{ times: WRONG_CODES_OF_ADDRESS_MAX, seconds: HOUR_SECONDS }]
/** Clocks of nodes may differ by this much. What is later still was written by a clock that was wrong, and counts for nothing. */
const AHEAD_SECONDS_MAX = 60

/** SQL: the times of the last hour, in Unix milliseconds, at which a limit was used. Arguments are SQL expressions. */
const timesIn = ({ sentAt, now }: { sentAt: string; now: string }) => `array(
    select least(at, ${now})
      from unnest(${sentAt}) as at
     where at > ${now} - ${HOUR_SECONDS * 1000} and at <= ${now} + ${AHEAD_SECONDS_MAX * 1000}
     order by 1)`

/** SQL: of two limits, by the keys `$1` and `$2` of a phone and an address, what is stored and what counts at `$3`. One row. */
export const LIMITS_OF_ASKER = {
  columns: `p.sent_at_ms as phone_stored, ${timesIn({ sentAt: 'p.sent_at_ms', now: '$3::bigint' })} as phone_times,
          a.sent_at_ms as address_stored, ${timesIn({ sentAt: 'a.sent_at_ms', now: '$3::bigint' })} as address_times`,
  from: `(values (1)) as always (one)
     left join otp_limits p on p.limit_key = $1
     left join otp_limits a on a.limit_key = $2`,
}
export type LimitsOfAsker = Record<'phone_stored' | 'address_stored', string[] | null> &
  Record<'phone_times' | 'address_times', string[]>

/**
 * `$1` to `$12`: a challenge, and one more use of both limits, guarded by what was stored of them. Either all is written or
 * nothing: a limit that was used for the first time meanwhile aborts it.
 */
export const INSERT_CHALLENGE = `used as (
       select limit_key, stored, updated
         from (values ($1::bytea, $2::bigint[], $3::bigint[]), ($4, $5, $6)) as u (limit_key, stored, updated)
     ), held as (
       select l.limit_key
         from used u
         join otp_limits l on l.limit_key = u.limit_key and l.sent_at_ms = u.stored
        order by l.limit_key
          for no key update of l
     ), free as (
       select 1 as n where (select count(*) from held) = (select count(stored) from used)
     ), counted as (
       update otp_limits l
          set sent_at_ms = u.updated, seen_at = $7
         from used u
        cross join free
        where l.limit_key = u.limit_key and u.stored is not null
     ), counted_first as (
       insert into otp_limits (limit_key, sent_at_ms, seen_at)
       select u.limit_key, u.updated, $7 from used u cross join free where u.stored is null order by u.limit_key
     ), changed as (
       insert into otp_challenges (challenge_id, user_id, platform_id, code_hmac, expires_at, created_at)
       select $8, $9, $10, $11, $12, $7 from free
       returning 1 as n)`

const FIND = statement(
  'otp_challenges_find',
  'select user_id from otp_challenges where challenge_id = $1 and used_at is null and expires_at > $2',
)

/**
 * `$1` to `$7`: uses a code up and begins the session of whom it was sent to, or counts a wrong one, of the challenge and of
 * the address; nothing when the address has no try left. One statement, so that parallel tries with the right code find it
 * used. The limit stays locked meanwhile: parallel tries are counted one after another.
 */
const USE = statement(
  'otp_challenges_use',
  `with locked as (
     select sent_at_ms from otp_limits where limit_key = $1 for no key update
   ), counted as (
     select ${timesIn({ sentAt: '(select sent_at_ms from locked)', now: '$2::bigint' })} as times
   ), free as (
     select times from counted where cardinality(times) < ${WRONG_CODES_OF_ADDRESS_MAX}
   ), tried as (
     update otp_challenges
        set used_at = case when code_hmac = $4 then $5::timestamptz end,
            wrong_codes = wrong_codes + case when code_hmac = $4 then 0 else 1 end
      where challenge_id = $3 and used_at is null and wrong_codes < ${WRONG_CODES_MAX} and expires_at > $5
        and exists (select from free)
     returning user_id, platform_id, used_at
   ), let_in as (
     select user_id, platform_id from tried where used_at is not null and user_id is not null
   ), ${beginningText({ id: '$6', tokenHash: '$7', at: '$5' })},
   counted_wrong as (
     update otp_limits
        set sent_at_ms = free.times || $2, seen_at = $5
       from free
      where limit_key = $1 and not exists (select from begun)
   ), counted_first as (
     insert into otp_limits (limit_key, sent_at_ms, seen_at)
     select $1, array[$2], $5 where not exists (select from locked) and not exists (select from begun)
   )
   select counted.times, ${BEGUN_FAMILY} from counted left join begun on true`,
)

const FORGET_CHALLENGES = statement(
  'otp_challenges_forget',
  purgeText({ table: 'otp_challenges', key: 'challenge_id', condition: 'expires_at < $1' }),
)
const FORGET_LIMITS = statement(
  'otp_limits_forget',
  purgeText({ table: 'otp_limits', key: 'limit_key', condition: 'seen_at < $1' }),
)

export type Challenge = { id: string; expiresAt: Date; resendAt: Date }

type Asking = {
  /** Keyed hashes: the limits hold for a phone whatever the platform, and for a network address. */
  phoneKey: Buffer
  addressKey: Buffer
  limits: LimitsOfAsker
  /** Null when the phone is nobody's: everything happens as if it were somebody's, save that no code is sent. */
  userId: string | null
  platformId: string
}

/**
 * Decides on a challenge within the limits of completion 8. Returns it with the values of `INSERT_CHALLENGE`; throws 429
 * `rate_limited` beyond the limits.
 */
export function newChallenge(vault: Vault, { phoneKey, addressKey, limits, userId, platformId }: Asking, at: Date) {
  const [phoneTimes, addressTimes] = [limits.phone_times.map(Number), limits.address_times.map(Number)]
  checkLimit(phoneTimes, PHONE_RULES, at)
  checkLimit(addressTimes, ADDRESS_RULES, at)
  const id = newId('otp')
  const challenge: Challenge = { id, expiresAt: later(at, CODE_SECONDS), resendAt: later(at, RESEND_SECONDS) }
  const values = [
    ...[phoneKey, limits.phone_stored, [...phoneTimes, at.getTime()]],
    ...[addressKey, limits.address_stored, [...addressTimes, at.getTime()]],
    ...[at, id, userId, platformId, hmacOf(vault, id, codeOf(vault, id)), challenge.expiresAt],
  ]
  return { challenge, values }
}

/** Throws 429 `rate_limited` when one more time is too much. */
function checkLimit(times: number[], rules: Rule[], now: Date): void {
  for (const { times: allowed, seconds } of rules) {
    const within = times.filter((at) => at > later(now, -seconds).getTime())
    const oldest = within.at(-allowed)
    if (oldest !== undefined) throw rateLimited(seconds - (now.getTime() - oldest) / 1000)
  }
}

/** Whom a code is still to be sent to, and the code; undefined when there is nobody or it is too late. */
export async function codeToSend(
  db: Queryable,
  vault: Vault,
  { challengeId, now }: { challengeId: string; now: Date },
) {
  const [challenge] = await db.query<{ user_id: string | null }>(FIND, [challengeId, now])
  if (!challenge?.user_id) return undefined
  return { userId: challenge.user_id, code: codeOf(vault, challengeId) }
}

type Attempt = { challengeId: string; code: string; address: string }

/**
 * Exchanges a code for the first pair of a session. Throws 401 `otp_invalid`, in the same words, when it is wrong, used,
 * late, tried too often or of a disabled platform, which counts against the address; 429 when too much has been counted.
 */
export async function useCode(
  { db, vault, families }: { db: Queryable; vault: Vault; families: RefreshFamilies },
  { challengeId, code, address }: Attempt,
): Promise<TokenPair> {
  const [addressKey, hmac] = [vault.blindIndex('otp_wrong_code', address), hmacOf(vault, challengeId, code)]
  const pair = await families.begin(async ({ id, tokenHash, at }) => {
    const values = [addressKey, at.getTime(), challengeId, hmac, at, id, tokenHash]
    type Row = { times: string[] } & (Family | { family_id: null })
    const use = () => db.query<Row>(USE, values)
    const tried = onlyRow(
      await use().catch((error: unknown) => {
        // Of the first wrong codes of an address at one moment, one makes its limit and the others are undone.
        if (!violates(error, 'otp_limits_pkey')) throw error
        return use()
      }),
    )
    checkLimit(tried.times.map(Number), WRONG_CODE_RULES, at)
    return tried.family_id === null ? undefined : tried
  })
  if (!pair) throw otpInvalid()
  return pair
}

const otpInvalid = () =>
  new Refusal('otp_invalid', 'The code is not valid.', { headers: { 'www-authenticate': 'OTP' } })

/** Drops challenges and limits that nothing depends on any more. */
export async function forgetOldChallenges(db: Queryable, now: Date): Promise<void> {
  await purge(db, FORGET_CHALLENGES, [later(now, -DAY_SECONDS)])
  await purge(db, FORGET_LIMITS, [later(now, -2 * HOUR_SECONDS)])
}

/** The code is made from the challenge's id under the hash key, so that the job that sends it needs no clear text in the queue. */
function codeOf(vault: Vault, challengeId: string): string {
  const random = vault.blindIndex('otp', challengeId).readUIntBE(0, 6)
  return String(random % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0')
}

const hmacOf = (vault: Vault, challengeId: string, code: string) =>
  vault.blindIndex('otp_code', `${challengeId}\0${code}`)

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
