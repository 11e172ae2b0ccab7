import { INSERT_CHALLENGE, LIMITS_OF_ASKER, type LimitsOfAsker } from '../../access/otp.ts'
import { onlyRow, type Queryable, statement } from '../../kernel/db/database.ts'
import { recordedWrite } from '../../record/index.ts'

/** The phone's hash has its platform in it, so a user who is found is of that one. */
const FIND_ASKER = statement(
  'otp_find_asker',
  `select ${LIMITS_OF_ASKER.columns},
          (select u.user_id
             from user_phones u
            where u.phone_hash = $4
              and exists (select from platforms l where l.platform_id = $5 and l.status = 'ACTIVE')) as user_id
     from ${LIMITS_OF_ASKER.from}`,
)

export const OPEN_CHALLENGE = recordedWrite({ name: 'otp_challenges_open', one: INSERT_CHALLENGE })

type Asker = { phoneKey: Buffer; addressKey: Buffer; phoneHash: Buffer; platformId: string }

/** What counts against somebody who asks for a code, and whose phone it is; null when nobody of an active platform has it. */
export async function findAsker(
  db: Queryable,
  { phoneKey, addressKey, phoneHash, platformId }: Asker,
  at: Date,
): Promise<{ limits: LimitsOfAsker; userId: string | null }> {
  type Row = LimitsOfAsker & { user_id: string | null }
  const values = [phoneKey, addressKey, at.getTime(), phoneHash, platformId]
  const { user_id: userId, ...limits } = onlyRow(await db.query<Row>(FIND_ASKER, values))
  return { limits, userId }
}
