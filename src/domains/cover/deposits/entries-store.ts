import type { Day } from '../../../kernel/date.ts'
import { onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type DepositKey, type Entry, ENTRY } from './records.ts'

type OfPeriod = DepositKey & { from: Day; to: Day }

/** An entry, with the number that the benefit provider has given its policy. */
export type NumberedEntry = Entry & { externalPolicyId: string | null }

/** So many are in memory at a time. */
const PAGE_ROWS = 1_000

const LIST = statement(
  'deposit_entries_of_period',
  `select ${ENTRY.list}
     from deposit_entries e
    where e.sponsor_id = $1 and e.benefit_provider_id = $2 and e.on_day between $3 and $4 and e.entry_id > $5
    order by e.entry_id
    limit ${PAGE_ROWS}`,
)

/** Not a join: on a cluster, the policies are elsewhere. */
const LIST_NUMBERS = statement(
  'insurance_policies_list_numbers',
  `select p.policy_id, p.external_policy_id
     from insurance_policies p
    where p.user_id = any ($1) and p.external_policy_id is not null`,
)

/** Yields the entries of a deposit that count from the days of a period on, in pages, the first entry first. */
export async function* everyEntry(
  db: Queryable,
  { sponsorId, benefitProviderId, from, to }: OfPeriod,
): AsyncGenerator<NumberedEntry[]> {
  for (let after = ''; ; ) {
    const rows = await db.query<object>(LIST, [sponsorId, benefitProviderId, from, to, after])
    const page = rows.map((row) => ENTRY.decode(row))
    const numbers = await findNumbers(db, page)
    yield page.map((entry) => ({ ...entry, externalPolicyId: numbers.get(entry.policyId ?? '') ?? null }))
    if (page.length < PAGE_ROWS) return
    after = page.at(-1)?.id ?? ''
  }
}

async function findNumbers(db: Queryable, entries: readonly Entry[]): Promise<Map<string, string>> {
  const users = [...new Set(entries.flatMap(({ userId }) => userId ?? []))]
  if (users.length === 0) return new Map()
  const rows = await db.query<{ policy_id: string; external_policy_id: string }>(LIST_NUMBERS, [users])
  return new Map(rows.map((row) => [row.policy_id, row.external_policy_id]))
}

const SUM = statement(
  'deposit_entries_sum',
  `select coalesce(sum(e.amount_paise), 0)::bigint as paise
     from deposit_entries e
    where e.sponsor_id = $1 and e.benefit_provider_id = $2 and e.on_day <= $3`,
)

/** Returns what the entries of a deposit that count on a day add up to. */
export const findBalanceOn = async (
  db: Queryable,
  { sponsorId, benefitProviderId, on }: DepositKey & { on: Day },
): Promise<Paise> => onlyRow(await db.query<{ paise: Paise }>(SUM, [sponsorId, benefitProviderId, on])).paise
