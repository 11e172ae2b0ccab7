import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { HashedIdentity } from './identity-of.ts'

const ROWS_AT_ONCE = 500

const LIST_OLDER = statement(
  'dependants_list_older',
  `select d.user_id, d.dependant_id, d.identity_hash, d.sealed, u.data_key
     from dependants d
     join users u on u.user_id = d.user_id and u.data_key is not null
    where (d.user_id, d.dependant_id) > ($1, $2) and d.hash_key is distinct from $3 and d.superseded_at is null
    order by d.user_id, d.dependant_id
    limit ${ROWS_AT_ONCE}`,
)

const REHASH = statement(
  'dependants_rehash',
  `update dependants
      set identity_hash = $4, hash_key = $5
    where user_id = $1 and dependant_id = $2 and identity_hash = $3
   returning 1 as n`,
)

type OlderDependant = {
  user_id: string
  dependant_id: string
  identity_hash: Buffer
  sealed: string
  data_key: string
}

export const listOlder = (
  db: Queryable,
  { after, hashKey }: { after: Pick<OlderDependant, 'user_id' | 'dependant_id'>; hashKey: string },
): Promise<OlderDependant[]> => db.query(LIST_OLDER, [after.user_id, after.dependant_id, hashKey])

export async function rehash(db: Queryable, row: OlderDependant, { hash, hashKey }: HashedIdentity): Promise<number> {
  return (await db.query(REHASH, [row.user_id, row.dependant_id, row.identity_hash, hash, hashKey])).length
}
