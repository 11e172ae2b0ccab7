import { text, time } from '../../../kernel/db/columns.ts'
import { onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import { recordedWrite } from '../../../record/index.ts'

/** For how long a wallet whose status could not be read is left alone. */
const AGAIN_AFTER_SECONDS = 600

const DUE_AGAIN = `now() + interval '${AGAIN_AFTER_SECONDS} seconds'`

/** The operator is to be asked for the status of this wallet. */
export const LINKED_QUESTIONS = linkedInsert(
  'wallet_questions',
  { userId: text('user_id'), dueAt: time('due_at') },
  'on conflict (user_id) do update set due_at = excluded.due_at',
)

/** Records what is to be asked because of an event that is not accepted. */
export const INSERT_QUESTION = recordedWrite({
  name: 'wallet_questions_insert',
  values: {},
  single: 'select 1 as n',
  linked: [LINKED_QUESTIONS],
  events: false,
  audited: false,
})

/** Changes nothing; that an administrator had the operator asked is in the audit. */
export const NOTE_REFRESH = recordedWrite({
  name: 'wallets_note_refresh',
  values: {},
  single: 'select 1 as n',
  events: false,
})

/** Takes what is due, so that a worker that dies leaves it for later. */
const CLAIM = statement(
  'wallet_questions_claim',
  `update wallet_questions
      set due_at = ${DUE_AGAIN}
    where user_id in (select user_id from wallet_questions where due_at <= now() order by due_at limit $1)
      and due_at <= now()
   returning user_id, due_at::text as due`,
)

/** Not when the same was asked again in between. */
const SETTLE = statement(
  'wallet_questions_settle',
  'delete from wallet_questions where user_id = $1 and due_at = $2::timestamptz',
)

const ASK_LATER = statement(
  'wallet_questions_ask_later',
  `insert into wallet_questions (user_id, due_at) values ($1, ${DUE_AGAIN}) on conflict (user_id) do nothing`,
)

const START_SWEEP = statement(
  'wallet_sweeps_start',
  `insert into wallet_sweeps (sweep_name, position, began_at) values ('status', '', now())
       on conflict (sweep_name) do nothing`,
)

const FIND_SWEEP = statement(
  'wallet_sweeps_find',
  `select position, greatest(extract(epoch from now() - began_at), 0)::float8 as elapsed_s
     from wallet_sweeps
    where sweep_name = 'status'`,
)

const SAVE_SWEEP = statement('wallet_sweeps_save', `update wallet_sweeps set position = $1 where sweep_name = 'status'`)

const RESTART_SWEEP = statement(
  'wallet_sweeps_restart',
  `update wallet_sweeps set position = '', began_at = now() where sweep_name = 'status'`,
)

/** By the primary key, whatever the number of wallets. */
const NEXT = statement(
  'wallets_next_to_ask',
  `select user_id
     from wallets
    where user_id > $1 and user_id <= $2 and wallet_status = 'COMPLETED'
    order by user_id
    limit $3`,
)

/** `due`: when it is asked again unless it is settled, as the database writes it. */
type Question = { user_id: string; due: string }

export const claimQuestions = (db: Queryable, limit: number) => db.query<Question>(CLAIM, [limit])

export const settleQuestion = (db: Queryable, { user_id, due }: Question) => db.query(SETTLE, [user_id, due])

export const askLater = (db: Queryable, userId: string) => db.query(ASK_LATER, [userId])

export type Sweep = { position: string; elapsed_s: number }

/** Returns how far the sweep is; the first time it begins. */
export async function findSweep(db: Queryable): Promise<Sweep> {
  const [sweep] = await db.query<Sweep>(FIND_SWEEP)
  if (sweep) return sweep
  await db.query(START_SWEEP)
  return onlyRow(await db.query<Sweep>(FIND_SWEEP))
}

export const saveSweep = (db: Queryable, position: string) => db.query(SAVE_SWEEP, [position])

export const restartSweep = (db: Queryable) => db.query(RESTART_SWEEP)

type Range = { after: string; upTo: string; limit: number }

/** Returns users with a COMPLETED wallet, in order. */
export const listNextToAsk = async (db: Queryable, { after, upTo, limit }: Range): Promise<string[]> =>
  (await db.query<{ user_id: string }>(NEXT, [after, upTo, limit])).map(({ user_id }) => user_id)
