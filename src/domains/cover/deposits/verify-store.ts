import { columns } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { DEPOSIT_KEY, type DepositKey } from './records.ts'

const VERIFIED = columns('d', DEPOSIT_KEY)
const ORPHANED = columns('e', DEPOSIT_KEY)

export type VerifiedDeposit = DepositKey & { isWrong: boolean }

const VERIFY = statement(
  'deposits_verify',
  `select ${VERIFIED.list},
          d.balance_paise <> (select coalesce(sum(e.amount_paise), 0) from deposit_entries e
                               where e.sponsor_id = d.sponsor_id and e.benefit_provider_id = d.benefit_provider_id) as is_wrong
     from deposits d
    where (d.sponsor_id, d.benefit_provider_id) > ($1, $2)
    order by d.sponsor_id, d.benefit_provider_id
    limit $3`,
)

/** Compares the balance of each of the next deposits with the sum of its entries. */
export async function verifyDepositsAfter(
  db: Queryable,
  { sponsorId, benefitProviderId }: DepositKey,
  limit: number,
): Promise<VerifiedDeposit[]> {
  const rows = await db.query<{ is_wrong: boolean }>(VERIFY, [sponsorId, benefitProviderId, limit])
  return rows.map((row) => ({ ...VERIFIED.decode(row), isWrong: row.is_wrong }))
}

const LIST_ORPHANED = statement(
  'deposits_list_orphaned',
  `select distinct ${ORPHANED.list}
     from deposit_entries e
    where not exists (select from deposits d
                       where d.sponsor_id = e.sponsor_id and d.benefit_provider_id = e.benefit_provider_id)`,
)

/** Returns of which deposits there are only entries. */
export const listOrphaned = async (db: Queryable): Promise<DepositKey[]> =>
  (await db.query<object>(LIST_ORPHANED, [])).map((row) => ORPHANED.decode(row))
