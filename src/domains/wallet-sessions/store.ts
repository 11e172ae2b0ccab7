import { OPEN_CHALLENGE } from '../../access/otp.ts'
import { decodeLimit, type Limit, limitColumns, type LimitRow } from '../../access/otp-limits.ts'
import { type Queryable, statement } from '../../kernel/db/database.ts'
import { recordedWrite } from '../../record/index.ts'
import { userIdByPhone } from '../users/index.ts'

const FIND = statement(
  'otp_limits_find_with_user',
  `select ${limitColumns('$4::bigint')}, ${userIdByPhone('$3')} as user_id
     from unnest(array[$1, $2]::bytea[]) with ordinality as k (limit_key, place)
     left join otp_limits l on l.limit_key = k.limit_key
    order by k.place`,
)

export const REQUEST_CODE = recordedWrite({ name: 'otp_challenges_open', one: OPEN_CHALLENGE })

type ChallengeRequest = { phoneKey: Buffer; addressKey: Buffer; phoneHashes: readonly Buffer[] }

/** Returns the limits of a phone and of a network address, and the user with the phone, null when there is none. */
export async function findRequester(
  db: Queryable,
  { phoneKey, addressKey, phoneHashes }: ChallengeRequest,
  at: Date,
): Promise<{ phone: Limit; address: Limit; userId: string | null }> {
  type Row = LimitRow & { user_id: string | null }
  const [phone, address] = (await db.query<Row>(FIND, [phoneKey, addressKey, phoneHashes, at.getTime()])) as [Row, Row]
  return { phone: decodeLimit(phoneKey, phone), address: decodeLimit(addressKey, address), userId: phone.user_id }
}
