import type pg from 'pg'
import { withClient } from './cluster.ts'

/** Every direct query of the database: when the tables change, only this file does. */
const SCHEMA = 'set search_path = banyan'

/** One row of history. */
export type Transition = { entity_id: string; user_id: string; from_status: string | null; to_status: string }
type Account = { user_id: string; account_id: string; status: string }
type Wallet = { user_id: string; partner_wallet_id: string; wallet_status: string; balance: number }
type Booking = { user_id: string; reference: string; transaction_id: string; type: string; amount: number }
/** The number of events of a type for a user and a subject; `to` for a transition. */
type EventCount = { type: string; subject: string; user_id: string | null; to: string | null; count: number }
/** The deliveries of an event to a webhook endpoint, with the number of attempts. */
type Delivery = { endpoint_id: string; event_id: string; tries: number }
type UserCounts = { user_id: string; dependants: number; messages: number }

export type Stored = {
  users: UserCounts[]
  transitions: Transition[]
  accounts: Account[]
  wallets: Wallet[]
  bookings: Booking[]
  events: EventCount[]
  deliveries: Delivery[]
}

const USERS = `
  select u.user_id,
         (select count(*)::int from dependants d where d.user_id = u.user_id) as dependants,
         (select count(*)::int from consultation_messages m where m.user_id = u.user_id) as messages
    from users u
   where u.platform_id = $1`

/** In the order in which they happened. */
const TRANSITIONS = `
  select entity_id, user_id, from_status, to_status from user_status_changes order by entity_id, change_id`

const ACCOUNTS = 'select user_id, account_id, status from accounts'

const WALLETS = `
  select user_id, partner_wallet_id, wallet_status, balance_paise::float8 as balance from wallets`

const BOOKINGS = `
  select user_id, reference, transaction_id, transaction_type as type, amount_paise::float8 as amount
    from ledger_transactions`

const EVENTS = `
  select type, subject, data->>'user_id' as user_id, data->>'to' as to, count(*)::int as count
    from events
   group by 1, 2, 3, 4`

const DELIVERIES = `
  select endpoint_id, event_id, tries from webhook_deliveries where status = 'DELIVERED'`

const SPONSOR_EVENTS = `
  select coalesce(sum(1), 0)::int as count from events where type = 'sponsor.updated' and subject = $1`

/** Work still in progress. */
const UNFINISHED = `
  select (select count(*)::int from accounts where status = 'PENDING') as accounts,
         (select count(*)::int from wallets where wallet_status not in ('COMPLETED', 'FAILED')) as wallets,
         (select count(*)::int from webhook_deliveries where status = 'PENDING') as deliveries`

/** A connection of the program, preferably an active one. */
const BACKEND = `
  select pid
    from pg_stat_activity
   where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
   order by (state <> 'idle') desc nulls last, random()
   limit 1`

/** A lock held by a slow transaction, or by a process that hangs. */
const HOLD = {
  wallet: 'select from wallets where user_id = $1 for update',
  sponsor: 'select from sponsors where sponsor_id = $1 for update',
}

const ask = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(url, async (client) => {
    await client.query(SCHEMA)
    return work(client)
  })

/** Returns all rows of a platform, once nothing changes it any more. */
export const readStored = (url: string, platformId: string): Promise<Stored> =>
  ask(url, async (client) => {
    const rows = async <Row extends pg.QueryResultRow>(text: string, values: string[] = []) =>
      (await client.query<Row>(text, values)).rows
    return {
      users: await rows<UserCounts>(USERS, [platformId]),
      transitions: await rows<Transition>(TRANSITIONS),
      accounts: await rows<Account>(ACCOUNTS),
      wallets: await rows<Wallet>(WALLETS),
      bookings: await rows<Booking>(BOOKINGS),
      events: await rows<EventCount>(EVENTS),
      deliveries: await rows<Delivery>(DELIVERIES),
    }
  })

/** The number of events of sponsor changes. */
export const sponsorEvents = (url: string, sponsorId: string): Promise<number> =>
  ask(url, async (client) => (await client.query<{ count: number }>(SPONSOR_EVENTS, [sponsorId])).rows[0]?.count ?? 0)

type Unfinished = { accounts: number; wallets: number; deliveries: number }

/** The number of accounts, wallets and deliveries in progress. */
export const readUnfinished = (url: string): Promise<Unfinished> =>
  ask(url, async (client) => {
    const { rows } = await client.query<Unfinished>(UNFINISHED)
    return rows[0] ?? { accounts: 0, wallets: 0, deliveries: 0 }
  })

/** Kills the backend of one connection of the program; false when there is none, or no database at that moment. */
export async function killBackend(url: string): Promise<boolean> {
  try {
    const pid = await ask(url, async (client) => (await client.query<{ pid: number }>(BACKEND)).rows[0]?.pid)
    return pid !== undefined && process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

type Rows = { wallet: string; sponsor: string }

/** Holds both rows while the work runs. */
export const holdRows = (url: string, { wallet, sponsor }: Rows, work: () => Promise<void>): Promise<void> =>
  ask(url, async (client) => {
    await client.query('begin')
    await client.query(HOLD.wallet, [wallet])
    await client.query(HOLD.sponsor, [sponsor])
    await work()
    await client.query('rollback')
  })
