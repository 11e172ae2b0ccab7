import { instant, integer, nullable, type RecordOf, columns } from '../kernel/db/columns.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'

/** Requests of a phone are limited to a few an hour. */
const CODES_MAX = 500
export const SHOWN_HOURS = 24
/** A refused request is noted at most this often, so that a flood of them does not become one of writes. */
const NOTE_INTERVAL_SECONDS = 10
/** Limits are deleted two hours after this time: a refused request is shown for a day. */
const KEPT_HOURS = SHOWN_HOURS - 2

const CODE = columns('o', {
  createdAt: instant('created_at'),
  expiresAt: instant('expires_at'),
  sentAt: nullable(instant('sent_at')),
  failedAt: nullable(instant('failed_at')),
  usedAt: nullable(instant('used_at')),
  voidedAt: nullable(instant('voided_at')),
  wrongCodes: integer('wrong_codes'),
})
const REJECTION = columns('l', { refusedAt: instant('refused_at'), retryAt: instant('retry_at') })

/** A code that was made void while it could be used expired then; one that had expired before stays expired. */
export const isVoid = ({ voidedAt, expiresAt }: Code): boolean => voidedAt !== null && voidedAt <= expiresAt

export type Code = RecordOf<typeof CODE>
export type Rejection = RecordOf<typeof REJECTION>

/** The limit of a phone, which all platforms share, and the platform that asks for a code. */
export type PhoneAtPlatform = { phoneKey: Buffer; platformId: string }

const LIST = statement(
  'otp_challenges_list',
  `select ${CODE.list}
     from otp_challenges o
    where o.user_id = $1 and o.created_at > $2::timestamptz - interval '${SHOWN_HOURS} hours'
    order by o.created_at desc, o.challenge_id desc
    limit ${CODES_MAX}`,
)

const FIND_REJECTION = statement(
  'otp_limits_find_rejection',
  `select ${REJECTION.list}
     from otp_limits l
    where l.limit_key = $1 and l.refused_at > $2::timestamptz - interval '${SHOWN_HOURS} hours'
      and (l.refused_platform_id is null or l.refused_platform_id = $3)`,
)

/** The same for a known phone and an unknown one. */
const NOTE_REJECTION = statement(
  'otp_limits_note_rejection',
  `update otp_limits
      set refused_at = $2::timestamptz, retry_at = $3, refused_platform_id = $4,
          seen_at = $2::timestamptz + interval '${KEPT_HOURS} hours'
    where limit_key = $1
      and (refused_at is null or refused_at < $2::timestamptz - interval '${NOTE_INTERVAL_SECONDS} seconds')`,
)

const NOTE_SENT = statement(
  'otp_challenges_note_sent',
  'update otp_challenges set sent_at = $2 where challenge_id = $1',
)

const NOTE_FAILED = statement(
  'otp_challenges_note_failed',
  'update otp_challenges set failed_at = $2 where challenge_id = $1',
)

export const listCodes = async (db: Queryable, userId: string, now: Date): Promise<Code[]> =>
  (await db.query<object>(LIST, [userId, now])).map(CODE.decode)

/**
 * Returns the last refused request for a phone; undefined when none was refused in the last day, or the last one at another
 * platform.
 */
export async function findRejection(
  db: Queryable,
  { phoneKey, platformId }: PhoneAtPlatform,
  now: Date,
): Promise<Rejection | undefined> {
  const [row] = await db.query<object>(FIND_REJECTION, [phoneKey, now, platformId])
  return row && REJECTION.decode(row)
}

/** Notes at the limit of a phone that a request was refused, and when the next one is not. */
export const noteRejection = (
  db: Queryable,
  { phoneKey, platformId }: PhoneAtPlatform,
  { refusedAt, retryAt }: Rejection,
) => db.query(NOTE_REJECTION, [phoneKey, refusedAt, retryAt, platformId])

export const noteSent = (db: Queryable, challengeId: string, at: Date) => db.query(NOTE_SENT, [challengeId, at])

export const noteFailed = (db: Queryable, challengeId: string, at: Date) => db.query(NOTE_FAILED, [challengeId, at])
