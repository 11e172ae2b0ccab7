import { setTimeout as sleep } from 'node:timers/promises'
import type { VaultKeys } from '../../../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { type KeyStatus, listKeys, oldestHashKey, rotateKeys } from '../../../access/key-fingerprints.ts'

const KINDS = ['phones', 'id proofs', 'dependants', 'administrators'] as const
type Kind = (typeof KINDS)[number]

/**
 * What can be found under one key only; rows from before key names were stored belong to the oldest key, `$1`. A row
 * beside a newer one is not counted. Users found under two keys are read first: a cluster has them on other shards.
 */
const COUNT = statement(
  'hash_keys_count',
  `with by_two as materialized (
     select user_id from users where other_phone_hash is not null
   ), by_newest as materialized (
     select user_id, id_proof_hash from user_id_proofs where hash_key = $2
   )
   select 'phones' as kind, coalesce(p.hash_key, $1) as hash_key, count(*)::int as rows
     from user_phones p
    where not exists (select from by_two t where t.user_id = p.user_id)
    group by 1, 2
    union all
   select 'id proofs', coalesce(p.hash_key, $1), count(*)::int
     from user_id_proofs p
    where not exists (select from by_newest n where n.user_id = p.user_id and n.id_proof_hash <> p.id_proof_hash)
    group by 1, 2
    union all
   select 'dependants', coalesce(hash_key, $1), count(*)::int from dependants where superseded_at is null group by 1, 2
    union all
   select 'administrators', coalesce(hash_key, $1), count(*)::int from administrators group by 1, 2`,
)

const PASSES_MAX = 10
const PAUSE_MS = 250

/** A hash key and what is found by it alone. */
export type HashKeyStatus = KeyStatus & { needed: Record<Kind, number> }

type Context = { db: Queryable; keys: VaultKeys }

/** Returns what still needs each hash key, configured or not. */
export async function hashKeyStatus({ db, keys }: Context): Promise<HashKeyStatus[]> {
  const known = await listKeys(db, keys, 'HASH_KEY')
  const newest = known[0]?.id
  const rows = await db.query<{ kind: Kind; hash_key: string; rows: number }>(COUNT, [
    (await oldestHashKey(db)) ?? newest,
    newest,
  ])
  return known.map((key) => {
    const own = rows.filter(({ hash_key }) => hash_key === key.id)
    const needed = { phones: 0, 'id proofs': 0, dependants: 0, administrators: 0 }
    for (const row of own) needed[row.kind] = row.rows
    return { ...key, needed, total: own.reduce((sum, row) => sum + row.rows, 0) }
  })
}

/**
 * Moves rows to the first hash key with `rehash`, as `rotateKeys` says; a single key has nothing to move. Makes another pass while
 * rows are left that `rehash` can move: it passes over users who are being written, and a cluster counts on one node before another,
 * so that it can count a user who is written meanwhile under the older key. After some passes, such rows are left.
 */
export async function rotateHashKey(context: Context, rehash: () => Promise<void>): Promise<HashKeyStatus[]> {
  const status = () => hashKeyStatus(context)
  const known = await status()
  if (known.length === 1) return known
  for (let pass = 1; ; pass++) {
    const found = await rotateKeys(context, { setting: 'HASH_KEY', convert: rehash, status })
    if (pass === PASSES_MAX || !found.some(isLeft)) return found
    await sleep(PAUSE_MS)
  }
}

const isLeft = ({ first, needed }: HashKeyStatus) => !first && needed.phones + needed.dependants > 0
