import { OPEN_CHALLENGE } from '../../../access/otp.ts'
import { decodeLimit, type Limit, limitColumns, type LimitRow } from '../../../access/otp-limits.ts'
import { type Database, statement } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'
import { findActiveByPhone, userIdByPhone } from '../../people/users/index.ts'

/** `platform` is SQL for the id of the platform that is named. */
const findText = (columns: string, platform: string) =>
  `select ${columns}, exists (select from platforms n where n.platform_id = ${platform}) as is_platform
     from unnest(array[$1, $2]::bytea[]) with ordinality as k (limit_key, position)
     left join otp_limits l on l.limit_key = k.limit_key
    order by k.position`

const FIND = statement(
  'otp_limits_find_with_user',
  findText(`${limitColumns('$3::bigint')}, ${userIdByPhone('$5')} as user_id`, '$4'),
)

/** For a cluster, where the user is found in steps. */
const FIND_LIMITS = statement('otp_limits_find', findText(limitColumns('$3::bigint'), '$4'))

export const REQUEST_CODE = recordedWrite({ name: 'otp_challenges_open', ...OPEN_CHALLENGE })

type ChallengeRequest = {
  phoneKey: Buffer
  addressKey: Buffer
  platformId: string
  phoneHashes: readonly Buffer[]
}

/** `isPlatform`: the platform that is named is known, active or not. */
type Requester = { phone: Limit; address: Limit; isPlatform: boolean; userId: string | null }

/** Returns the limits of a phone and of an IP address, and the user with the phone, null when there is none. */
export async function findRequester(
  db: Database,
  { phoneKey, addressKey, platformId, phoneHashes }: ChallengeRequest,
  at: Date,
): Promise<Requester> {
  type Found = LimitRow & { is_platform: boolean }
  type Row = Found & { user_id: string | null }
  const values = [phoneKey, addressKey, at.getTime(), platformId]
  const find = async () => {
    const [rows, userId] = await Promise.all([db.query<Found>(FIND_LIMITS, values), findActiveByPhone(db, phoneHashes)])
    return rows.map((row) => ({ ...row, user_id: userId }))
  }
  const rows = db.batching ? await db.query<Row>(FIND, [...values, phoneHashes]) : await find()
  const [phone, address] = rows as [Row, Row]
  return {
    phone: decodeLimit(phoneKey, phone),
    address: decodeLimit(addressKey, address),
    isPlatform: phone.is_platform,
    userId: phone.user_id,
  }
}
