import { isNotErased } from '../../../access/scope.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'

/**
 * SQL: whether there is still something that rests on the consent `c` of a user: a policy without an end that is set, an open consultation, a
 * wallet, an account that was not closed. For children it is a policy with dependants. Not a `case`, which a cluster cannot send to its shards.
 */
export const restsOn = (user: string): string =>
  restsText(user, {
    policies: `p.status not in ('EXPIRED', 'REJECTED') and p.ends_on is null`,
    accounts: `a.status <> 'INACTIVE'`,
  })

/** SQL: the same, or there could be again: an end can be taken back, an account be opened again, a policy return until its grace is over. */
const mayRestOn = (user: string): string =>
  restsText(user, {
    policies: `p.status <> 'REJECTED' and (p.status <> 'EXPIRED' or p.end_date + p.grace_days >= (now() at time zone 'Asia/Kolkata')::date)`,
    accounts: 'true',
  })

function restsText(user: string, { policies, accounts }: Record<'policies' | 'accounts', string>): string {
  const onPolicy = (where: string) =>
    `exists (select from insurance_policies p where p.user_id = ${user} and ${policies}${where})`
  return `(c.purpose = 'insurance' and c.dependant_id is null and ${onPolicy('')}
      or (c.purpose = 'children' or c.purpose = 'insurance' and c.dependant_id is not null)
         and ${onPolicy(` and p.dependant_ids <> '{}'`)}
      or c.purpose = 'care' and exists (select from consultations s where s.user_id = ${user} and s.status = 'OPEN')
      or c.purpose = 'wallet' and exists (select from wallets w
             where w.user_id = ${user} and w.wallet_status not in ('CREATED', 'FAILED'))
      or c.purpose = 'accounts' and exists (select from accounts a where a.user_id = ${user} and ${accounts}))`
}

const SETTLE = statement(
  'consents_settle',
  `update consents c set waits_since = null
    where c.waits_since is not null
      and (not ${mayRestOn('c.user_id')} or not exists (select from users u where u.user_id = c.user_id and ${isNotErased('u')}))`,
)

/** Takes withdrawals that nothing can rest on any more, and those of erased persons, out of what waits, so that the work list does not pass them each time. Repeatable. */
export const settleWithdrawals = async (db: Queryable): Promise<void> => void (await db.query(SETTLE))
