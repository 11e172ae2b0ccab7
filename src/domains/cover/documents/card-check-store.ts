import { columns, day, text, typeList } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { AUDIT_ENTRY, type EntryRow } from '../../../record/index.ts'

/** More networks on one day are one: a card that is shared on the internet fills no table. */
const NETWORKS_MAX = 20
const OTHERS = 'others'

const CHECK = columns('r', {
  userId: text('user_id'),
  policyId: text('policy_id'),
  memberId: text('member_id'),
  day: day('day'),
  network: text('network'),
  id: text('audit_id'),
})
const ENTRY = columns('e', AUDIT_ENTRY)

/**
 * `$1`: checks; `$2`: their entries in the audit. Writes the first check of a card from a network on a day, and its entry, so that what is sent
 * again because its response was lost is written once.
 */
const WRITE = statement(
  'card_checks_write',
  `with r as (
     select ${CHECK.list} from json_to_recordset($1) as r (${typeList(CHECK.fields)})
   ), first as (
     insert into card_checks (${CHECK.names})
     select r.user_id, r.policy_id, r.member_id, r.day,
            case when (select count(*) from card_checks c
                        where c.user_id = r.user_id and c.policy_id = r.policy_id and c.member_id = r.member_id
                          and c.day = r.day and c.network <> r.network) >= ${NETWORKS_MAX} then '${OTHERS}' else r.network end,
            r.audit_id
       from r
      order by r.user_id, r.policy_id, r.member_id, r.day, r.network
     on conflict do nothing
     returning audit_id
   )
   insert into audit_entries (${ENTRY.names})
   select ${ENTRY.list}
     from json_to_recordset($2) as e (${typeList(ENTRY.fields)})
     join first using (audit_id)`,
)

/** Deletes from where the cards of the user `$1` were checked; the access log keeps that they were. */
export const ERASE_CARD_CHECKS = statement('card_checks_erase', 'delete from card_checks where user_id = $1')

/** The first check of a card from a network on a day, and its entry in the audit. */
export type CardCheckRow = Record<'user_id' | 'policy_id' | 'member_id' | 'day' | 'network' | 'audit_id', string>

export async function writeCardChecks(db: Queryable, rows: readonly { check: CardCheckRow; entry: EntryRow }[]) {
  const [checks, entries] = [rows.map(({ check }) => check), rows.map(({ entry }) => entry)]
  await db.query(WRITE, [JSON.stringify(checks), JSON.stringify(entries)])
}
