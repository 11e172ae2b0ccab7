import type { Vault } from '../../../kernel/crypto/vault.ts'
import { columns, decoded, nullable, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { listOlder } from './rehash-store.ts'
import { hashReference, REFERENCE } from './reference-store.ts'

const LIST_OLDER = listOlder('user_references', 'reference_hash')

const HOLDER = columns('u', {
  id: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  dataKey: text('data_key'),
  referenceSealed: nullable(text('reference_sealed')),
})

/** A separate statement, because on a cluster users are on other shards than lookup rows. */
const FIND_HOLDERS = statement(
  'user_references_find_holders',
  `select ${HOLDER.list} from users u where u.user_id = any ($1) and u.data_key is not null and u.reference_sealed is not null`,
)

/**
 * Inserts the newer row first, so that a server that inserts both waits for this one and not for the older one. Does nothing for
 * a user whose number has changed, or who has been erased, since it was read; a write that is concurrent reads again.
 */
const REHASH = statement(
  'user_references_rehash',
  `with locked as (
     update users set cover_revision = cover_revision + 1
      where user_id = $1 and reference_sealed = $2 and data_key is not null
     returning user_id
   ), moved as (
     insert into user_references (reference_hash, user_id, hash_key)
     select $4, user_id, $5 from locked
         on conflict (reference_hash) do nothing
     returning 1
   )
   delete from user_references d
    using locked h, (select count(*) from moved) m
    where d.reference_hash = $3 and d.user_id = h.user_id
   returning 1 as n`,
)

/** Moves employee numbers to the newest hash key, in batches, while the service keeps writing. */
export async function rehashReferences(
  { db, vault }: { db: Queryable; vault: Vault },
  onProgress: (done: number) => void,
): Promise<void> {
  let done = 0
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    type Older = { reference_hash: Buffer; user_id: string }
    const older = await db.query<Older>(LIST_OLDER, [after, vault.hashKey])
    const last = older.at(-1)
    if (!last) return
    const found = await db.query<object>(FIND_HOLDERS, [older.map(({ user_id }) => user_id)])
    const holders = new Map(found.map((row) => HOLDER.decode(row)).map((holder) => [holder.id as string, holder]))
    for (const { user_id, reference_hash: hash } of older) {
      const holder = holders.get(user_id)
      if (!holder?.referenceSealed) continue
      const { platformId, dataKey, referenceSealed } = holder
      const number = REFERENCE.unsealOr(() => vault.unwrap(dataKey), holder, referenceSealed, undefined)
      if (number === undefined) continue
      const to = hashReference(vault, { platformId, number })
      done += (await db.query(REHASH, [user_id, referenceSealed, hash, to, vault.hashKey])).length
    }
    onProgress(done)
    after = last.reference_hash
  }
}
