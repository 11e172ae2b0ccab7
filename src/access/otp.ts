import type { Hasher, Vault } from '../kernel/crypto/vault.ts'
import { bytes, nullable, type RowWith, text, time } from '../kernel/db/columns.ts'
import { type Database, onlyRow, type Queryable, statement, violatedConstraint } from '../kernel/db/database.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { linkedWrite, type LinkedWrite, type LinkedRows } from '../kernel/db/write-statement.ts'
import { isId, newId } from '../kernel/id.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { serialize } from '../kernel/bulkhead.ts'
import type { Limits } from '../settings/read-limits.ts'
import {
  checkLimits,
  deleteOldLimits,
  type Limit,
  limitHeaders,
  LIMITS_VALUES,
  limitsValue,
  toRules,
  timesIn,
  USE_LIMITS,
} from './otp-limits.ts'
import {
  BEGUN_FAMILY,
  beginningText,
  type Family,
  type NewFamily,
  type RefreshFamilies,
  type TokenPair,
} from './refresh-families.ts'
import { LINKED_REVOKE_ENDED } from './revocations.ts'
import { LINKED_END_SESSIONS } from './user-sessions.ts'

const CODE_DIGITS = 6
const CODE_SECONDS = 5 * 60
const WRONG_CODES_MAX = 5
const DAY_SECONDS = 24 * 3_600

/**
 * Uses the limits and inserts a challenge. Unknown phones have no user but get the same work, so that neither the response
 * nor its timing reveals them.
 */
export const OPEN_CHALLENGE = {
  values: {
    ...LIMITS_VALUES,
    id: text('challenge_id'),
    userId: nullable(text('user_id')),
    platformId: text('platform_id'),
    hmac: bytes('code_hmac'),
    expiresAt: time('expires_at'),
  },
  single: `${USE_LIMITS}, changed as (
       insert into otp_challenges (challenge_id, user_id, platform_id, code_hmac, expires_at, created_at)
       select :challenge_id, :user_id, :platform_id, :code_hmac, :expires_at, :at from admitted
       returning 1 as n)`,
} as const

const FIND = statement(
  'otp_challenges_find',
  `select user_id, code_hmac, expires_at <= now() as is_over
     from otp_challenges
    where challenge_id = $1 and used_at is null and voided_at is null`,
)

const FIND_PLATFORM = statement(
  'otp_challenges_find_platform',
  'select platform_id from otp_challenges where challenge_id = $1',
)

/**
 * `$1` to `$8`: uses up a code and begins the session of its recipient, or counts a wrong code for the challenge and
 * the address; does nothing when the address has no try left. One statement, so that concurrent tries with the right
 * code find it used. Locks the limit, so that concurrent tries are counted one by one.
 */
const USE = statement(
  'otp_challenges_use',
  `with locked as (
     select sent_at_ms from otp_limits where limit_key = $1 for no key update
   ), limited as (
     select ${timesIn({ stored: '(select sent_at_ms from locked)', now: '$2::bigint' })} as times
   ), free as (
     select times from limited where cardinality(times) < $8
   ), tried as (
     update otp_challenges
        set used_at = case when code_hmac = any ($4) then $5::timestamptz end,
            wrong_codes = wrong_codes + case when code_hmac = any ($4) then 0 else 1 end
      where challenge_id = $3 and used_at is null and wrong_codes < ${WRONG_CODES_MAX} and expires_at > $5
        and exists (select from free)
     returning user_id, platform_id, used_at
   ), admitted as (
     select user_id, platform_id from tried where used_at is not null and user_id is not null
   ), ${beginningText({ id: '$6', tokenHash: '$7', at: '$5' })},
   counted as (
     update otp_limits
        set sent_at_ms = free.times || $2, seen_at = $5, revision = revision + 1
       from free
      where limit_key = $1 and not exists (select from begun)
   ), counted_first as (
     insert into otp_limits (limit_key, sent_at_ms, seen_at, revision)
     select $1, array[$2], $5, 1 where not exists (select from locked) and not exists (select from begun)
   )
   select limited.times, ${BEGUN_FAMILY} from limited left join begun on true`,
)

/**
 * Makes the codes under way of a user void. They stay listed, for an investigation. No try is left, so that nodes of
 * 0.2.0 refuse them, too, whatever their clock says.
 */
const LINKED_VOID_CODES = linkedWrite(
  { userId: text('user_id'), at: time('at') },
  {
    name: 'voided_codes',
    text: `update otp_challenges o
        set voided_at = r.at, expires_at = least(o.expires_at, r.at), wrong_codes = greatest(o.wrong_codes, ${WRONG_CODES_MAX})
       from r join changed using (n)
      where o.user_id = r.user_id and o.used_at is null and o.wrong_codes < ${WRONG_CODES_MAX}`,
  },
)

/**
 * Ends every session of the user `:user_id` of a write, and voids the one-time codes that were sent: anyone who holds the
 * old phone could otherwise begin a session with one of them.
 */
export const LOCK_OUT_PARTS: readonly LinkedWrite[] = [LINKED_END_SESSIONS, LINKED_REVOKE_ENDED, LINKED_VOID_CODES]

export const toLockOutRows = ({ userId, at }: { userId: string; at: Date }): LinkedRows => ({
  ...LINKED_END_SESSIONS.rows([{ user_id: userId, at }]),
  ...LINKED_VOID_CODES.rows([{ user_id: userId, at }]),
})

/** Deletes every one-time code of the user `$1`, so that none begins a session any more. */
export const ERASE_CHALLENGES = statement('otp_challenges_erase_user', 'delete from otp_challenges where user_id = $1')

const deleteExpired = createPurge({ table: 'otp_challenges', time: 'expires_at', seconds: DAY_SECONDS })

/** Whether a code that was not used can no longer be. */
export const isDead = ({ expiresAt, wrongCodes }: { expiresAt: Date; wrongCodes: number }, now: Date): boolean =>
  expiresAt <= now || wrongCodes >= WRONG_CODES_MAX

export type Challenge = { id: string; expiresAt: Date; resendAt: Date }

type ChallengeInput = {
  userId: string | null
  platformId: string
  limits: readonly Limit[]
  pauseSeconds: number
  at: Date
}

export function newChallenge(vault: Vault, { userId, platformId, limits, pauseSeconds, at }: ChallengeInput) {
  const id = newId('otp')
  const challenge: Challenge = { id, expiresAt: later(at, CODE_SECONDS), resendAt: later(at, pauseSeconds) }
  const values: RowWith<typeof OPEN_CHALLENGE.values> = {
    limits: limitsValue(limits),
    at,
    challenge_id: id,
    user_id: userId,
    platform_id: platformId,
    code_hmac: hashCode(vault, id, deriveCode(vault, id)),
    expires_at: challenge.expiresAt,
  }
  return { challenge, values }
}

/**
 * Returns the recipient and the code, and whether it has expired by the database's clock; undefined when there is no
 * recipient or the challenge is used or void.
 */
export async function codeToSend(db: Queryable, vault: Vault, challengeId: string) {
  type Row = { user_id: string | null; code_hmac: Buffer; is_over: boolean }
  const [challenge] = await db.query<Row>(FIND, [challengeId])
  if (!challenge?.user_id) return undefined
  const codes = vault.hashers.map((hasher) => ({ hasher, code: deriveCode(hasher, challengeId) }))
  const made = codes.find(({ hasher, code }) => hashCode(hasher, challengeId, code).equals(challenge.code_hmac))
  return made && { userId: challenge.user_id, code: made.code, isOver: challenge.is_over }
}

/** Returns the platform that a code was requested for; undefined when there is no such code. */
export async function platformOfChallenge(db: Queryable, challengeId: string): Promise<string | undefined> {
  return (await db.query<{ platform_id: string }>(FIND_PLATFORM, [challengeId]))[0]?.platform_id
}

type Attempt = { challengeId: string; code: string; addressKey: Buffer }
type Context = { db: Database; vault: Vault; families: RefreshFamilies; limits: Limits }

/**
 * Exchanges a code for the first token pair of a session. Throws 401 `otp_invalid`, always with the same text, when the
 * code is wrong, used, expired, tried too often or of a disabled platform; a wrong code is counted for the challenge
 * and the address. Throws 429 after too many wrong codes from the address, even for a right one. The headers give the
 * number of tries left.
 */
export async function useCode(
  { db, vault, families, limits }: Context,
  { challengeId, code, addressKey }: Attempt,
): Promise<{ pair: TokenPair; headers: Record<string, string> }> {
  const hmacs = vault.hashers.map((hasher) => hashCode(hasher, challengeId, code))
  const rules = toRules(limits).wrongCodes
  let headers: Record<string, string> = {}
  const admit = async ({ id, tokenHash, at }: NewFamily): Promise<Family | undefined> => {
    const values = [addressKey, at.getTime(), challengeId, hmacs, at, id, tokenHash, limits.wrongOtps]
    type Row = { times: string[] } & (Family | { family_id: null })
    const use = () => db.query<Row>(USE, values)
    const tried = onlyRow(
      await use().catch((error: unknown) => {
        // Of concurrent first wrong codes of an address, one inserts its limit and the others are rolled back.
        if (violatedConstraint(error) !== 'otp_limits_pkey') throw error
        return use()
      }),
    )
    const before = tried.times.map(Number)
    checkLimits([{ times: before, rules }], at)
    const isWrong = tried.family_id === null
    headers = limitHeaders([{ times: isWrong ? [...before, at.getTime()] : before, rules }], at)
    return isWrong ? undefined : tried
  }
  // Serialised, so that many tries from one address wait here and not in the database, each with a connection.
  const pair = await serialize(db, addressKey.toString('base64'), () => families.begin(admit))
  if (!pair) throw otpInvalid(challengeId, headers)
  return { pair, headers }
}

const otpInvalid = (challengeId: string, headers: Record<string, string>) =>
  new ProblemError('otp_invalid', 'The code is invalid.', {
    headers: { 'www-authenticate': 'OTP', ...headers },
    credentialId: isId(challengeId) ? challengeId : undefined, // anything else may be text of any kind
  })

export async function deleteOldChallenges(db: Queryable): Promise<void> {
  await deleteExpired(db)
  await deleteOldLimits(db)
}

/** Derived from the challenge id with the hash key, so that the queue of the sending job holds no clear text. */
function deriveCode(hasher: Hasher, challengeId: string): string {
  const random = hasher.blindIndex('otp', challengeId).readUIntBE(0, 6)
  return String(random % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0')
}

const hashCode = (hasher: Hasher, challengeId: string, code: string) =>
  hasher.blindIndex('otp_code', `${challengeId}\0${code}`)

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
