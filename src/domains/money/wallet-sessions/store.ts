import { OPEN_CHALLENGE } from '../../../access/otp.ts'
import { decodeLimit, type Limit, limitColumns, type LimitRow } from '../../../access/otp-limits.ts'
import { type Database, statement } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'
import { findActiveByPhone, userIdByPhone } from '../../people/users/index.ts'

const findText = (columns: string) => `select ${columns}
     from unnest(array[$1, $2]::bytea[]) with ordinality as k (limit_key, position)
     left join otp_limits l on l.limit_key = k.limit_key
    order by k.position`

const FIND = statement(
  'otp_limits_find_with_user',
  findText(`${limitColumns('$3::bigint')}, ${userIdByPhone('$4')} as user_id`),
)

/** For a cluster, where the user is found in steps. */
const FIND_LIMITS = statement('otp_limits_find', findText(limitColumns('$3::bigint')))

export const REQUEST_CODE = recordedWrite({ name: 'otp_challenges_open', ...OPEN_CHALLENGE })

type ChallengeRequest = { phoneKey: Buffer; addressKey: Buffer; phoneHashes: readonly Buffer[] }

/** Returns the limits of a phone and of an IP address, and the user with the phone, null when there is none. */
export async function findRequester(
  db: Database,
  { phoneKey, addressKey, phoneHashes }: ChallengeRequest,
  at: Date,
): Promise<{ phone: Limit; address: Limit; userId: string | null }> {
  type Row = LimitRow & { user_id: string | null }
  const values = [phoneKey, addressKey, at.getTime()]
  const find = async () => {
    const [rows, userId] = await Promise.all([
      db.query<LimitRow>(FIND_LIMITS, values),
      findActiveByPhone(db, phoneHashes),
    ])
    return rows.map((row) => ({ ...row, user_id: userId }))
  }
  const rows = db.sharing ? await db.query<Row>(FIND, [...values, phoneHashes]) : await find()
  const [phone, address] = rows as [Row, Row]
  return { phone: decodeLimit(phoneKey, phone), address: decodeLimit(addressKey, address), userId: phone.user_id }
}
