import { createHmac } from 'node:crypto'
import type { VaultKeys } from '../kernel/crypto/vault.ts'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import { StartError } from '../kernel/start-error.ts'

const HASH_KEY = 'HASH_KEY'
const MASTER_KEYS = 'MASTER_KEYS '
/** The hash key and the first master key. */
const REGISTERED_KEYS = 2

/** One start at a time; an arbitrary constant. */
const LOCK = statement('key_fingerprints_lock', 'select pg_advisory_xact_lock(7226401379)')

/**
 * Adds the first `$3` of these keys if all stored keys are among them: rows are permanent, so a rejected start must add
 * none.
 */
const ADD = statement(
  'key_fingerprints_add',
  `with own as (
     select key_name, fingerprint, place
       from unnest($1::text[], $2::bytea[]) with ordinality as o (key_name, fingerprint, place)
   )
   insert into key_fingerprints (key_name, fingerprint)
   select key_name, fingerprint
     from own
    where place <= $3
      and not exists (select key_name, fingerprint from key_fingerprints except select key_name, fingerprint from own)
       on conflict (key_name) do nothing`,
)

const LIST = statement('key_fingerprints_list', 'select key_name, fingerprint from key_fingerprints order by key_name')

/**
 * Throws `StartError` when these are not the keys the database was filled with: users would not be found, or be created
 * twice, and sealed data would not open. The first start registers the keys; a master key is registered when it is
 * first, because the first one seals.
 */
export async function checkKeys(db: Database, { hashKey, masterKeys }: VaultKeys): Promise<void> {
  const masters = masterKeys.map(({ id, key }) => [`${MASTER_KEYS}${id}`, fingerprintOf(key)] as const)
  const own = new Map<string, Buffer>([[HASH_KEY, fingerprintOf(hashKey)] as const, ...masters])
  const values = [[...own.keys()], [...own.values()], REGISTERED_KEYS]
  // The lock is a separate statement, so that the next one sees what was committed while it waited.
  await db.pipeline([
    { statement: LOCK, values: [] },
    { statement: ADD, values },
  ])
  await compare(db, own)
}

async function compare(db: Queryable, own: ReadonlyMap<string, Buffer>): Promise<void> {
  type Row = { key_name: string; fingerprint: Buffer }
  const errors = (await db.query<Row>(LIST)).flatMap(({ key_name, fingerprint }) => {
    const same = own.get(key_name)?.equals(fingerprint)
    return same === true ? [] : [errorOf(key_name, same === undefined)]
  })
  if (errors.length > 0) throw new StartError(errors.join('\n'))
}

function errorOf(name: string, isMissing: boolean): string {
  if (name === HASH_KEY) return 'HASH_KEY is not the key this database was filled with. Set the original key.'
  const id = name.slice(MASTER_KEYS.length)
  return isMissing
    ? `MASTER_KEYS lacks the key ${id}, which sealed data in this database. Add it after the first key.`
    : `MASTER_KEYS has a different key ${id} from the one that sealed data in this database. Give a new key a new id.`
}

/** Identifies a key without revealing it: keys are 32 random bytes. */
const fingerprintOf = (key: Buffer): Buffer => createHmac('sha256', key).update('fingerprint').digest()
