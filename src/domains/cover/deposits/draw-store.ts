import { actorOf } from '../../../access/caller.ts'
import type { Day } from '../../../kernel/date.ts'
import { day, integer, text, time } from '../../../kernel/db/columns.ts'
import { onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { linkedInsert, type LinkedRowOf, linkedWrite } from '../../../kernel/db/write-statement.ts'
import { newId } from '../../../kernel/id.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Author, Change } from '../../../record/index.ts'
import { type Benefit, hasPremiumGate, premiumGateOf } from '../../partners/benefits/index.ts'
import type { DailyBalance } from './decide-draw.ts'
import { DEPOSIT_KEY, type DepositKey, ENTRY } from './records.ts'

const LINKED_ENTRIES = linkedInsert('deposit_entries', {
  ...ENTRY.fields,
  ...DEPOSIT_KEY,
  actor: text('actor'),
})
export type EntryRow = LinkedRowOf<typeof LINKED_ENTRIES>

type NewEntry = Pick<EntryRow, 'kind' | 'amount_paise' | 'on_day'> &
  Partial<Pick<EntryRow, 'reference' | 'user_id' | 'policy_id' | 'endorsement_id'>>

/** Creates the row of an entry. */
export const createEntry = (deposit: DepositKey, entry: NewEntry, { caller, at }: Author): EntryRow => ({
  reference: null,
  user_id: null,
  policy_id: null,
  endorsement_id: null,
  ...entry,
  entry_id: newId('dpe'),
  sponsor_id: deposit.sponsorId,
  benefit_provider_id: deposit.benefitProviderId,
  actor: actorOf(caller),
  created_at: at,
})

/** The balance with the entries that come to it; a deposit begins with its first entry. Marks that it falls below its level. */
const LINKED_BALANCES = linkedWrite(
  { ...DEPOSIT_KEY, amountPaise: integer('amount_paise'), at: time('at') },
  {
    name: 'deposited',
    text: `insert into deposits as d (sponsor_id, benefit_provider_id, balance_paise, created_at, last_modified_at)
     select r.sponsor_id, r.benefit_provider_id, r.amount_paise, r.at, r.at from r join changed using (n)
     on conflict (sponsor_id, benefit_provider_id) do update
        set balance_paise = d.balance_paise + excluded.balance_paise, revision = d.revision + 1,
            last_modified_at = excluded.last_modified_at,
            crossed_at = case when d.balance_paise >= d.low_below_paise and d.balance_paise + excluded.balance_paise < d.low_below_paise
                              then excluded.last_modified_at else d.crossed_at end`,
  },
)

/** The parts of a write that makes entries of one deposit. */
export const DEPOSIT_PARTS = [LINKED_ENTRIES, LINKED_BALANCES]

/** Returns the rows of entries of one deposit. */
export function toRowsOfEntries(entries: readonly EntryRow[]) {
  const [first] = entries
  if (!first) return {}
  const { sponsor_id, benefit_provider_id, created_at: at } = first
  return {
    ...LINKED_ENTRIES.rows(entries),
    ...LINKED_BALANCES.rows([{ sponsor_id, benefit_provider_id, amount_paise: sumOf(entries), at }]),
  }
}

const sumOf = (entries: readonly EntryRow[]): Paise => entries.reduce((sum, { amount_paise }) => sum + amount_paise, 0)

/** The entries that a write makes of a deposit: together, they take from it or give back. */
export type Draw = {
  deposit: DepositKey
  /** The day from which on the deposit has to have held it. */
  heldFrom: Day
  entries: readonly EntryRow[]
}

/** The values of a write that draws, besides its own. */
export const DRAW = { ...DEPOSIT_KEY, paise: integer('draw_paise'), heldFrom: day('held_from') }

const drawValues = ({ deposit, entries, heldFrom }: Draw) => ({
  sponsor_id: deposit.sponsorId,
  benefit_provider_id: deposit.benefitProviderId,
  draw_paise: -sumOf(entries),
  held_from: heldFrom,
})

type WriteWith<V> = { with: (values: V) => Pick<Change<never>, 'write' | 'values'> }

/** Returns what chooses between a write and the same with a draw. */
export const orByDeposit =
  <V extends object>(plain: WriteWith<V>, byDeposit: WriteWith<V & ReturnType<typeof drawValues>>) =>
  (values: V, draw: Draw | undefined) =>
    draw ? byDeposit.with({ ...values, ...drawValues(draw) }) : plain.with(values)

/** Returns the rows of a draw. */
export const toRowsOfDraw = (draw: Draw | undefined) => toRowsOfEntries(draw?.entries ?? [])

/** SQL: of two writes that draw, the second sees what the first has left. */
export const LOCK_DEPOSIT = `select from deposits d
    where d.sponsor_id = :sponsor_id and d.benefit_provider_id = :benefit_provider_id
      for update`

/** SQL: one row where the deposit holds what is drawn, and has held it since that day without a break; no row where it does not. */
export const HELD = `held as (
       select 1
        where :draw_paise::bigint <= 0 or exists (
          select from deposits d
           where d.sponsor_id = :sponsor_id and d.benefit_provider_id = :benefit_provider_id
             and d.balance_paise >= :draw_paise::bigint
             and not exists (
               select from (
                 select sum(sum(e.amount_paise)) over (order by e.on_day desc) as later
                   from deposit_entries e
                  where e.sponsor_id = :sponsor_id and e.benefit_provider_id = :benefit_provider_id
                    and e.on_day > :held_from::date
                  group by e.on_day) x
                where d.balance_paise - x.later < :draw_paise::bigint))
     )`

/** The deposit of a policy as a draw sees it. */
export type DrawnDeposit = DailyBalance &
  DepositKey & {
    /** An issue, or a charge, takes from it. */
    isGated: boolean
    /** The policy has taken from it, so that what is paid back comes to it, whatever the plan says by now. */
    hasDrawn: boolean
    /** What was given back for the end of the policy and not taken again. */
    givenBackPaise: Paise
  }

const FIND = statement(
  'deposits_find_of_policy',
  `select b.sponsor_id, b.benefit_provider_id, coalesce(d.balance_paise, 0) as balance_paise,
          b.plans,
          (select coalesce(sum(e.amount_paise) filter (where e.kind = 'END'), 0)::bigint
             from deposit_entries e where e.policy_id = $2) as given_back_paise,
          exists (select from deposit_entries e where e.policy_id = $2 and e.amount_paise < 0) as has_drawn,
          (select json_agg(json_build_object('on', x.on_day, 'paise', x.paise) order by x.on_day)
             from (select e.on_day, sum(e.amount_paise)::bigint as paise
                     from deposit_entries e
                    where e.sponsor_id = b.sponsor_id and e.benefit_provider_id = b.benefit_provider_id and e.on_day > $3
                    group by e.on_day) x) as days
     from benefits b
     left join deposits d on d.sponsor_id = b.sponsor_id and d.benefit_provider_id = b.benefit_provider_id
    where b.benefit_id = $1`,
)

type Row = {
  sponsor_id: string
  benefit_provider_id: string
  balance_paise: Paise
  plans: Benefit['plans']
  given_back_paise: Paise
  has_drawn: boolean
  days: { on: Day; paise: Paise }[] | null
}

/** Returns the deposit of a policy, with its entries of the days after one. A plan that the benefit has no more has the gate that any other has. */
export async function findDepositOf(
  db: Queryable,
  { id, benefitId, planCode }: { id: string; benefitId: string; planCode: string },
  after: Day,
): Promise<DrawnDeposit> {
  const row = onlyRow(await db.query<Row>(FIND, [benefitId, id, after]))
  return {
    sponsorId: row.sponsor_id,
    benefitProviderId: row.benefit_provider_id,
    balancePaise: row.balance_paise,
    days: row.days ?? [],
    isGated: isGated(row, planCode),
    hasDrawn: row.has_drawn,
    givenBackPaise: row.given_back_paise,
  }
}

function isGated({ plans, has_drawn }: Row, planCode: string): boolean {
  const plan = plans.find(({ plan_code }) => plan_code === planCode)
  return plan ? premiumGateOf(plan) === 'deposit' : has_drawn || hasPremiumGate(plans)
}
