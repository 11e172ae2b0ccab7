import { type Queryable, statement } from '../../../kernel/db/database.ts'

/**
 * SQL: whether there is still something that rests on the consent `c` of a user: a policy without an end that is set, an open consultation, a
 * wallet, an account that was not closed. For children it is a policy with dependants. Not a `case`, which a cluster cannot send to its shards.
 */
export function restsOn(user: string): string {
  const onPolicy = (where: string) =>
    `exists (select from insurance_policies p
             where p.user_id = ${user} and p.status not in ('EXPIRED', 'REJECTED') and p.ends_on is null${where})`
  return `(c.purpose = 'insurance' and c.dependant_id is null and ${onPolicy('')}
      or (c.purpose = 'children' or c.purpose = 'insurance' and c.dependant_id is not null)
         and ${onPolicy(` and p.dependant_ids <> '{}'`)}
      or c.purpose = 'care' and exists (select from consultations s where s.user_id = ${user} and s.status = 'OPEN')
      or c.purpose = 'wallet' and exists (select from wallets w
             where w.user_id = ${user} and w.wallet_status not in ('CREATED', 'FAILED'))
      or c.purpose = 'accounts' and exists (select from accounts a where a.user_id = ${user} and a.status <> 'INACTIVE'))`
}

const SETTLE = statement(
  'consents_settle',
  `update consents c set waits_since = null where c.waits_since is not null and not ${restsOn('c.user_id')}`,
)

/** Takes withdrawals that nothing rests on any more out of what waits, so that the work list does not pass them each time. Repeatable. */
export const settleWithdrawals = async (db: Queryable): Promise<void> => void (await db.query(SETTLE))
