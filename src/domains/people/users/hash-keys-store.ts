import { setTimeout as sleep } from 'node:timers/promises'
import { isNotErased } from '../../../access/scope.ts'
import type { VaultKeys } from '../../../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { StartError } from '../../../kernel/start-error.ts'
import { type KeyStatus, listKeys, oldestHashKey, rotateKeys } from '../../../access/key-fingerprints.ts'

const KINDS = ['phones', 'id proofs', 'employee numbers', 'dependants', 'administrators'] as const
type Kind = (typeof KINDS)[number]

/**
 * What can be found under one key only; rows from before key names were stored belong to the oldest key, `$1`. A row
 * alongside a newer one is not counted. Users found under two keys are read first: a cluster has them on other shards.
 */
const COUNT = statement(
  'hash_keys_count',
  `with by_two as materialized (
     select user_id from users where other_phone_hash is not null
   ), by_newest as materialized (
     select user_id, id_proof_hash from user_id_proofs where hash_key = $2
   ), referenced_by_newest as materialized (
     select user_id from user_references where hash_key = $2
   )
   select 'phones' as kind, coalesce(p.hash_key, $1) as hash_key, count(*)::int as rows
     from user_phones p
    where not exists (select from by_two t where t.user_id = p.user_id)
    group by 1, 2
    union all
   select 'id proofs', coalesce(p.hash_key, $1), count(*)::int
     from user_id_proofs p
    where p.hash_key = $2 or not exists (select from by_newest n where n.user_id = p.user_id and n.id_proof_hash <> p.id_proof_hash)
    group by 1, 2
    union all
   select 'employee numbers', r.hash_key, count(*)::int
     from user_references r
    where r.hash_key = $2
       or not exists (select from referenced_by_newest n where n.user_id = r.user_id)
    group by 1, 2
    union all
   select 'dependants', coalesce(d.hash_key, $1), count(*)::int
     from dependants d
     join users u on u.user_id = d.user_id and ${isNotErased('u')}
    where d.superseded_at is null
    group by 1, 2
    union all
   select 'administrators', coalesce(hash_key, $1), count(*)::int from administrators group by 1, 2`,
)

const ROWS_AT_ONCE = 500
const PASSES_MAX = 10
const PAUSE_MS = 250

/** SQL: lookups by id proof under the key `$2`; `$1` is the oldest key. */
const LIST_ID_PROOFS = statement(
  'user_id_proofs_list_of_key',
  `select id_proof_hash, user_id from user_id_proofs where coalesce(hash_key, $1) = $2 limit ${ROWS_AT_ONCE}`,
)

/** The revision stays the same, because no visible field changes: the last digits stay. */
const UNLINK_ID_PROOFS = statement(
  'users_unlink_id_proofs',
  `update users u set id_proof_hash = null
     from unnest($1::text[], $2::bytea[]) as f (user_id, id_proof_hash)
    where u.user_id = f.user_id and u.id_proof_hash = f.id_proof_hash`,
)

const DELETE_ID_PROOFS = statement(
  'user_id_proofs_delete_of_key',
  'delete from user_id_proofs where id_proof_hash = any ($1)',
)

/** A hash key and what is found by it alone. */
export type HashKeyStatus = KeyStatus & { needed: Record<Kind, number> }

type Context = { db: Queryable; keys: VaultKeys }

/** Returns what still needs each hash key, configured or not. */
export async function hashKeyStatus({ db, keys }: Context): Promise<HashKeyStatus[]> {
  const listed = await listKeys(db, keys, 'HASH_KEY')
  const newest = listed[0]?.id
  const rows = await db.query<{ kind: Kind; hash_key: string; rows: number }>(COUNT, [
    (await oldestHashKey(db)) ?? newest,
    newest,
  ])
  return listed.map((key) => {
    const keyRows = rows.filter(({ hash_key }) => hash_key === key.id)
    const needed = { phones: 0, 'id proofs': 0, 'employee numbers': 0, dependants: 0, administrators: 0 }
    for (const row of keyRows) needed[row.kind] = row.rows
    return { ...key, needed, total: keyRows.reduce((sum, row) => sum + row.rows, 0) }
  })
}

/**
 * Moves rows to the first hash key with `rehash`, as `rotateKeys` says; a single key has nothing to move. Makes another pass while
 * rows are left that `rehash` can move: it passes over users who are being written, and a cluster counts on one node before another,
 * so that it can count a user who is written concurrently under the older key. After some passes, such rows are left.
 */
export async function rotateHashKey(context: Context, rehash: () => Promise<void>): Promise<HashKeyStatus[]> {
  const status = () => hashKeyStatus(context)
  const keyStatus = await status()
  if (keyStatus.length === 1) return keyStatus
  for (let pass = 1; ; pass++) {
    const result = await rotateKeys(context, { setting: 'HASH_KEY', convert: rehash, status })
    if (pass === PASSES_MAX || !result.some(isLeft)) return result
    await sleep(PAUSE_MS)
  }
}

type Ending = {
  id: string
  /** How long the first key must have been first: so long, people had time to present their id proof. */
  days: number
  onProgress: (done: number, all: number) => void
}

/**
 * Deletes the id proofs of people who have not presented them since the first hash key was put first, and retires the older
 * key `id`. They are found by phone from then on, and an id proof that they present is stored again. Throws
 * `StartError` while anything else needs the key.
 */
export async function endHashKey(context: Context, { id, days, onProgress }: Ending): Promise<HashKeyStatus[]> {
  const status = () => hashKeyStatus(context)
  const keyStatus = await status()
  const [newest] = keyStatus
  const ending = keyStatus.find((key) => key.id === id)
  if (!newest || !ending) throw new StartError(`No hash key has the id ${id}. \`keys status\` lists them.`)
  if (ending.first) throw new StartError(`${id} is the first hash key. Only an older one can be ended.`)
  if (newest.age_days < days) {
    const age = Math.floor(newest.age_days)
    throw new StartError(
      `The first hash key is first since ${age} days. People have ${days} days to present an id proof.`,
    )
  }
  const { 'id proofs': all, ...others } = ending.needed
  const rest = Object.entries(others).filter(([, count]) => count > 0)
  if (rest.length > 0) {
    const counts = rest.map(([kind, count]) => `${count} ${kind}`).join(', ')
    throw new StartError(`${counts} still need this key. Run \`keys rotate\`; administrators must log in once.`)
  }
  return rotateKeys(context, {
    setting: 'HASH_KEY',
    convert: () => deleteIdProofs(context, { id, onProgress: (done) => onProgress(done, all) }),
    status,
  })
}

/** In two statements, because on a cluster users are on other shards than lookups. If interrupted, it can be repeated. */
async function deleteIdProofs(
  { db }: Context,
  { id, onProgress }: { id: string; onProgress: (done: number) => void },
): Promise<void> {
  const oldest = await oldestHashKey(db)
  for (let done = 0; ; ) {
    const result = await db.query<{ id_proof_hash: Buffer; user_id: string }>(LIST_ID_PROOFS, [oldest, id])
    if (result.length === 0) return
    const hashes = result.map(({ id_proof_hash }) => id_proof_hash)
    await db.query(UNLINK_ID_PROOFS, [result.map(({ user_id }) => user_id), hashes])
    await db.query(DELETE_ID_PROOFS, [hashes])
    onProgress((done += result.length))
  }
}

const isLeft = ({ first, needed }: HashKeyStatus) =>
  !first && needed.phones + needed['employee numbers'] + needed.dependants > 0
