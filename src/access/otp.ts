import type { Vault } from '../kernel/crypto/vault.ts'
import { onlyRow, type Queryable, statement, type Tx } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { newId } from '../kernel/id.ts'
import { rateLimited, Refusal } from '../kernel/refusal.ts'
import { beginningOf, type RefreshFamilies, type TokenPair } from './refresh-families.ts'

const CODE_DIGITS = 6
const CODE_SECONDS = 5 * 60
const RESEND_SECONDS = 30
const WRONG_CODES_MAX = 5
const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

type Rule = { times: number; seconds: number }
const PHONE_RULES: Rule[] = [
  { times: 1, seconds: RESEND_SECONDS },
  { times: 5, seconds: HOUR_SECONDS },
]
/** Carriers put thousands of phones behind one address. */
const ADDRESS_RULES: Rule[] = [{ times: 300, seconds: HOUR_SECONDS }]
const WRONG_CODE_RULES: Rule[] = [{ times: 30, seconds: HOUR_SECONDS }]
/** Clocks of nodes may differ by this much. What is later still was written by a clock that was wrong, and counts for nothing. */
const AHEAD_SECONDS_MAX = 60

const LOCK_LIMIT = statement(
  'otp_limits_lock',
  `insert into otp_limits (limit_key, sent_at_ms, seen_at) values ($1, '{}', $2)
       on conflict (limit_key) do update set seen_at = excluded.seen_at
   returning sent_at_ms`,
)

const SAVE_LIMIT = statement('otp_limits_save', 'update otp_limits set sent_at_ms = $2 where limit_key = $1')

const INSERT = statement(
  'otp_challenges_insert',
  `insert into otp_challenges (challenge_id, user_id, platform_id, code_hmac, expires_at, created_at)
   values ($1, $2, $3, $4, $5, $6)`,
)

const FIND = statement(
  'otp_challenges_find',
  'select user_id from otp_challenges where challenge_id = $1 and used_at is null and expires_at > $2',
)

/**
 * `$1` to `$5`: uses a code up, or counts a wrong one, and begins the session of whom it was sent to. One statement, so that
 * parallel tries with the right code find it used.
 */
const USE = beginningOf({
  name: 'otp_challenges_use',
  ctes: `tried as (
       update otp_challenges
          set used_at = case when code_hmac = $2 then $3::timestamptz end,
              wrong_codes = wrong_codes + case when code_hmac = $2 then 0 else 1 end
        where challenge_id = $1 and used_at is null and wrong_codes < $4 and expires_at > $3
       returning user_id, platform_id, used_at
     ), let_in as (select user_id, platform_id from tried where used_at is not null and user_id is not null)`,
  familyId: '$5',
  at: '$3',
})

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
  /** Null when the phone is nobody's: everything happens as if it were somebody's, save that no code is sent. */
  userId: string | null
  platformId: string
  now: Date
}

/** Records a challenge within the limits of completion 8; 429 `rate_limited` beyond them. */
export async function openChallenge(tx: Tx, vault: Vault, asking: Asking): Promise<Challenge> {
  const { phoneKey, addressKey, userId, platformId, now } = asking
  await take(tx, { key: phoneKey, rules: PHONE_RULES, now })
  await take(tx, { key: addressKey, rules: ADDRESS_RULES, now })
  const id = newId('otp')
  const expiresAt = later(now, CODE_SECONDS)
  await tx.query(INSERT, [id, userId, platformId, hmacOf(vault, id, codeOf(vault, id)), expiresAt, now])
  return { id, expiresAt, resendAt: later(now, RESEND_SECONDS) }
}

type Limit = { key: Buffer; rules: Rule[]; now: Date }

/** Counts one more use of a limit, or refuses. */
async function take(tx: Tx, limit: Limit): Promise<void> {
  const countOne = await lockLimit(tx, limit)
  await countOne()
}

/**
 * Refuses when the limit is reached. The row stays locked, so that parallel calls are decided one after another; the
 * returned function counts one more use.
 */
async function lockLimit(tx: Tx, { key, rules, now }: Limit): Promise<() => Promise<void>> {
  const { sent_at_ms } = onlyRow(await tx.query<{ sent_at_ms: string[] }>(LOCK_LIMIT, [key, now]))
  const longest = Math.max(...rules.map((rule) => rule.seconds))
  const times = sent_at_ms
    .map(Number)
    .filter((at) => at > later(now, -longest).getTime() && at <= later(now, AHEAD_SECONDS_MAX).getTime())
    .map((at) => Math.min(at, now.getTime()))
  for (const { times: allowed, seconds } of rules) {
    const within = times.filter((at) => at > later(now, -seconds).getTime())
    const oldest = within.at(-allowed)
    if (oldest !== undefined) throw rateLimited(seconds - (now.getTime() - oldest) / 1000)
  }
  return async () => void (await tx.query(SAVE_LIMIT, [key, [...times, now.getTime()]]))
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

type Attempt = { challengeId: string; code: string }

/**
 * Exchanges a code for the first pair of a session. Throws 401 `otp_invalid`, in the same words, when it is wrong, used,
 * late, tried too often or of a disabled platform; a wrong one is counted.
 */
export async function useCode(
  { vault, families }: { vault: Vault; families: RefreshFamilies },
  { challengeId, code }: Attempt,
): Promise<TokenPair> {
  const hmac = hmacOf(vault, challengeId, code)
  const pair = await families.begin(USE, ({ id, at }) => [challengeId, hmac, at, WRONG_CODES_MAX, id])
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
