import type { Clock } from '../kernel/clock.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import type { Part } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'
import { Refusal } from '../kernel/refusal.ts'
import { turnsOf } from '../kernel/turns.ts'
import {
  findLimit,
  forgetOldLimits,
  type Limit,
  limitsValue,
  resendAt,
  USE_LIMITS,
  useLimit,
  WRONG_CODE_RULES,
} from './otp-limits.ts'
import { beginningOf, type RefreshFamilies, type TokenPair } from './refresh-families.ts'

const CODE_DIGITS = 6
const CODE_SECONDS = 5 * 60
const WRONG_CODES_MAX = 5
const WRONG_CODES_KEPT_MS = 3_600_000
const DAY_SECONDS = 24 * 3_600

/**
 * `$1` to `$7`: the limits as they are used, the time and the challenge. Unknown phones have no user, and everything else is
 * done for them too, so that neither the response nor its time tells the two apart.
 */
export const OPEN_CHALLENGE = `${USE_LIMITS}, changed as (
       insert into otp_challenges (challenge_id, user_id, platform_id, code_hmac, expires_at, created_at)
       select $3, $4, $5, $6, $7, $2 from let_in
       returning 1 as n)`

const FIND = statement(
  'otp_challenges_find',
  'select user_id from otp_challenges where challenge_id = $1 and used_at is null and expires_at > $2',
)

/** `$6` to `$8`: a wrong code counts for the address it came from, and what is older than the rule is dropped. */
const COUNT_WRONG_CODE_PART: Part = {
  name: 'counted',
  columns: null,
  text: `insert into otp_limits as l (limit_key, sent_at_ms, seen_at, revision)
     select $6::bytea, array[$8::bigint], $3::timestamptz, 1
      where not exists (select from changed)
         on conflict (limit_key) do update
        set sent_at_ms = array(select t from unnest(l.sent_at_ms) t where t > $7) || excluded.sent_at_ms,
            seen_at = excluded.seen_at, revision = l.revision + 1`,
}

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
  parts: [COUNT_WRONG_CODE_PART],
})

const FORGET_CHALLENGES = statement(
  'otp_challenges_forget',
  purgeText({ table: 'otp_challenges', key: 'challenge_id', condition: 'expires_at < $1' }),
)
export type Challenge = { id: string; expiresAt: Date; resendAt: Date }

type Opening = { userId: string | null; platformId: string; limits: readonly Limit[]; at: Date }

/** A new challenge, and the values of `OPEN_CHALLENGE` for it. */
export function newChallenge(vault: Vault, { userId, platformId, limits, at }: Opening) {
  const id = newId('otp')
  const challenge: Challenge = { id, expiresAt: later(at, CODE_SECONDS), resendAt: resendAt(at) }
  const hmac = hmacOf(vault, id, codeOf(vault, id))
  return { challenge, values: [limitsValue(limits), at, id, userId, platformId, hmac, challenge.expiresAt] }
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

type Attempt = { challengeId: string; code: string; addressKey: Buffer }
type Kit = { db: Database; vault: Vault; clock: Clock; families: RefreshFamilies }

/**
 * Exchanges a code for the first pair of a session. Throws 401 `otp_invalid`, in the same words, when it is wrong, used,
 * late, tried too often or of a disabled platform; a wrong one is counted, for the challenge and for the address. Throws 429 when
 * too many wrong ones came from the address, whatever the code.
 */
export async function useCode(
  { db, vault, clock, families }: Kit,
  { challengeId, code, addressKey }: Attempt,
): Promise<TokenPair> {
  const hmac = hmacOf(vault, challengeId, code)
  // One after another for an address, so that many wrong ones at once are counted before the next is tried.
  const pair = await turnsOf(db)(addressKey.toString('base64'), async () => {
    const now = clock.now()
    useLimit(await findLimit(db, addressKey), WRONG_CODE_RULES, now)
    const oldest = now.getTime() - WRONG_CODES_KEPT_MS
    return families.begin(USE, ({ id, at }) => [
      challengeId,
      hmac,
      at,
      WRONG_CODES_MAX,
      id,
      addressKey,
      oldest,
      now.getTime(),
    ])
  })
  if (!pair) throw otpInvalid()
  return pair
}

const otpInvalid = () =>
  new Refusal('otp_invalid', 'The code is not valid.', { headers: { 'www-authenticate': 'OTP' } })

/** Drops challenges and limits that nothing depends on any more. */
export async function forgetOldChallenges(db: Queryable, now: Date): Promise<void> {
  await purge(db, FORGET_CHALLENGES, [later(now, -DAY_SECONDS)])
  await forgetOldLimits(db, now)
}

/** The code is made from the challenge's id under the hash key, so that the job that sends it needs no clear text in the queue. */
function codeOf(vault: Vault, challengeId: string): string {
  const random = vault.blindIndex('otp', challengeId).readUIntBE(0, 6)
  return String(random % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0')
}

const hmacOf = (vault: Vault, challengeId: string, code: string) =>
  vault.blindIndex('otp_code', `${challengeId}\0${code}`)

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
