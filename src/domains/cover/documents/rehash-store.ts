import { decodeUserId } from '../../../access/user-id.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { CardHolder } from './store.ts'

const ROWS_AT_ONCE = 500

const LIST = statement(
  'health_cards_list',
  `select card_hash, user_id, policy_id, member_id
     from health_cards where card_hash > $1 order by card_hash limit ${ROWS_AT_ONCE}`,
)

const REGISTER = statement(
  'health_cards_register',
  `insert into health_cards (card_hash, user_id, policy_id, member_id)
   select c.card_hash, c.user_id, c.policy_id, c.member_id
     from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bytea[])
          as c (card_hash, user_id, policy_id, member_id, older_hash)
     join health_cards h on h.card_hash = c.older_hash
    order by c.card_hash
       on conflict do nothing
   returning 1 as n`,
)

type RegisteredCard = CardHolder & { hash: Buffer }

export async function listCards(db: Queryable, after: Buffer): Promise<RegisteredCard[]> {
  type Row = { card_hash: Buffer; user_id: string; policy_id: string; member_id: string }
  return (await db.query<Row>(LIST, [after])).map((row) => ({
    hash: row.card_hash,
    userId: decodeUserId(row.user_id),
    policyId: row.policy_id,
    memberId: row.member_id,
  }))
}

/** Returns how many were not registered before. `from` is the hash a card was listed with; one deleted since stays deleted. */
export async function registerCards(db: Queryable, cards: (RegisteredCard & { from: Buffer })[]): Promise<number> {
  const column = <K extends keyof (typeof cards)[0]>(name: K) => cards.map((card) => card[name])
  const values = [column('hash'), column('userId'), column('policyId'), column('memberId'), column('from')]
  return (await db.query(REGISTER, values)).length
}
