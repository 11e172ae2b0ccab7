import type { Clock } from '../../../kernel/clock.ts'
import { type Queryable, type Statement, statement, type WireTime } from '../../../kernel/db/database.ts'
import { countedFor, countEvents, type EventHours, type EventPosition } from './events-store.ts'
import {
  type Counted,
  type Counts,
  EVERYTHING,
  WAITING_IN,
  type Waiting,
  type WaitingList,
  type WaitingEntry,
} from './records.ts'

const count = (name: string, text: string) => statement(`statistics_${name}`, text)

const BY_STATE: Record<Counted, Statement> = {
  insurance_policies: count(
    'insurance_policies',
    `select platform_id as owner, benefit_provider_id as provider, status as state, count(*) as number,
            min(coalesce(status_since, created_at)) as since
       from insurance_policies
      group by platform_id, benefit_provider_id, status`,
  ),
  endorsements: count(
    'endorsements',
    `select platform_id as owner, benefit_provider_id as provider, state, count(*) as number
       from policy_endorsements
      group by platform_id, benefit_provider_id, state`,
  ),
  accounts: count(
    'accounts',
    `select platform_id as owner, status as state, count(*) as number, min(last_modified_at) as since
       from accounts
      group by platform_id, status`,
  ),
  wallets: count(
    'wallets',
    `select platform_id as owner, wallet_status as state, count(*) as number, min(last_modified_at) as since
       from wallets
      group by platform_id, wallet_status`,
  ),
  users: count(
    'users',
    `select platform_id as owner, case when onboarded_at is null then 'NOT_ONBOARDED' else 'ONBOARDED' end as state,
            count(*) as number
       from users
      where data_key is not null
      group by 1, 2`,
  ),
}

/** What waits alongside the states that are counted. */
const LISTS_OF_WAITING: Record<'sent_back' | 'consultations', Statement> = {
  sent_back: count(
    'sent_back',
    `select platform_id as owner, benefit_provider_id as provider, status as state, count(*) as number,
            min(coalesce(status_since, created_at)) as since
       from insurance_policies
      where is_sent_back and status = 'PENDING'
      group by platform_id, benefit_provider_id, status`,
  ),
  consultations: count(
    'consultations',
    `select c.platform_id as owner, c.benefit_provider_id as provider, c.status as state, count(*) as number,
            min(coalesce(c.last_message_at, c.created_at)) as since
       from consultations c
      where c.status = 'OPEN' and c.awaits_provider
        and not exists (select from erasure_holds h where h.user_id = c.user_id)
      group by c.platform_id, c.benefit_provider_id, c.status`,
  ),
}

const EVENTS_COUNTED_MAX = 10_000

const WAITING: Record<Waiting, Statement> = {
  events_waiting: count(
    'events_waiting',
    `select e.platform_id as owner, count(*) as number
       from (select platform_id
               from events
              where xid >= coalesce((select position from relays where relay_name = 'webhooks'), '0')
              order by xid, event_id
              limit ${EVENTS_COUNTED_MAX}) e
      group by e.platform_id`,
  ),
  webhook_deliveries_waiting: count(
    'webhook_deliveries_waiting',
    `select w.owner_id as owner, count(*) as number
       from webhook_deliveries d
       join webhook_endpoints w on w.endpoint_id = d.endpoint_id
      where d.next_attempt_at is not null
      group by w.owner_id`,
  ),
}

const WRITE = count(
  'write',
  `insert into statistics (owner_id, counts, as_of)
   select r.owner_id, r.counts, $2 from json_to_recordset($1) as r (owner_id text, counts jsonb)
       on conflict (owner_id) do update set counts = excluded.counts, as_of = excluded.as_of`,
)

/** What was not counted the last time has nothing to count any more. */
const FIND = count(
  'find',
  `select a.as_of, s.counts
     from statistics a
     left join statistics s on s.owner_id = $1 and s.as_of = a.as_of
    where a.owner_id = '${EVERYTHING}'`,
)

const FIND_AGE = count(
  'find_age',
  `select extract(epoch from now() - as_of)::float8 as age_s from statistics where owner_id = '${EVERYTHING}'`,
)

/** `provider` only of what belongs to a benefit provider, too; `since` only of what can wait. */
type StateRow = { owner: string | null; provider?: string; state: string; number: number; since?: WireTime }
type WaitingRow = Pick<StateRow, 'owner' | 'number'>

type StoredCounts = Partial<Counts> & { events_by_hour?: EventHours; events_counted?: EventPosition }

/** Counts are at most a minute old: this, the pause between two calls, and the time that counting takes. */
const FRESH_S = 25

/** Counts everything, unless another process has just done so. Returns whether it did. */
export async function countAll(db: Queryable, clock: Clock): Promise<boolean> {
  const [counted] = await db.query<{ age_s: number }>(FIND_AGE)
  if (counted && counted.age_s < FRESH_S) return false
  const at = clock.now()
  const rows = [...(await countByOwner(db, at))].map(([owner_id, counts]) => ({ owner_id, counts }))
  await db.query(WRITE, [JSON.stringify(rows), at])
  return true
}

const listOwners = ({ owner, provider }: StateRow): string[] => [...countedFor(owner), ...(provider ? [provider] : [])]

/** Adds a row to what waits in a list. */
function addWaiting(entries: WaitingEntry[], { state, number, since }: StateRow, list: WaitingList): void {
  if (since === undefined || !WAITING_IN[list].includes(state)) return
  const known = entries.find((one) => one.list === list && one.status === state)
  if (!known) return void entries.push({ list, status: state, count: number, since })
  known.count += number
  if (since < known.since) known.since = since
}

/** Counts one table after another. */
async function countByOwner(db: Queryable, now: Date): Promise<Map<string, StoredCounts>> {
  const counts = new Map<string, Record<string, unknown>>([[EVERYTHING, {}]])
  const readCounts = (owner: string) => counts.get(owner) ?? counts.set(owner, {}).get(owner) ?? {}
  const listWaiting = (owner: string) => (readCounts(owner)['waiting'] ??= []) as WaitingEntry[]
  for (const [name, list] of Object.entries(BY_STATE)) {
    for (const row of await db.query<StateRow>(list)) {
      for (const owner of listOwners(row)) {
        const states = (readCounts(owner)[name] ??= {}) as Record<string, number>
        states[row.state] = (states[row.state] ?? 0) + row.number
        if (name !== 'users') addWaiting(listWaiting(owner), row, name as WaitingList)
      }
    }
  }
  for (const [name, list] of Object.entries(LISTS_OF_WAITING)) {
    for (const row of await db.query<StateRow>(list))
      for (const owner of listOwners(row)) addWaiting(listWaiting(owner), row, name as WaitingList)
  }
  for (const [name, list] of Object.entries(WAITING)) {
    for (const row of await db.query<WaitingRow>(list)) {
      for (const owner of countedFor(row.owner))
        readCounts(owner)[name] = ((readCounts(owner)[name] ?? 0) as number) + row.number
    }
  }
  const { hours, position } = await countEvents(db, now)
  for (const [owner, of] of hours) readCounts(owner)['events_by_hour'] = of
  readCounts(EVERYTHING)['events_counted'] = position
  return counts
}

/** The last counts of an owner; undefined before the first. */
export async function findCounts(db: Queryable, owner: string) {
  const [row] = await db.query<{ as_of: WireTime; counts: StoredCounts | null }>(FIND, [owner])
  return row && { asOf: row.as_of, counts: row.counts ?? {} }
}

/** Returns how many wallets were FAILED when all was counted last; 0 before the first count. */
export const countFailedWallets = async (db: Queryable): Promise<number> =>
  (await findCounts(db, EVERYTHING))?.counts.wallets?.FAILED ?? 0
