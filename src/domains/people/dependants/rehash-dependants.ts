import { decodeUserId } from '../../../access/user-id.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { identitiesOf } from './identity-of.ts'
import { listOlder, rehash } from './rehash-store.ts'
import { PROFILE } from './store.ts'

/** Moves the identities of current dependants to the newest hash key, a batch at a time. */
export async function rehashDependants(
  { db, vault }: { db: Queryable; vault: Vault },
  onProgress: (done: number) => void,
): Promise<void> {
  let done = 0
  for (let after = { user_id: '', dependant_id: '' }; ; ) {
    const rows = await listOlder(db, { after, hashKey: vault.hashKey })
    const last = rows.at(-1)
    if (!last) return
    for (const row of rows) {
      const userId = decodeUserId(row.user_id)
      const at = { userId, id: row.dependant_id }
      const profile = PROFILE.unsealOr(() => vault.unwrap(row.data_key), at, row.sealed, undefined)
      if (profile) done += await rehash(db, row, identitiesOf(vault, { userId, profile })[0])
    }
    onProgress(done)
    after = last
  }
}
