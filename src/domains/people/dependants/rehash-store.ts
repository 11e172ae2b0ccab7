import { decodeUserId } from '../../../access/user-id.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { hashIdentities } from './hash-identity.ts'
import { PROFILE } from './store.ts'

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

type Older = { user_id: string; dependant_id: string; identity_hash: Buffer; sealed: string; data_key: string }

/** Moves the identities of current dependants to the newest hash key, a batch at a time. */
export async function rehashDependants(
  { db, vault }: { db: Queryable; vault: Vault },
  onProgress: (done: number) => void,
): Promise<void> {
  let done = 0
  for (let after = { user_id: '', dependant_id: '' }; ; ) {
    const rows = await db.query<Older>(LIST_OLDER, [after.user_id, after.dependant_id, vault.hashKey])
    const last = rows.at(-1)
    if (!last) return
    for (const { user_id, dependant_id: id, identity_hash, sealed, data_key } of rows) {
      const userId = decodeUserId(user_id)
      const profile = PROFILE.unsealOr(() => vault.unwrap(data_key), { userId, id }, sealed, undefined)
      if (!profile) continue
      const [{ hash, hashKey }] = hashIdentities(vault, { userId, profile })
      done += (await db.query(REHASH, [userId, id, identity_hash, hash, hashKey])).length
    }
    onProgress(done)
    after = last
  }
}
